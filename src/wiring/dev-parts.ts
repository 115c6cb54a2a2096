import type { Id } from '../bytes/id.ts';
import type { EventBus } from '../chain/events.ts';
import { createImpersonation, type Impersonation } from '../chain/impersonation.ts';
import { type CallFaults, createCallFaults } from '../dev/call-faults.ts';
import { createTxLifecycle, type TxLifecycle } from '../dev/tx-lifecycle.ts';
import type { Env } from './env.ts';
import type { NetworkContext } from './network-context.ts';
import type { TxObserver } from './observed-issue.ts';

/** State of the developer's chain that the chains and the `dev.*` methods share. */
export type DevParts = {
  readonly impersonation: Impersonation;
  readonly lifecycle: TxLifecycle;
  readonly faults: CallFaults;
  /** The observer of a chain's transactions; only those of the X-Chain are recorded. */
  readonly observerOf: (chainID: Id) => TxObserver | undefined;
};

/** `onFaultsChange` is called when calls begin to be delayed or to fail, and when they no longer are. */
export function createDevParts(env: Env, { specs }: NetworkContext, events: EventBus, onFaultsChange: () => void): DevParts {
  const lifecycle = createTxLifecycle(specs[0].id, events, env.clock.unixNanos);
  const observer: TxObserver = {
    onReceived: ({ id }) => lifecycle.record(id, 'received'),
    onVerified: ({ id }) => lifecycle.record(id, 'verified'),
    onRefused: ({ id }, reason) => lifecycle.recordRefused(id, reason),
  };
  return {
    impersonation: createImpersonation(),
    lifecycle,
    faults: createCallFaults(env.timers.after, onFaultsChange),
    observerOf: (chainID) => (chainID === specs[0].id ? observer : undefined),
  };
}
