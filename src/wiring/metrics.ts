import type { Observer } from '../api/dispatch.ts';
import type { Id } from '../bytes/id.ts';
import { metricsRoute } from '../http/metrics-route.ts';
import type { Route } from '../http/router.ts';
import { type Family, sumFamilies } from '../metrics/family.ts';
import { registerReadings, requestMeters } from '../metrics/node-metrics.ts';
import { createRegistry } from '../metrics/registry.ts';
import { metered } from '../rpc/metered.ts';
import type { Services } from '../rpc/method.ts';
import type { Block } from '../tx/block.ts';
import { apiMeters } from './api-metrics.ts';
import type { RunningChain } from './avm-chain.ts';
import type { Env } from './env.ts';

export type NodeMetrics = {
  /** Counts an accepted block. */
  readonly accepted: (chainID: Id, block: Block) => void;
  /** The same services, their calls counted under an endpoint's name. */
  readonly of: (endpoint: string, services: Services) => Services;
  /** Requests of the Data and Metrics interfaces. */
  readonly api: Observer;
  readonly families: () => Family[];
};

export type Readings = {
  readonly chains: () => readonly RunningChain[];
  readonly storeBytes: () => number;
  readonly failingChecks: () => number;
};

/** Everything counted and measured in this process. A process that only reads has no readings of its own. */
export function nodeMetrics(env: Env, readings: Readings | undefined): NodeMetrics {
  const registry = createRegistry();
  const meters = requestMeters(registry);
  const accepted = new Map<Id, { blocks: number; txs: number }>();
  const started = Number(env.clock.unixNanos()) / 1e9 - env.clock.monotonic() / 1000;
  const seconds = () => env.clock.monotonic() / 1000;
  if (readings !== undefined)
    registerReadings(registry, {
      chains: () =>
        readings.chains().map(({ spec, lastAccepted, waiting }) => ({
          chain: spec.aliases[0],
          height: lastAccepted().height,
          mempoolTxs: waiting().txs,
          mempoolBytes: waiting().bytes,
          acceptedBlocks: accepted.get(spec.id)?.blocks ?? 0,
          acceptedTxs: accepted.get(spec.id)?.txs ?? 0,
        })),
      storeBytes: readings.storeBytes,
      failingChecks: readings.failingChecks,
      process: () => ({ ...env.process(), startUnixSeconds: started }),
    });
  return {
    accepted: (chainID, { txs }) => {
      const so = accepted.get(chainID) ?? { blocks: 0, txs: 0 };
      accepted.set(chainID, { blocks: so.blocks + 1, txs: so.txs + txs.length });
    },
    of: (endpoint, services) => metered(services, (method) => meters(endpoint, method), seconds),
    api: apiMeters(registry, seconds),
    families: registry.families,
  };
}

/** `/ext/metrics` over this process and the others of the node. */
export const metricsOf = (own: NodeMetrics, others: () => Promise<readonly (readonly Family[])[]>): readonly [string, Route] =>
  metricsRoute(async () => sumFamilies([own.families(), ...(await others())]));
