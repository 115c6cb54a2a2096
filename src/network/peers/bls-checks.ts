import type { PeerTiming } from './timing.ts';

/** A check of a BLS signature: that it is a valid point and, for a validator with a registered key, that it is by this key. */
type BlsCheck = { readonly publicKey: Uint8Array | undefined; readonly message: Uint8Array; readonly signature: Uint8Array };

export type BlsFunctions = {
  readonly isSignature: (signature: Uint8Array) => Promise<boolean>;
  readonly verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;
};

/**
 * Checks one signature after the other. A check blocks the event loop for several milliseconds, so after each one at least three times as long
 * is left for other work: connections can take at most a quarter of the time. Validators with a registered key come first.
 */
export type BlsChecks = {
  /** Resolves to the result; undefined if too many checks wait already. */
  readonly check: (check: BlsCheck) => Promise<boolean | undefined>;
};

/** The most checks that wait: of validators, and of others. */
const maxWaiting = 256;
const pauseFactor = 3;

type WaitingCheck = { readonly check: BlsCheck; readonly resolve: (isValid: boolean) => void };

export function createBlsChecks({ isSignature, verify }: BlsFunctions, timing: Pick<PeerTiming, 'now' | 'after'>): BlsChecks {
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
    check: (check) => {
      const queue = check.publicKey === undefined ? others : registered;
      if (queue.length >= maxWaiting) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        queue.push({ check, resolve });
        if (!isRunning) void runNext();
      });
    },
  };
}
