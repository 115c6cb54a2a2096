import type { Effects } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { assetOf, type View } from '../../avm/view.ts';
import type { Id } from '../../base/bytes/id.ts';

/** Changes on top of a view. A diff is a view too, so diffs can be stacked. Only accepting a block writes a diff to the database. */
export type Diff = View & {
  readonly apply: (tx: Tx, effects: Effects) => void;
  /** Transactions in the order they were applied. */
  readonly applied: readonly Applied[];
  /** Consumed outputs of the parent view. The whole outputs are needed to update the balances of their owners. */
  readonly consumed: ReadonlyMap<Id, Utxo>;
};

/** An applied transaction and its effects. */
export type Applied = { readonly tx: Tx; readonly effects: Effects };

/** Creates an empty diff on top of a view. */
export function createDiff(parent: View): Diff {
  const applied: Applied[] = [];
  const txs = new Map<Id, Tx>();
  const created = new Map<Id, Utxo>();
  const spent = new Set<Id>();
  const consumed = new Map<Id, Utxo>();

  const apply = (tx: Tx, effects: Effects): void => {
    for (const ref of effects.spent) {
      const id = refId(ref);
      const parentUtxo = created.has(id) ? undefined : parent.utxo(ref);
      if (parentUtxo !== undefined) consumed.set(id, parentUtxo);
      created.delete(id);
      spent.add(id);
    }
    for (const utxo of effects.created) created.set(utxo.id, utxo);
    txs.set(tx.id, tx);
    applied.push({ tx, effects });
  };

  return {
    apply,
    applied,
    consumed,
    utxo: (ref) => {
      const id = refId(ref);
      return created.get(id) ?? (spent.has(id) ? undefined : parent.utxo(ref));
    },
    asset: (id) => {
      const tx = txs.get(id);
      return tx === undefined ? parent.asset(id) : assetOf(tx);
    },
    atomic: parent.atomic,
    tx: (id) => txs.get(id) ?? parent.tx(id),
  };
}
