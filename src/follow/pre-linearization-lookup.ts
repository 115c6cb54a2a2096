import type { Id } from '../bytes/id.ts';
import { effectsOf } from '../tx/effects.ts';
import type { UtxoRef } from '../tx/input.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { Remote } from './remote.ts';

/** What lies beyond the history that blocks tell, transaction by transaction: the node still has those, though in no block. */
export type Beyond = {
  /** Outputs by id; those that nobody has ever made are not among them. */
  readonly utxos: (wanted: ReadonlyMap<Id, UtxoRef>) => Promise<Map<Id, Utxo>>;
  readonly txs: (ids: readonly Id[]) => Promise<Map<Id, Tx>>;
};

const atOnce = 16;

/** For a chain whose history is whole: there is nothing beyond. */
export const nothingBeyond: Beyond = { utxos: async () => new Map(), txs: async () => new Map() };

export function beyondHistory(remote: Pick<Remote, 'tx'>): Beyond {
  const txs: Beyond['txs'] = async (ids) => {
    const found = new Map<Id, Tx>();
    const find = async (id: Id): Promise<void> => {
      const tx = await remote.tx(id);
      if (tx !== undefined) found.set(id, tx);
    };
    for (let i = 0; i < ids.length; i += atOnce) await Promise.all(ids.slice(i, i + atOnce).map(find));
    return found;
  };
  return {
    txs,
    utxos: async (wanted) => {
      const makers = await txs([...new Set([...wanted.values()].map(({ txID }) => txID))]);
      const found = new Map<Id, Utxo>();
      for (const maker of makers.values()) for (const utxo of effectsOf(maker).created) if (wanted.has(utxo.id)) found.set(utxo.id, utxo);
      return found;
    },
  };
}
