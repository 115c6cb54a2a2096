import type { Id } from '../bytes/id.ts';
import { CodecError } from '../codec/fault.ts';
import type { Utxo } from '../tx/utxo.ts';
import { exportedOutputs } from './exported-output.ts';
import { FollowError, isPassing } from './fault.ts';
import { pause, type Timing } from './pause.ts';
import type { ForeignChain, Remote } from './remote.ts';

/** What transactions of the other chains have exported to this one, asked of the node that runs them too. */
export type Exports = {
  /** All that a transaction exported here; undefined if nobody can tell. */
  readonly of: (from: Id, txID: Id) => Promise<readonly Utxo[] | undefined>;
};

export type ExportsDeps = {
  readonly remote: Pick<Remote, 'foreignTx' | 'height'>;
  /** This chain, and the others by what the node calls them. */
  readonly chainID: Id;
  readonly foreign: { readonly [C in ForeignChain]: Id };
  readonly timing: Timing;
  readonly signal: AbortSignal;
};

/** A chain that does not answer while this one does: how long it is waited for, and how long it is then left alone. */
const patience = { wait: 5000, between: 500, rest: 60_000 } as const;

const remembered = 512;

export function createExports({ remote, chainID, foreign, timing, signal }: ExportsDeps): Exports {
  // One export is often taken by many imports, and then within a few blocks.
  const known = new Map<Id, Promise<readonly Utxo[] | undefined>>();
  const restsUntil = new Map<ForeignChain, number>();

  const bytesOf = async (chain: ForeignChain, txID: Id): Promise<Uint8Array | undefined> => {
    for (const began = timing.now(); ; ) {
      if (timing.now() < (restsUntil.get(chain) ?? 0)) return undefined;
      try {
        return await remote.foreignTx(chain, txID);
      } catch (error) {
        if (error instanceof FollowError && error.fault.code === 'FOLLOW_REFUSED') return undefined;
        if (!isPassing(error)) throw error;
      }
      if (timing.now() - began > patience.wait) {
        // If nothing answers, the node is gone: then everything waits for it to come back.
        await remote.height();
        restsUntil.set(chain, timing.now() + patience.rest);
      } else await pause(timing, patience.between, signal);
    }
  };

  const ask = async (from: Id, txID: Id): Promise<readonly Utxo[] | undefined> => {
    const chain = from === foreign.P ? 'P' : from === foreign.C ? 'C' : undefined;
    const bytes = chain && (await bytesOf(chain, txID));
    if (chain === undefined || bytes === undefined) return undefined;
    try {
      return exportedOutputs(chain, bytes, { from, to: chainID });
    } catch (error) {
      if (error instanceof CodecError) return undefined;
      throw error;
    }
  };

  return {
    of: (from, txID) => {
      const before = known.get(txID);
      if (before !== undefined) return before;
      const asked = ask(from, txID);
      if (known.size >= remembered) known.delete(known.keys().next().value as Id);
      known.set(txID, asked);
      // What could not be told may be told the next time.
      const forget = (): void => void known.delete(txID);
      asked.then((utxos) => utxos ?? forget(), forget);
      return asked;
    },
  };
}
