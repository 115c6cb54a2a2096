import type { RegisteredStakes } from '../protocol/validators.ts';
import { createByteBudget } from './byte-budget.ts';
import { createCpuShares, createHandlingSlices } from './cpu-share.ts';
import type { NetworkOptions } from './network-flags.ts';
import { createUnreadBytes } from './read-gate.ts';
import { createSharedBandwidth } from './shared-bandwidth.ts';
import type { PeerTiming } from './timing.ts';

/** What all peers together may use of this node. network.ts makes it; every peer takes from it. */
export type PeerLimits = ReturnType<typeof createPeerLimits>;

export const createPeerLimits = (options: NetworkOptions, stakes: RegisteredStakes, bls: BlsFunctions, timing: PeerTiming) => ({
  blsChecks: createBlsChecks(bls, timing),
  /** Bytes of received messages that are not handled yet. */
  inbound: createByteBudget(
    { atLarge: options.inboundAtLargeBytes, nodeAtLarge: options.inboundNodeBytes, validators: options.inboundValidatorBytes },
    stakes,
  ),
  /** Bytes that have arrived before there is room for their messages. */
  unread: createUnreadBytes(stakes, timing),
  /** Bandwidth of all peers without stake. */
  shared: createSharedBandwidth(stakes, timing),
  /** Bytes of messages that wait to be sent. */
  outbound: createByteBudget(
    { atLarge: options.outboundAtLargeBytes, nodeAtLarge: options.outboundNodeBytes, validators: options.outboundValidatorBytes },
    stakes,
  ),
  slices: createHandlingSlices(stakes, timing.now()),
  cpu: createCpuShares(
    {
      validators: options.cpuValidators,
      others: options.cpuOthers,
      otherNode: options.cpuOtherNode,
      halfLife: options.cpuHalfLife,
      recheckDelay: options.cpuRecheckDelay,
    },
    stakes,
    timing.now(),
    timing.cpuTime,
  ),
});

/** A check of a BLS signature: that it is a valid point and, for a validator with a registered key, that it is by this key. */
type BlsCheck = { readonly publicKey: Uint8Array | undefined; readonly message: Uint8Array; readonly signature: Uint8Array };

type BlsFunctions = {
  readonly isSignature: (signature: Uint8Array) => Promise<boolean>;
  readonly verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;
};

/** The most checks that wait: of validators, and of others. */
const maxWaiting = 256;
const pauseFactor = 3;

type WaitingCheck = { readonly check: BlsCheck; readonly resolve: (isValid: boolean) => void };

/**
 * Checks one BLS signature after the other. A check blocks the event loop for several milliseconds, so after each one at least three times as long
 * is left for other work: connections can take at most a quarter of the time. Validators with a registered key come first.
 */
export function createBlsChecks({ isSignature, verify }: BlsFunctions, timing: Pick<PeerTiming, 'now' | 'after'>) {
  const [registered, others]: [WaitingCheck[], WaitingCheck[]] = [[], []];
  let isRunning = false;

  const runOne = async ({ publicKey, message, signature }: BlsCheck): Promise<boolean> =>
    (await isSignature(signature)) && (publicKey === undefined || (await verify(publicKey, message, signature)));

  const runNext = async (): Promise<void> => {
    const next = registered.shift() ?? others.shift();
    isRunning = next !== undefined;
    if (next === undefined) return;
    const began = timing.now();
    next.resolve(await runOne(next.check).catch(() => false));
    timing.after(pauseFactor * (timing.now() - began), () => void runNext());
  };

  return {
    /** Resolves to the result; undefined if too many checks wait already. */
    check: (check: BlsCheck): Promise<boolean | undefined> => {
      const queue = check.publicKey === undefined ? others : registered;
      if (queue.length >= maxWaiting) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        queue.push({ check, resolve });
        if (!isRunning) void runNext();
      });
    },
  };
}
