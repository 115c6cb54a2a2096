import { sha256 } from '../bytes/hash.ts';
import type { Signers } from '../crypto/recover.ts';
import { packSigned, type Signed, unpackSigners } from '../crypto/recovery-batch.ts';
import { Fault } from '../fault.ts';
import { signedPart, type Tx } from '../tx/tx.ts';
import type { Env } from './env.ts';
import { createSignerThread } from './signer-thread.ts';

/**
 * Signers recovered on another core while many transactions come in: half of what a transaction costs. A single one is not worth the
 * way there and back, so the thread is started by the first rush and ends when it has been quiet for a while.
 */
export type Recovery = {
  /** Undefined: go on at once. Else the signers will be known when it resolves, unless the thread failed: then the rules recover them. */
  readonly prepare: (tx: Tx) => Promise<void> | undefined;
  /** Rejects what is pending: a transaction taken now would be lost. */
  readonly close: () => void;
};

/** So many transactions within so many milliseconds are a rush. */
const rush = { transactions: 24, within: 40 } as const;

const batchSize = 8;

type Batch = { readonly signed: Signed[]; readonly done: Promise<void>; readonly send: () => void };

/** Milliseconds without a rush after which the thread ends. */
const quiet = 10_000;

export function createRecovery(signers: Signers, env: Pick<Env, 'openRecoveryThread' | 'timers' | 'clock' | 'cores' | 'log'>): Recovery {
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
        ask(signed).then(resolve, reject);
      };
    });
    env.timers.soon(() => send());
    return { signed, done, send: () => send() };
  };

  const ask = async (signed: readonly Signed[]): Promise<void> => {
    if (isClosed) throw stopping();
    cancelEnd();
    cancelEnd = env.timers.after(quiet, thread.end);
    const answer = await thread.ask(packSigned(signed));
    if (isClosed) throw stopping();
    if (answer === undefined) return;
    const answered = unpackSigners(answer);
    for (const [i, { hash, signature }] of signed.entries()) {
      const signer = answered[i];
      if (signer !== undefined) signers.remember(hash, signature, signer);
    }
  };

  return {
    prepare: (tx) => {
      if (env.cores < 2 || !isRush()) return undefined;
      batch ??= newBatch();
      const { signed, done } = batch;
      const hash = sha256(signedPart(tx));
      for (const credential of tx.credentials)
        if ('signatures' in credential) for (const signature of credential.signatures) signed.push({ hash, signature });
      if (signed.length >= batchSize) batch.send();
      return done;
    },
    close,
  };
}

const stopping = () => new RecoveryError('transaction not issued: the node is stopping', { code: 'NODE_STOPPING' });

export class RecoveryError extends Fault<{ code: 'NODE_STOPPING' }> {}
