import { type CallFaults, createCallFaults } from '../../api/dev/call-faults.ts';
import { createImpersonation, type Impersonation } from '../../chain/lifecycle/impersonation.ts';
import type { Env } from '../setup/env.ts';

/** State of the developer's chain that the chains and the `dev.*` methods share. */
export type DevParts = {
  readonly impersonation: Impersonation;
  readonly faults: CallFaults;
};

/** `onFaultsChange` is called when calls begin to be delayed or to fail, and when they no longer are. */
export const createDevParts = (env: Env, onFaultsChange: () => void): DevParts => ({
  impersonation: createImpersonation(),
  faults: createCallFaults(env.timers.after, onFaultsChange),
});
