import { effectsOf } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Remote } from './remote.ts';

/** Finds outputs and transactions from before linearization. The node still has these transactions, though in no block. */
export type PreLinearizationLookup = {
  /** Returns outputs by id; those that do not exist are missing. */
  readonly utxos: (requested: ReadonlyMap<Id, UtxoRef>) => Promise<Map<Id, Utxo>>;
  readonly txs: (ids: readonly Id[]) => Promise<Map<Id, Tx>>;
};

const concurrency = 16;

/** For a chain without transactions from before linearization. */
export const emptyPreLinearizationLookup: PreLinearizationLookup = { utxos: async () => new Map(), txs: async () => new Map() };

export function createPreLinearizationLookup(remote: Pick<Remote, 'tx'>): PreLinearizationLookup {
  const txs: PreLinearizationLookup['txs'] = async (ids) => {
    const found = new Map<Id, Tx>();
    const find = async (id: Id): Promise<void> => {
      const tx = await remote.tx(id);
      if (tx !== undefined) found.set(id, tx);
    };
    for (let i = 0; i < ids.length; i += concurrency) await Promise.all(ids.slice(i, i + concurrency).map(find));
    return found;
  };
  return {
    txs,
    utxos: async (requested) => {
      const creators = await txs([...new Set([...requested.values()].map(({ txID }) => txID))]);
      const found = new Map<Id, Utxo>();
      for (const creator of creators.values())
        for (const utxo of effectsOf(creator).created) if (requested.has(utxo.id)) found.set(utxo.id, utxo);
      return found;
    },
  };
}
