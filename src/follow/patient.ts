import { isPassing } from './fault.ts';
import { createBackoff, pause, type Timing } from './pause.ts';
import type { Remote } from './remote.ts';

export type PatienceOptions = {
  readonly timing: Timing;
  readonly signal: AbortSignal;
  /** How often a question is asked before its failure counts. */
  readonly tries?: number;
};

const backoff = { first: 100, longest: 2000 } as const;

/** A node that stumbles is asked again, a few times. What it refuses it has answered. Issuing twice does no harm: it is one transaction. */
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
    issueTx: again(remote.issueTx),
    issueInTurn: again(remote.issueInTurn),
  };
}
