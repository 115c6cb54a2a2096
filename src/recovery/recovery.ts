import type { Address } from '../bytes/address.ts';
import { sha256 } from '../bytes/hash.ts';
import type { RecoverKey } from '../crypto/curve.ts';
import type { SignerCache } from '../crypto/recover.ts';
import { packSigned, recoverBatch, type Signed, unpackSigners } from '../crypto/recovery-batch.ts';
import { Fault } from '../fault.ts';
import { signedPart, type Tx } from '../tx/tx.ts';
import type { ExpectedSignature } from '../verify/owners.ts';
import { signatureSlices } from './signature-slices.ts';
import { createSignerThread, type ThreadEnv } from './signer-thread.ts';

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
  /** Rejects what is pending: a transaction taken now would be lost. */
  readonly close: () => void;
};

export type RecoveryEnv = ThreadEnv & {
  readonly recoverKey: RecoverKey;
  readonly timers: { readonly soon: (run: () => void) => void; readonly after: (ms: number, run: () => void) => () => void };
  readonly cores: number;
};

/** So many transactions within so many milliseconds are a rush. */
const rush = { transactions: 24, within: 40 } as const;

const batchSize = 8;

/** More signatures than this, four milliseconds of work, are recovered in slices. */
const many = 64;

type Batch = { readonly signed: Signed[]; readonly done: Promise<void>; readonly send: () => void };

/** Milliseconds without a rush after which the thread ends. */
const quiet = 10_000;

export function createRecovery(signers: SignerCache, env: RecoveryEnv): Recovery {
  const thread = createSignerThread(env);
  let isClosed = false;
  let cancelEnd = () => {};
  let batch: Batch | undefined;
  const times: number[] = [];

  const isRush = (): boolean => {
    const now = env.clock.monotonic();
    times.push(now);
    return times.length > rush.transactions && now - (times.shift() as number) < rush.within;
  };

  const close = (): void => {
    isClosed = true;
    cancelEnd();
    batch?.send();
    thread.end();
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

  /** If the thread failed, this thread does its work, after what else is waiting for it. */
  const ask = async (signed: readonly Signed[]): Promise<(Address | undefined)[]> => {
    if (isClosed) throw stopping();
    cancelEnd();
    cancelEnd = env.timers.after(quiet, thread.end);
    const packed = packSigned(signed);
    const answer = await thread.ask(packed);
    if (answer === undefined && !isClosed) await new Promise<void>((resolve) => env.timers.soon(resolve));
    if (isClosed) throw stopping();
    return unpackSigners(answer ?? recoverBatch(env.recoverKey, packed));
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

const stopping = () => new StoppingError('transaction not issued: the node is stopping', { code: 'NODE_STOPPING' });

export class StoppingError extends Fault<{ code: 'NODE_STOPPING' }> {}
