import type { Id } from '../bytes/id.ts';
import { createBackoff } from '../timing/backoff.ts';
import { isPassing } from './fault.ts';
import { pause, type Timing } from './pause.ts';
import type { Remote } from './remote.ts';

export type PatienceOptions = {
  readonly timing: Timing;
  readonly signal: AbortSignal;
  /** How often a question is asked before its failure counts. */
  readonly tries?: number;
};

const backoff = { first: 100, longest: 2000 } as const;

/** A node that stumbles is asked again, a few times. What it refuses it has answered. */
export function patient(remote: Remote, { timing, signal, tries = 3 }: PatienceOptions): Remote {
  const again =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const { next } = createBackoff(backoff, timing.random);
      for (let left = tries - 1; ; left--)
        try {
          return await ask(...args);
        } catch (error) {
          if (left === 0 || !isPassing(error)) throw error;
          await pause(timing, next(), signal);
        }
    };
  return {
    ...remote,
    networkID: again(remote.networkID),
    blockchainID: again(remote.blockchainID),
    height: again(remote.height),
    blockAt: again(remote.blockAt),
    tx: again(remote.tx),
    txStatus: again(remote.txStatus),
    utxos: again(remote.utxos),
    foreignTx: again(remote.foreignTx),
  };
}

/** What callers of this program wait for, by what the node is asked. */
export type Prompt = Pick<Remote, 'height' | 'tx' | 'txStatus' | 'issueTx' | 'issueInTurn'>;

/** Milliseconds in which a caller is answered, whatever the node does. */
const promptLimit = 4500;

/**
 * The same for callers who wait: asked again only while time is left, and each time no longer than that. Issuing twice does no harm: a
 * node takes a transaction that already waits there for a success.
 */
export function prompt(remote: Prompt, { timing, signal, tries = 3 }: PatienceOptions): Prompt {
  const again =
    <A extends unknown[], T>(ask: (timeout: number, ...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const { next } = createBackoff(backoff, timing.random);
      const end = timing.now() + promptLimit;
      for (let left = tries - 1; ; left--)
        try {
          return await ask(end - timing.now(), ...args);
        } catch (error) {
          const wait = next();
          if (left === 0 || !isPassing(error) || timing.now() + wait >= end) throw error;
          await pause(timing, wait, signal);
        }
    };
  return {
    height: again((timeout) => remote.height(timeout)),
    tx: again((timeout, id: Id) => remote.tx(id, timeout)),
    txStatus: again((timeout, id: Id) => remote.txStatus(id, timeout)),
    issueTx: again((timeout, bytes: Uint8Array) => remote.issueTx(bytes, timeout)),
    issueInTurn: again((timeout, bytes: Uint8Array) => remote.issueInTurn(bytes, timeout)),
  };
}
