import type { ResponseObserver } from '../api/dispatch.ts';
import type { Id } from '../bytes/id.ts';
import { metricsRoute } from '../http/node-routes.ts';
import type { HttpRoute } from '../http/router.ts';
import { type MetricFamily, sumFamilies } from '../metrics/family.ts';
import { createRequestMeters, registerReadings } from '../metrics/node-metrics.ts';
import { createMetricRegistry } from '../metrics/registry.ts';
import { meterServices } from '../rpc/meter-services.ts';
import type { Services } from '../rpc/method.ts';
import type { Block } from '../tx/block.ts';
import { createApiMeters } from './api-metrics.ts';
import type { RunningChain } from './avm-chain.ts';
import type { Env } from './env.ts';

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
};

/** Creates the metrics of this process. A reader process and `serac api` have no `readings`. */
export function createNodeMetrics(env: Env, readings: NodeReadings | undefined): NodeMetrics {
  const registry = createMetricRegistry();
  const meters = createRequestMeters(registry);
  const accepted = new Map<Id, { blocks: number; txs: number }>();
  const started = Number(env.clock.unixNanos()) / 1e9 - env.clock.monotonic() / 1000;
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
      process: () => ({ ...env.process(), startUnixSeconds: started }),
    });
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

/** The route `/ext/metrics`: the sum of the metrics of this process and of the node's other processes. */
export const createMetricsRoute = (
  own: NodeMetrics,
  others: () => Promise<readonly (readonly MetricFamily[])[]>,
): readonly [string, HttpRoute] => metricsRoute(async () => sumFamilies([own.families(), ...(await others())]));
