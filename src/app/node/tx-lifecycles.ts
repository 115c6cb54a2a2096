import type { Id } from '../../base/bytes/id.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { TxObserver } from '../../chain/lifecycle/tx-issuer.ts';
import { createTxLifecycle, type TxLifecycle } from '../../chain/lifecycle/tx-lifecycle.ts';
import type { TimeEnv } from '../platform/env.ts';
import type { NetworkContext } from './network-context.ts';

/** What became of the transactions of each chain; for the `dev.*` methods and the explorer routes. */
export type TxLifecycles = {
  readonly of: (chainID: Id) => TxLifecycle;
  readonly observerOf: (chainID: Id) => TxObserver;
};

export function createTxLifecycles(env: TimeEnv, { specs }: NetworkContext, events: EventBus): TxLifecycles {
  const lifecycles = new Map(specs.map(({ id }) => [id, createTxLifecycle(id, events, env.clock.unixNanos)]));
  const of = (chainID: Id): TxLifecycle => lifecycles.get(chainID) as TxLifecycle;
  return {
    of,
    observerOf: (chainID) => {
      const lifecycle = of(chainID);
      return {
        onReceived: ({ id }) => lifecycle.record(id, 'received'),
        onVerified: ({ id }) => lifecycle.record(id, 'verified'),
        onRefused: lifecycle.recordRefused,
      };
    },
  };
}
