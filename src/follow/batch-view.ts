import type { Id } from '../bytes/id.ts';
import type { Diff } from '../state/diff.ts';
import { type Asset, assetOf, type View } from '../state/view.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { Imported } from './imported.ts';

/** What of the ledger some blocks need, fetched before they are judged. */
export type Loaded = {
  readonly utxos: ReadonlyMap<Id, Utxo>;
  readonly assets: ReadonlyMap<Id, Asset | 'not-an-asset'>;
  readonly imported: Imported;
};

/**
 * The ledger as those blocks see it. What a judged block changes goes straight into it: a diff on a diff on a diff, one for each of a
 * thousand blocks, would be slow to look through.
 */
export type BatchView = View & { readonly merge: (diff: Pick<Diff, 'applied'>) => void };

export function batchView({ imported, ...loaded }: Loaded): BatchView {
  const utxos = new Map(loaded.utxos);
  const assets = new Map(loaded.assets);
  const txs = new Map<Id, Tx>();
  return {
    utxo: (id) => utxos.get(id),
    asset: (id) => assets.get(id),
    atomic: (_, id) => (imported.untold.has(id) ? 'unknown' : imported.utxos.get(id)),
    tx: (id) => txs.get(id),
    merge: ({ applied }) => {
      for (const { tx, effects } of applied) {
        for (const id of effects.spent) utxos.delete(id);
        for (const utxo of effects.created) utxos.set(utxo.id, utxo);
        assets.set(tx.id, assetOf(tx));
        txs.set(tx.id, tx);
      }
    },
  };
}
