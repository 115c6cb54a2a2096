import type { Address } from '../bytes/address.ts';
import { sha256 } from '../bytes/hash.ts';
import type { Signers } from '../crypto/recover.ts';
import { packSigned, type Signed, unpackSigners } from '../crypto/recovery-batch.ts';
import { signedPart, type Tx } from '../tx/tx.ts';
import type { ExpectedSignature } from '../verify/owners.ts';
import type { Env } from './env.ts';
import { signatureSlices } from './signature-slices.ts';

/**
 * Signers recovered on another core while many transactions come in: half of what a transaction costs. A single one is not worth the
 * way there and back, unless it has so many signatures that recovering them here would delay others. So the thread is started by the
 * first rush or the first such transaction and ends when it has been quiet for a while.
 */
export type Recovery = {
  /**
   * Undefined: go on at once. Else the signers will be known when it resolves. `expected` tells which signatures the rules will ask for;
   * it is called only if they may be worth recovering, and what it leaves out is never recovered.
   */
  readonly prepare: (tx: Tx, expected: () => readonly ExpectedSignature[]) => Promise<void> | undefined;
  readonly close: () => void;
};

/** So many transactions within so many milliseconds are a rush. */
const rush = { transactions: 24, within: 40 } as const;

const batchSize = 8;

/** More signatures than this, four milliseconds of work, are recovered in slices. */
const many = 64;

type Batch = { readonly signed: Signed[]; readonly done: Promise<void>; readonly send: () => void };

/** Milliseconds without a rush after which the thread ends. */
const quiet = 10_000;

export function createRecovery(signers: Signers, env: Pick<Env, 'openRecoveryThread' | 'timers' | 'clock' | 'cores'>): Recovery {
  let thread: ReturnType<Env['openRecoveryThread']> | undefined;
  let cancelEnd = () => {};
  let batch: Batch | undefined;
  const times: number[] = [];

  const isRush = (): boolean => {
    const now = env.clock.monotonic();
    times.push(now);
    return times.length > rush.transactions && now - (times.shift() as number) < rush.within;
  };

  const close = (): void => {
    cancelEnd();
    thread?.close();
    thread = undefined;
  };

  /** A batch is what arrives in one turn of the event loop, cut small: the first answers go out while the thread is at the next batch. */
  const newBatch = (): Batch => {
    const signed: Signed[] = [];
    let send = () => {};
    const done = new Promise<void>((resolve, reject) => {
      send = () => {
        if (batch?.signed === signed) batch = undefined;
        send = () => {};
        ask(signed)
          .then((answered) => remember(signed, answered))
          .then(resolve, reject);
      };
    });
    env.timers.soon(() => send());
    return { signed, done, send: () => send() };
  };

  const ask = async (signed: readonly Signed[]): Promise<(Address | undefined)[]> => {
    thread ??= env.openRecoveryThread();
    cancelEnd();
    cancelEnd = env.timers.after(quiet, close);
    return unpackSigners(await thread.ask(packSigned(signed)));
  };

  const remember = (signed: readonly Signed[], answered: readonly (Address | undefined)[]): void => {
    for (const [i, { hash, signature }] of signed.entries()) {
      const signer = answered[i];
      if (signer !== undefined) signers.remember(hash, signature, signer);
    }
  };

  const slices = signatureSlices(ask);

  return {
    prepare: (tx, expected) => {
      const inRush = env.cores >= 2 && isRush();
      if (!inRush && signatureCount(tx) <= many) return undefined;
      const wanted = expected();
      if (wanted.length === 0) return undefined;
      const hash = sha256(signedPart(tx));
      const own = wanted.map(({ signature }) => ({ hash, signature }));
      // All at once and right before the rules ask: none of them is evicted by then.
      if (wanted.length > many) return slices.recover(hash, wanted).then((answered) => remember(own, answered));
      if (!inRush) return undefined;
      batch ??= newBatch();
      const { signed, done } = batch;
      signed.push(...own);
      if (signed.length >= batchSize) batch.send();
      return done;
    },
    close,
  };
}

const signatureCount = ({ credentials }: Tx): number =>
  credentials.reduce((count, credential) => count + ('signatures' in credential ? credential.signatures.length : 0), 0);
