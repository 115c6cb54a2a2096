import { consumedIds } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';

/** Number of rejected transactions kept. */
const maxRejectedTxs = 4096;

/** The inputs of the newest rejected transactions. If one of them is spent later, the transaction's status is `Rejected`. */
export type RejectedTxInputs = {
  readonly add: (tx: Tx) => void;
  readonly remove: (id: Id) => void;
  readonly inputsOf: (id: Id) => readonly Id[] | undefined;
  readonly clear: () => void;
};

export function createRejectedTxInputs(): RejectedTxInputs {
  const inputsByTx = new Map<Id, readonly Id[]>();
  return {
    add: (tx) => {
      inputsByTx.delete(tx.id);
      if (inputsByTx.size >= maxRejectedTxs) inputsByTx.delete(inputsByTx.keys().next().value as Id);
      // One spent input is enough for the status, and a transaction may have thousands.
      inputsByTx.set(tx.id, consumedIds(tx).slice(0, 16));
    },
    remove: (id) => void inputsByTx.delete(id),
    inputsOf: (id) => inputsByTx.get(id),
    clear: () => inputsByTx.clear(),
  };
}
