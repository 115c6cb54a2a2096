import type { Id } from '../bytes/id.ts';
import type { Effects } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import { assetOf, type View } from './view.ts';

/** A change on a view; itself a view, so that changes stack. Only accepting a block turns one into stored rows. */
export type Diff = View & {
  readonly apply: (tx: Tx, effects: Effects) => void;
  /** Transactions in the order they were applied. */
  readonly applied: readonly Applied[];
  /** Outputs of the parent view that were consumed, whole: their owners' balances change with them. */
  readonly consumed: ReadonlyMap<Id, Utxo>;
};

export type Applied = { readonly tx: Tx; readonly effects: Effects };

export function diffOn(parent: View): Diff {
  const applied: Applied[] = [];
  const txs = new Map<Id, Tx>();
  const created = new Map<Id, Utxo>();
  const gone = new Set<Id>();
  const consumed = new Map<Id, Utxo>();

  const apply = (tx: Tx, effects: Effects): void => {
    for (const id of effects.spent) {
      const below = created.has(id) ? undefined : parent.utxo(id);
      if (below !== undefined) consumed.set(id, below);
      created.delete(id);
      gone.add(id);
    }
    for (const utxo of effects.created) created.set(utxo.id, utxo);
    txs.set(tx.id, tx);
    applied.push({ tx, effects });
  };

  return {
    apply,
    applied,
    consumed,
    utxo: (id) => created.get(id) ?? (gone.has(id) ? undefined : parent.utxo(id)),
    asset: (id) => {
      const tx = txs.get(id);
      return tx === undefined ? parent.asset(id) : assetOf(tx);
    },
    atomic: parent.atomic,
    tx: (id) => txs.get(id) ?? parent.tx(id),
  };
}
