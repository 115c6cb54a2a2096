import { type Id, idOf } from '../bytes/id.ts';
import type { TypeOf } from '../codec/codec.ts';
import { pack, unpack } from '../codec/pack.ts';
import { id } from '../codec/primitive.ts';
import { struct } from '../codec/struct.ts';
import { UtxoRef } from './input.ts';
import { Output } from './output.ts';

const UtxoBody = struct({ ...UtxoRef.fields, assetID: id, output: Output });

/** An unspent output; `bytes` have the version first, as the API shows them and shared memory keeps them. */
export type Utxo = TypeOf<typeof UtxoBody> & { readonly id: Id; readonly bytes: Uint8Array };

export function makeUtxo(txID: Id, outputIndex: number, assetID: Id, output: Output): Utxo {
  const body = { txID, outputIndex, assetID, output };
  return { ...body, id: utxoId(txID, outputIndex), bytes: pack(UtxoBody, body) };
}

export function parseUtxo(bytes: Uint8Array): Utxo {
  const body = unpack(UtxoBody, bytes);
  return { ...body, id: utxoId(body.txID, body.outputIndex), bytes };
}

/** sha256 of the index as u64 and the transaction's id. Peer: ids.ID.Prefix, avax.UTXOID.InputID. */
export function utxoId(txID: Id, outputIndex: number): Id {
  const bytes = Buffer.alloc(40);
  bytes.writeUInt32BE(outputIndex, 4);
  bytes.write(txID, 8, 'hex');
  return idOf(bytes);
}
