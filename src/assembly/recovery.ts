import { sha256 } from '../bytes/hash.ts';
import type { Signers } from '../crypto/recover.ts';
import { packSigned, type Signed, unpackSigners } from '../crypto/recovery-batch.ts';
import { signedPart, type Tx } from '../tx/tx.ts';
import type { Env } from './env.ts';

/**
 * Signers recovered on another core while many transactions come in: half of what a transaction costs. A single one is not worth the
 * way there and back, so the thread is started by the first rush and ends when it has been quiet for a while.
 */
export type Recovery = {
  /** Undefined: go on at once. Else the signers will be known when it resolves. */
  readonly prepare: (tx: Tx) => Promise<void> | undefined;
  readonly close: () => void;
};

/** So many transactions within so many milliseconds are a rush. */
const rush = { transactions: 24, within: 40 } as const;

/** Milliseconds without a rush after which the thread ends. */
const quiet = 10_000;

export function createRecovery(signers: Signers, env: Pick<Env, 'openRecoveryThread' | 'timers' | 'clock' | 'cores'>): Recovery {
  let thread: ReturnType<Env['openRecoveryThread']> | undefined;
  let cancelEnd = () => {};
  let asked: Signed[] = [];
  let flushed: Promise<void> | undefined;
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

  /** All that arrives in one turn of the event loop goes in one message. */
  const flush = (): Promise<void> =>
    new Promise((resolve, reject) =>
      env.timers.soon(() => {
        const batch = asked;
        asked = [];
        flushed = undefined;
        thread ??= env.openRecoveryThread();
        cancelEnd();
        cancelEnd = env.timers.after(quiet, close);
        thread.ask(packSigned(batch)).then((answered) => {
          for (const [i, signer] of unpackSigners(answered).entries()) {
            const one = batch[i] as Signed;
            if (signer !== undefined) signers.remember(one.hash, one.signature, signer);
          }
          resolve();
        }, reject);
      }),
    );

  return {
    prepare: (tx) => {
      if (env.cores < 2 || !isRush()) return undefined;
      const hash = sha256(signedPart(tx));
      for (const credential of tx.credentials)
        if ('signatures' in credential) for (const signature of credential.signatures) asked.push({ hash, signature });
      flushed ??= flush();
      return flushed;
    },
    close,
  };
}
