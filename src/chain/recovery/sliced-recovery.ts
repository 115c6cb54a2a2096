import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { RecoveredSigner, RecoveryInput } from '../../base/crypto/recovery-batch.ts';
import { Fault } from '../../base/fault.ts';

/** Signatures per slice: about two milliseconds of work. */
const sliceSize = 32;

/** Limit of waiting slices. Each holds a transaction of at most 256 KiB in memory. */
const maxWaiting = 256;

/**
 * Returns a function that recovers the signers of a transaction with many signatures, in order and in slices. Transactions take turns, one slice
 * each, so one with few signatures waits for at most one slice. `'until one is wrong'`: it stops after the slice with the first signer that is not the
 * owner, since the rules need no more.
 */
export function createSlicedRecovery(recoverSlice: (inputs: readonly RecoveryInput[]) => Promise<RecoveredSigner[]>) {
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

  return async (
    hash: Uint8Array,
    expected: readonly ExpectedSignature[],
    which: 'all' | 'until one is wrong',
  ): Promise<RecoveredSigner[]> => {
    if (waiting.length >= maxWaiting) throw tooBusy();
    const signers: RecoveredSigner[] = [];
    for (let at = 0; at < expected.length; at += sliceSize) {
      const slice = expected.slice(at, at + sliceSize);
      const recovered = await enqueue(slice.map(({ signature }) => ({ hash, signature })));
      signers.push(...recovered);
      if (which === 'until one is wrong' && slice.some(({ owner }, i) => owner !== recovered[i])) break;
    }
    return signers;
  };
}

const tooBusy = () => new RecoveryError('too many transactions with many signatures are waiting; try again', { code: 'RECOVERY_BUSY' });

type RecoveryFault = { code: 'RECOVERY_BUSY' };
class RecoveryError extends Fault<RecoveryFault> {}
