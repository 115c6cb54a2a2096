import { type Tx, unsignedBytes } from '../../avm/tx/tx.ts';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import { sha256 } from '../../base/bytes/hash.ts';
import type { RecoverKey, SignerCache } from '../../base/crypto/recover.ts';
import {
  packRecoveryInputs,
  type RecoveredSigner,
  type RecoveryInput,
  recoverBatch,
  unpackSigners,
} from '../../base/crypto/recovery-batch.ts';
import { Fault } from '../../base/fault.ts';
import { createRestartingThread, type ThreadEnv } from './restarting-thread.ts';
import { createSlicedRecovery } from './sliced-recovery.ts';

/** Recovers signers ahead of verification. */
export type Recovery = ReturnType<typeof createRecovery>;

/**
 * More than this many transactions within this many milliseconds are a burst. It lasts so many milliseconds after that was last the case:
 * while a block is stored nothing arrives, and the transactions after it belong to the same burst.
 */
const burst = { transactions: 24, within: 40, lasts: 200 } as const;

const batchSize = 16;

/** A transaction with more signatures than this (four milliseconds of work) is recovered in slices. */
const sliceThreshold = 64;

/** `expected`: the signatures of the inputs, in the same order. */
type Batch = {
  readonly inputs: RecoveryInput[];
  readonly expected: ExpectedSignature[];
  readonly done: Promise<void>;
  readonly send: () => void;
};

/** Milliseconds without work after which the thread stops. */
const idleTimeout = 10_000;

/**
 * Recovers signers on another core while many transactions arrive; recovery is half of the cost of a transaction. For a single transaction
 * the messages to the thread cost too much, unless it has so many signatures that recovering them here would delay others. So the thread is
 * started by the first burst or the first such transaction, and stops when it has been idle for a while.
 */
export function createRecovery(
  { keys }: Pick<SignerCache, 'keys'>,
  env: ThreadEnv & {
    readonly recoverKey: RecoverKey;
    readonly timers: { readonly soon: (run: () => void) => void; readonly after: (ms: number, run: () => void) => () => void };
    readonly cores: number;
  },
) {
  const thread = createRestartingThread(env);
  let isClosed = false;
  let cancelStop = () => {};
  let batch: Batch | undefined;
  const arrivals: number[] = [];
  let burstUntil = Number.NEGATIVE_INFINITY;

  const isBurst = (): boolean => {
    const now = env.clock.monotonic();
    arrivals.push(now);
    if (arrivals.length > burst.transactions && now - (arrivals.shift() as number) < burst.within) burstUntil = now + burst.lasts;
    return now < burstUntil;
  };

  /** A batch holds what arrives in one turn of the event loop. It is small, so that the first results are used while the thread does the next batch. */
  const newBatch = (): Batch => {
    const inputs: RecoveryInput[] = [];
    const expected: ExpectedSignature[] = [];
    let send = () => {};
    const done = new Promise<void>((resolve, reject) => {
      send = () => {
        if (batch?.inputs === inputs) batch = undefined;
        send = () => {};
        recoverAll(inputs)
          .then((recovered) => setSigners(expected, recovered))
          .then(resolve, reject);
      };
    });
    env.timers.soon(() => send());
    return { inputs, expected, done, send: () => send() };
  };

  /** Recovers signers on the thread. If it failed, does so on this thread in the next turn of the event loop. */
  const recoverAll = async (inputs: readonly RecoveryInput[]): Promise<RecoveredSigner[]> => {
    if (isClosed) throw stopping();
    cancelStop();
    cancelStop = env.timers.after(idleTimeout, thread.stop);
    const packed = packRecoveryInputs(inputs);
    const results = await thread.recover(packed);
    if (results === undefined && !isClosed) await new Promise<void>((resolve) => env.timers.soon(resolve));
    if (isClosed) throw stopping();
    return unpackSigners(results ?? recoverBatch(env.recoverKey, packed), keys);
  };

  const recoverInSlices = createSlicedRecovery(recoverAll);

  return {
    /**
     * Returns undefined if the transaction can be verified at once, else a promise that resolves when the expected signatures have their signers.
     * `expected` lists those that the rules will need; it is called only if recovering ahead may pay off, and no others are recovered. `which`: of
     * many, those after the first wrong one are left out by default.
     */
    recoverAhead: (
      tx: Tx,
      expected: () => readonly ExpectedSignature[],
      which: 'all' | 'until one is wrong' = 'until one is wrong',
    ): Promise<void> | undefined => {
      const inBurst = env.cores >= 2 && isBurst();
      if (!inBurst && signatureCount(tx) <= sliceThreshold) return undefined;
      const signatures = expected();
      if (signatures.length === 0) return undefined;
      const hash = sha256(unsignedBytes(tx));
      if (signatures.length > sliceThreshold)
        return recoverInSlices(hash, signatures, which).then((recovered) => setSigners(signatures, recovered));
      if (!inBurst) return undefined;
      batch ??= newBatch();
      const { inputs, expected: inBatch, done } = batch;
      for (const one of signatures) {
        inputs.push({ hash, signature: one.signature });
        inBatch.push(one);
      }
      if (inputs.length >= batchSize) batch.send();
      return done;
    },
    /** Rejects what is pending. A node closes the recovery last, after its chains and its store: a transaction accepted now would be lost. */
    close: (): void => {
      isClosed = true;
      cancelStop();
      batch?.send();
      thread.stop();
    },
  };
}

function setSigners(expected: readonly ExpectedSignature[], recovered: readonly RecoveredSigner[]): void {
  for (let i = 0; i < expected.length; i++) (expected[i] as ExpectedSignature).signer = recovered[i];
}

const signatureCount = ({ credentials }: Tx): number =>
  credentials.reduce((count, credential) => count + ('signatures' in credential ? credential.signatures.length : 0), 0);

const stopping = () => new StoppingError('transaction not issued: the node is stopping', { code: 'NODE_STOPPING' });

class StoppingError extends Fault<{ code: 'NODE_STOPPING' }> {}
