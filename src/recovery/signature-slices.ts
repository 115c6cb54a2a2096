import type { Address } from '../bytes/address.ts';
import type { Signed } from '../crypto/recovery-batch.ts';
import { Fault } from '../fault.ts';
import type { ExpectedSignature } from '../verify/owners.ts';

/**
 * Signatures of transactions that have many, recovered in slices: one slice of one transaction at a time, then one of the next. A
 * transaction with few signatures waits for one slice at most, however many large ones wait.
 */
export type SignatureSlices = {
  /** Signers in order, up to and with the first that is not the owner: the rules ask for no more than these. */
  readonly recover: (hash: Uint8Array, expected: readonly ExpectedSignature[]) => Promise<(Address | undefined)[]>;
};

/** About two milliseconds of work. */
const sliceSize = 32;

/** Each holds a transaction of at most 256 KiB. */
const maxWaiting = 256;

type Ask = (signed: readonly Signed[]) => Promise<(Address | undefined)[]>;

export function signatureSlices(ask: Ask): SignatureSlices {
  const waiting: (() => Promise<void>)[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
    isRunning = false;
  };

  /** One slice when its turn has come, behind all who wait. */
  const inTurn = (signed: readonly Signed[]): Promise<(Address | undefined)[]> =>
    new Promise((resolve, reject) => {
      waiting.push(() => ask(signed).then(resolve, reject));
      if (!isRunning) void run();
    });

  return {
    recover: async (hash, expected) => {
      if (waiting.length >= maxWaiting) throw busy();
      const signers: (Address | undefined)[] = [];
      for (let at = 0; at < expected.length; at += sliceSize) {
        const slice = expected.slice(at, at + sliceSize);
        const answered = await inTurn(slice.map(({ signature }) => ({ hash, signature })));
        signers.push(...answered);
        if (slice.some(({ owner }, i) => owner !== answered[i])) break;
      }
      return signers;
    },
  };
}

const busy = () => new RecoveryError('too many transactions with many signatures are waiting; try again', { code: 'RECOVERY_BUSY' });

export type RecoveryFault = { code: 'RECOVERY_BUSY' };
export class RecoveryError extends Fault<RecoveryFault> {}
