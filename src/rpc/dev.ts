import { parseHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { parseUtxo, type Utxo } from '../tx/utxo.ts';
import type { Aliases } from './aliases.ts';
import { methods, row } from './method.ts';
import { longStr, obj, str } from './params.ts';

export type DevDeps = {
  readonly aliases: Aliases;
  /** Puts an output into the memory that `from` shares with the X-Chain, for X to import. */
  readonly putAtomic: (from: Id, utxo: Utxo) => void;
};

/** Serac's own methods for local and custom networks, on loopback. */
export const dev = methods<DevDeps>()({
  addAtomicUTXO: row(
    obj({ sourceChain: str, utxo: longStr }),
    ({ aliases, putAtomic }, { sourceChain, utxo }) => {
      const parsed = parseUtxo(parseHex('hex', utxo));
      putAtomic(aliases.lookup(sourceChain), parsed);
      return { utxoID: idText(parsed.id) };
    },
    { writer: true },
  ),
});
