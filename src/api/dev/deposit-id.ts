import { utxoId } from '../../avm/tx/utxo.ts';
import { type Id, idOf, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';

/**
 * Returns a function that makes the ID of a transaction on another chain that would have made a deposit. IDs follow from the last block and
 * the deposits since then, so the same calls give the same IDs on every machine. `knowsAtomicUtxo`: whether a UTXO from chain `source` is or was
 * in the memory shared with it.
 */
export function createDepositIds({
  lastAccepted,
  knowsAtomicUtxo,
}: {
  readonly lastAccepted: () => { readonly id: Id };
  readonly knowsAtomicUtxo: (source: Id, utxoID: Id) => boolean;
}): (source: Id) => Id {
  let tip: Id | undefined;
  /** Deposits since the last block, as far as this process knows. */
  let count = 0;
  return (source) => {
    const { id } = lastAccepted();
    if (id !== tip) count = 0;
    tip = id;
    for (; ; count++) {
      const txID = idOf(concat([utf8('serac: deposit'), idToBytes(source), idToBytes(id), utf8(count.toString())]));
      if (!knowsAtomicUtxo(source, utxoId(txID, 0))) return txID;
    }
  };
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
