import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { type Asset, assetOf, type View } from '../../avm/view.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Diff } from '../../ledger/state/diff.ts';
import type { ImportedOutputs } from './imported-outputs.ts';

/** The part of the ledger that a batch of blocks needs, fetched before they are verified. */
export type PrefetchedState = {
  /** The view changes it. */
  readonly utxos: Map<Id, Utxo>;
  readonly assets: ReadonlyMap<Id, Asset | 'not-an-asset'>;
  readonly imported: ImportedOutputs;
};

/**
 * The view of the ledger for a batch of blocks. Changes of a verified block are merged into it, because lookups through a chain of a
 * thousand diffs, one per block, would be slow.
 */
type BatchView = View & { readonly merge: (diff: Pick<Diff, 'applied'>) => void };

export function createBatchView({ imported, utxos, ...loaded }: PrefetchedState): BatchView {
  const assets = new Map(loaded.assets);
  const txs = new Map<Id, Tx>();
  return {
    utxo: (ref) => utxos.get(refId(ref)),
    asset: (id) => assets.get(id),
    atomic: (_, id) => (imported.unknown.has(id) ? 'unknown' : imported.utxos.get(id)),
    tx: (id) => txs.get(id),
    merge: ({ applied }) => {
      for (const { tx, effects } of applied) {
        for (const ref of effects.spent) utxos.delete(refId(ref));
        for (const utxo of effects.created) utxos.set(utxo.id, utxo);
        assets.set(tx.id, assetOf(tx));
        txs.set(tx.id, tx);
      }
    },
  };
}
