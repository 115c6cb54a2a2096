import { parseHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { Aliases } from '../rpc/aliases.ts';
import { method, methodTable } from '../rpc/method.ts';
import { longStr, obj, str } from '../rpc/params.ts';
import { parseUtxo, type Utxo } from '../tx/utxo.ts';

export type AtomicDeps = {
  readonly aliases: Aliases;
  /** Adds a UTXO to the shared memory of chain `from` and the X-Chain, so that the X-Chain can import it. */
  readonly addAtomicUtxo: (from: Id, utxo: Utxo) => void;
};

/** Cross-chain methods of the developer's chain. */
export const atomicMethods = methodTable<AtomicDeps>()({
  addAtomicUTXO: method(
    obj({ sourceChain: str, utxo: longStr }),
    ({ aliases, addAtomicUtxo }, { sourceChain, utxo }) => {
      const parsed = parseUtxo(parseHex('hex', utxo));
      addAtomicUtxo(aliases.lookup(sourceChain), parsed);
      return { utxoID: idText(parsed.id) };
    },
    { needsWriter: true },
  ),
});
