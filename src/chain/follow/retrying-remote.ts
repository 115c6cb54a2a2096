import type { Id } from '../../base/bytes/id.ts';
import { createBackoff } from '../../base/timing/backoff.ts';
import { isTemporary } from './fault.ts';
import type { Remote } from './remote.ts';
import { abortableSleep, type Timing } from './timing.ts';

type RetryOptions = {
  readonly timing: Timing;
  readonly signal: AbortSignal;
  /** Number of attempts before the error is thrown. */
  readonly maxAttempts?: number;
};

const backoffLimits = { first: 100, max: 2000 } as const;

/** Retries requests after temporary errors. A FOLLOW_REFUSED error is a response and is not retried. */
export function withRetries(remote: Remote, { timing, signal, maxAttempts = 3 }: RetryOptions): Remote {
  const retried =
    <A extends unknown[], T>(request: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const { next } = createBackoff(backoffLimits, timing.random);
      for (let left = maxAttempts - 1; ; left--)
        try {
          return await request(...args);
        } catch (error) {
          if (left === 0 || !isTemporary(error)) throw error;
          await abortableSleep(timing, next(), signal);
        }
    };
  return {
    ...remote,
    networkID: retried(remote.networkID),
    blockchainID: retried(remote.blockchainID),
    height: retried(remote.height),
    blockAt: retried(remote.blockAt),
    tx: retried(remote.tx),
    txStatus: retried(remote.txStatus),
    utxos: retried(remote.utxos),
    foreignTx: retried(remote.foreignTx),
  };
}

/** The requests that callers of our API wait for. */
type CallerRemote = Pick<Remote, 'height' | 'tx' | 'txStatus' | 'issueTx' | 'issueWalletTx'>;

/** Milliseconds after which a caller gets a response, with all retries. */
const callerDeadline = 4500;

/**
 * The same with a deadline over all attempts, for requests that callers wait for. Issuing a transaction twice is safe: a node that already
 * has it in its mempool reports success.
 */
export function withDeadline(remote: CallerRemote, { timing, signal, maxAttempts = 3 }: RetryOptions): CallerRemote {
  const retried =
    <A extends unknown[], T>(request: (timeout: number, ...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const { next } = createBackoff(backoffLimits, timing.random);
      const end = timing.now() + callerDeadline;
      for (let left = maxAttempts - 1; ; left--)
        try {
          return await request(end - timing.now(), ...args);
        } catch (error) {
          const wait = next();
          if (left === 0 || !isTemporary(error) || timing.now() + wait >= end) throw error;
          await abortableSleep(timing, wait, signal);
        }
    };
  return {
    height: retried((timeout) => remote.height(timeout)),
    tx: retried((timeout, id: Id) => remote.tx(id, timeout)),
    txStatus: retried((timeout, id: Id) => remote.txStatus(id, timeout)),
    issueTx: retried((timeout, bytes: Uint8Array) => remote.issueTx(bytes, timeout)),
    issueWalletTx: retried((timeout, bytes: Uint8Array) => remote.issueWalletTx(bytes, timeout)),
  };
}
