import { metricsRoute } from '../../api/http/node-routes.ts';
import type { ResponseObserver } from '../../api/rest/dispatch.ts';
import { meterServices, type Services } from '../../api/rpc/method.ts';
import type { DelivererReading } from '../../api/webhooks/deliverer.ts';
import type { Id } from '../../base/bytes/id.ts';
import { processCaches } from '../../base/cache/cache-budget.ts';
import { type MetricFamily, sumFamilies } from '../../base/metrics/family.ts';
import {
  createRequestMeters,
  type FollowReading,
  type ProcessReading,
  registerCacheReadings,
  registerFollowReadings,
  registerProcessReadings,
  registerReadings,
} from '../../base/metrics/node-metrics.ts';
import { createMetricRegistry, type MetricRegistry } from '../../base/metrics/registry.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { type DecidingChain, registerDecisionMetrics } from '../../chain/lifecycle/decision-metrics.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { SoloEngine } from '../../chain/solo/solo.ts';
import type { Env, ProcessEnv, TimeEnv } from '../platform/env.ts';
import { createApiMeters } from './api-metrics.ts';
import type { NamedRoute } from './parts.ts';
import type { RunningChain } from './running-chain.ts';
import { registerDeliveryMetrics } from './webhook-delivery.ts';

/** The metrics of a process: its requests, and what its parts register. */
export type ProcessMetrics = {
  readonly registry: MetricRegistry;
  /** Wraps services so that their calls are counted and timed under the name of an endpoint. */
  readonly meter: (endpoint: string, services: Services) => Services;
  /** Counts and times the requests of the Data and Metrics APIs. */
  readonly apiObserver: ResponseObserver;
};

export function createProcessMetrics(env: TimeEnv): ProcessMetrics {
  const registry = createMetricRegistry();
  const meters = createRequestMeters(registry);
  registerCacheReadings(registry, processCaches.usage);
  const seconds = () => env.clock.monotonic() / 1000;
  return {
    registry,
    meter: (endpoint, services) => meterServices(services, (method) => ({ now: seconds, record: meters(endpoint, method).record })),
    apiObserver: createApiMeters(registry, seconds),
  };
}

/** Values that are read when the metrics are collected. */
type NodeReadings = {
  readonly chains: readonly RunningChain[];
  readonly storeBytes: () => number;
  readonly failingChecks: () => number;
};

/** Counts the blocks, their bytes and transactions that are accepted from now on. */
export function countAccepted(bus: EventBus): (chainID: Id) => { readonly blocks: number; readonly txs: number; readonly bytes: number } {
  const accepted = new Map<Id, { blocks: number; txs: number; bytes: number }>();
  const of = (chainID: Id) => accepted.get(chainID) ?? { blocks: 0, txs: 0, bytes: 0 };
  bus.subscribe('accepted', ({ chainID, stored: { block } }) => {
    const { blocks, txs, bytes } = of(chainID);
    accepted.set(chainID, { blocks: blocks + 1, txs: txs + block.txs.length, bytes: bytes + block.bytes.length });
  });
  return of;
}

/** Registers what a node says about itself and its chains. */
export function registerNodeMetrics(
  registry: MetricRegistry,
  env: Env,
  accepted: ReturnType<typeof countAccepted>,
  { chains, storeBytes, failingChecks }: NodeReadings,
): void {
  registerReadings(registry, {
    chains: () =>
      chains.map(({ spec, lastAccepted, pendingTxs }) => ({
        chain: spec.aliases[0],
        height: lastAccepted().height,
        mempoolTxs: pendingTxs().txs,
        mempoolBytes: pendingTxs().bytes,
        acceptedBlocks: accepted(spec.id).blocks,
        acceptedTxs: accepted(spec.id).txs,
      })),
    storeBytes,
    failingChecks,
    process: createProcessReading(env),
  });
  registerDecisionMetrics(registry, () =>
    chains.flatMap(({ spec, lastAccepted, soloEngine }) =>
      soloEngine === undefined ? [] : [[spec.aliases[0], readDecisions(soloEngine, lastAccepted)] as const],
    ),
  );
  registerFollowReadings(registry, () =>
    chains.flatMap(({ spec, follower }) => (follower === undefined ? [] : [readLag(spec.aliases[0], follower.status())])),
  );
}

/** What a node that decides alone has decided. */
const readDecisions = ({ counters, report }: SoloEngine, lastAccepted: RunningChain['lastAccepted']): DecidingChain => ({
  isBootstrapped: () => true,
  engine: () => ({
    processingBlocks: report().processingBlocks,
    lastAccepted: lastAccepted(),
    lastAcceptedTime: lastAccepted().time,
  }),
  counters,
});

/** Registers how often the supervisor process has restarted the writer process, which is this one. */
export function registerRestarts(registry: MetricRegistry, supervisor: Env['supervisor']): void {
  if (supervisor === undefined) return;
  const help = 'Restarts of the writer process by its supervisor.';
  registry.addReading('counter', 'serac_writer_restarts_total', help, () => [[{}, supervisor.restarts]]);
}

/** Creates the metrics of `serac index`: the process, the lag behind the followed node and the deliveries of webhooks while it writes. */
export function createIndexerMetrics(
  env: Env,
  readStatus: () => FollowStatus | undefined,
  readDeliveries: () => DelivererReading | undefined,
): () => MetricFamily[] {
  const registry = createMetricRegistry();
  registerProcessReadings(registry, createProcessReading(env));
  const read = (): FollowReading[] => {
    const status = readStatus();
    return status === undefined ? [] : [readLag('X', status)];
  };
  registerFollowReadings(registry, read);
  registerDeliveryMetrics(registry, readDeliveries);
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

function createProcessReading(env: ProcessEnv & TimeEnv): () => ProcessReading {
  const startUnixSeconds = Number(env.clock.unixNanos()) / 1e9 - env.clock.monotonic() / 1000;
  return () => ({ ...env.process(), startUnixSeconds });
}

/** The route `/ext/metrics`: the sum of the metrics of this process and of the node's other processes. */
export const createMetricsRoute = ({ registry }: ProcessMetrics, others: () => Promise<readonly (readonly MetricFamily[])[]>): NamedRoute =>
  metricsRoute(async () => sumFamilies([registry.families(), ...(await others())]));
