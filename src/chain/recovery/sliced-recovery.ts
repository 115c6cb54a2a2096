import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { RecoveredSigner, RecoveryInput } from '../../base/crypto/recovery-batch.ts';
import { Fault } from '../../base/fault.ts';

/**
 * Recovers signatures of transactions that have many in slices, round robin: one slice of one transaction, then one of the next. A
 * transaction with few signatures waits for at most one slice.
 */
type SlicedRecovery = {
  /** Returns signers in order. Unless `recoverAll`, it stops after the slice with the first signer that is not the owner: the rules need no more. */
  readonly recover: (hash: Uint8Array, expected: readonly ExpectedSignature[], recoverAll: boolean) => Promise<RecoveredSigner[]>;
};

/** Signatures per slice: about two milliseconds of work. */
const sliceSize = 32;

/** Limit of waiting slices. Each holds a transaction of at most 256 KiB in memory. */
const maxWaiting = 256;

type RecoverSlice = (inputs: readonly RecoveryInput[]) => Promise<RecoveredSigner[]>;

export function createSlicedRecovery(recoverSlice: RecoverSlice): SlicedRecovery {
  const waiting: (() => Promise<void>)[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
    isRunning = false;
  };

  /** Recovers a slice after all slices that are already waiting. */
  const enqueue = (inputs: readonly RecoveryInput[]): Promise<RecoveredSigner[]> =>
    new Promise((resolve, reject) => {
      waiting.push(() => recoverSlice(inputs).then(resolve, reject));
      if (!isRunning) void run();
    });

  return {
    recover: async (hash, expected, recoverAll) => {
      if (waiting.length >= maxWaiting) throw tooBusy();
      const signers: RecoveredSigner[] = [];
      for (let at = 0; at < expected.length; at += sliceSize) {
        const slice = expected.slice(at, at + sliceSize);
        const recovered = await enqueue(slice.map(({ signature }) => ({ hash, signature })));
        signers.push(...recovered);
        if (!recoverAll && slice.some(({ owner }, i) => owner !== recovered[i])) break;
      }
      return signers;
    },
  };
}

const tooBusy = () => new RecoveryError('too many transactions with many signatures are waiting; try again', { code: 'RECOVERY_BUSY' });

type RecoveryFault = { code: 'RECOVERY_BUSY' };
class RecoveryError extends Fault<RecoveryFault> {}
