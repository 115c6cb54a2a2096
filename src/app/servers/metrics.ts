import { metricsRoute } from '../../api/http/node-routes.ts';
import type { HttpRoute } from '../../api/http/router.ts';
import type { ResponseObserver } from '../../api/rest/dispatch.ts';
import { meterServices } from '../../api/rpc/meter-services.ts';
import type { Services } from '../../api/rpc/method.ts';
import type { Block } from '../../avm/tx/block.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type MetricFamily, sumFamilies } from '../../base/metrics/family.ts';
import {
  createRequestMeters,
  type FollowReading,
  type ProcessReading,
  registerFollowReadings,
  registerProcessReadings,
  registerReadings,
} from '../../base/metrics/node-metrics.ts';
import { createMetricRegistry, type MetricRegistry } from '../../base/metrics/registry.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import type { RunningChain } from '../setup/avm-chain.ts';
import type { Env } from '../setup/env.ts';
import { createApiMeters } from './api-metrics.ts';

export type NodeMetrics = {
  /** Counts an accepted block. */
  readonly countAccepted: (chainID: Id, block: Block) => void;
  /** Wraps services so that their calls are counted and timed under the name of an endpoint. */
  readonly meter: (endpoint: string, services: Services) => Services;
  /** Counts and times the requests of the Data and Metrics APIs. */
  readonly apiObserver: ResponseObserver;
  readonly families: () => MetricFamily[];
};

/** Values that are read when the metrics are collected. */
export type NodeReadings = {
  readonly chains: () => readonly RunningChain[];
  readonly storeBytes: () => number;
  readonly failingChecks: () => number;
  /** Adds the metrics of a joined network. */
  readonly registerMore?: ((registry: MetricRegistry) => void) | undefined;
};

/** Creates the metrics of this process. A reader process and `serac api` have no `readings`. */
export function createNodeMetrics(env: Env, readings: NodeReadings | undefined): NodeMetrics {
  const registry = createMetricRegistry();
  const meters = createRequestMeters(registry);
  const accepted = new Map<Id, { blocks: number; txs: number }>();
  const process = createProcessReading(env);
  const seconds = () => env.clock.monotonic() / 1000;
  if (readings !== undefined)
    registerReadings(registry, {
      chains: () =>
        readings.chains().map(({ spec, lastAccepted, pendingTxs }) => ({
          chain: spec.aliases[0],
          height: lastAccepted().height,
          mempoolTxs: pendingTxs().txs,
          mempoolBytes: pendingTxs().bytes,
          acceptedBlocks: accepted.get(spec.id)?.blocks ?? 0,
          acceptedTxs: accepted.get(spec.id)?.txs ?? 0,
        })),
      storeBytes: readings.storeBytes,
      failingChecks: readings.failingChecks,
      process,
    });
  if (readings !== undefined)
    registerFollowReadings(registry, () =>
      readings.chains().flatMap(({ spec, follower }) => (follower === undefined ? [] : [readLag(spec.aliases[0], follower.status())])),
    );
  readings?.registerMore?.(registry);
  return {
    countAccepted: (chainID, { txs }) => {
      const totals = accepted.get(chainID) ?? { blocks: 0, txs: 0 };
      accepted.set(chainID, { blocks: totals.blocks + 1, txs: totals.txs + txs.length });
    },
    meter: (endpoint, services) => meterServices(services, (method) => meters(endpoint, method), seconds),
    apiObserver: createApiMeters(registry, seconds),
    families: registry.families,
  };
}

/** Creates the metrics of `serac index`: the process, and the lag behind the followed node while it writes. */
export function createIndexerMetrics(env: Env, readStatus: () => FollowStatus | undefined): () => MetricFamily[] {
  const registry = createMetricRegistry();
  registerProcessReadings(registry, createProcessReading(env));
  const read = (): FollowReading[] => {
    const status = readStatus();
    return status === undefined ? [] : [readLag('X', status)];
  };
  registerFollowReadings(registry, read);
  registry.addReading('gauge', 'serac_chain_height', 'Height of the last accepted block.', () =>
    read().map(({ chain, height }) => [{ chain }, height] as const),
  );
  return registry.families;
}

const readLag = (chain: string, { height, target = height, behindSeconds }: FollowStatus): FollowReading => ({
  chain,
  height,
  lagBlocks: target > height ? target - height : 0n,
  lagSeconds: behindSeconds,
});

function createProcessReading(env: Env): () => ProcessReading {
  const startUnixSeconds = Number(env.clock.unixNanos()) / 1e9 - env.clock.monotonic() / 1000;
  return () => ({ ...env.process(), startUnixSeconds });
}

/** The route `/ext/metrics`: the sum of the metrics of this process and of the node's other processes. */
export const createMetricsRoute = (
  own: NodeMetrics,
  others: () => Promise<readonly (readonly MetricFamily[])[]>,
): readonly [string, HttpRoute] => metricsRoute(async () => sumFamilies([own.families(), ...(await others())]));
