import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import { damagedRow } from './fault.ts';

/** Parses the transaction of a row; throws if its bytes do not hash to the row's ID. */
export function parseStoredTx({ id, bytes }: { readonly id: Uint8Array; readonly bytes: Uint8Array }): Tx {
  const tx = parseTx(bytes, maxGenesisBytes);
  const expected = toHex(id) as Id;
  if (tx.id !== expected) throw damagedRow(`transaction ${idText(expected)}`);
  return tx;
}
