import { sha256 } from '../../base/bytes/hash.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { createObjectSlot } from '../../base/cache/object-slot.ts';
import type { JsonContext, TypeOf } from '../../base/codec/codec.ts';
import { pack, unpack } from '../../base/codec/pack.ts';
import { id } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { UtxoRef } from './input.ts';
import { Output } from './output.ts';

export const UtxoBody = struct({ ...UtxoRef.fields, assetID: id, output: Output });

/** An unspent output. `bytes` start with the codec version, as in the API and in shared memory. */
export type Utxo = TypeOf<typeof UtxoBody> & { readonly id: Id; readonly bytes: Uint8Array };

export function makeUtxo(txID: Id, outputIndex: number, assetID: Id, output: Output): Utxo {
  const body = { txID, outputIndex, assetID, output };
  return { txID, outputIndex, assetID, output, id: utxoId(txID, outputIndex), bytes: pack(UtxoBody, body) };
}

export function parseUtxo(bytes: Uint8Array): Utxo {
  const { txID, outputIndex, assetID, output } = unpack(UtxoBody, bytes);
  return { txID, outputIndex, assetID, output, id: utxoId(txID, outputIndex), bytes };
}

/** The same for an output whose id is known: computing it takes a hash. */
export function parseUtxoOf(id: Id, bytes: Uint8Array): Utxo {
  const { txID, outputIndex, assetID, output } = unpack(UtxoBody, bytes);
  return { txID, outputIndex, assetID, output, id, bytes };
}

export const utxoJson = (utxo: Utxo, context: JsonContext): string => UtxoBody.json(utxo, context);

/** The id of an output: sha256 of its index as u64 and the transaction id. AvalancheGo: ids/id.go, Prefix; vms/components/avax/utxo_id.go, InputID. */
export function utxoId(txID: Id, outputIndex: number): Id {
  hashed.writeUInt32BE(outputIndex, 4);
  hashed.write(txID, 8, 'hex');
  return idOf(hashed);
}

/** The same as bytes; the transaction id is read from `bytes` at `txIDAt`. */
export function utxoIdBytes(bytes: Uint8Array, txIDAt: number, outputIndex: number): Uint8Array {
  for (let i = 0; i < 4; i++) hashed[4 + i] = outputIndex >>> (24 - 8 * i);
  for (let i = 0; i < 32; i++) hashed[8 + i] = bytes[txIDAt + i] as number;
  return sha256(hashed);
}

/** Overwritten by every call of `utxoId` and `utxoIdBytes`; its first four bytes stay 0. */
const hashed = Buffer.alloc(40);

/**
 * The id of the output that a reference names. Cached per object, because a transaction's inputs are looked up when it is issued, when its
 * block is built, when the block is verified, and when it is stored.
 */
export function refId(ref: UtxoRef): Id {
  const cached = refIds.get(ref);
  if (cached !== undefined) return cached;
  const id = utxoId(ref.txID, ref.outputIndex);
  refIds.set(ref, id);
  return id;
}

const refIds = createObjectSlot<UtxoRef, Id>();
