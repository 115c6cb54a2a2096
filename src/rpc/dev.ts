import { parseHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { parseUtxo, type Utxo } from '../tx/utxo.ts';
import type { Aliases } from './aliases.ts';
import { method, methodTable } from './method.ts';
import { longStr, obj, str } from './params.ts';

export type DevDeps = {
  readonly aliases: Aliases;
  /** Adds a UTXO to the shared memory of chain `from` and the X-Chain, so that the X-Chain can import it. */
  readonly addAtomicUtxo: (from: Id, utxo: Utxo) => void;
};

/** Serac's own methods for local and custom networks, served on loopback only. */
export const devMethods = methodTable<DevDeps>()({
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
