import { effectsOf } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import {
  type AddedOutput,
  type AddedOutputs,
  addedOutputs,
  baseOutputAt,
  baseOutputCount,
  baseOutputOffsets,
  outputEnd,
  type TxLayout,
  txLayout,
} from '../../avm/tx/tx-layout.ts';
import { writeChecksumAtEnd } from '../../base/bytes/end-checksum.ts';
import { checksumLength, sha256Into } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import { damagedRow } from './fault.ts';
import { encodeStoredUtxo, type StoredUtxo, utxoFields } from './stored-utxo.ts';

type TxBytes = { readonly id: Uint8Array; readonly bytes: Uint8Array };

/** Parses the transaction of a row; throws if its bytes do not hash to the row's ID. */
export function parseStoredTx({ id, bytes }: TxBytes): Tx {
  const tx = parseTx(bytes, maxGenesisBytes);
  const expected = toHex(id) as Id;
  if (tx.id !== expected) throw damagedRow(`transaction ${idText(expected)}`);
  return tx;
}

/** An accepted transaction as stored. Its bytes are verified, and decoded only as far as its layout needs. `time`: that of its block. */
export type StoredTx = TxBytes & { readonly seq: number; readonly layout: TxLayout; readonly time: number };

/** The transaction of a row with its layout; throws if its bytes do not hash to the row's ID. */
export function openStoredTx({ seq, id, bytes, time }: Omit<StoredTx, 'layout'>): StoredTx {
  verifyStoredTx({ id, bytes });
  return { seq, id, bytes, time, layout: txLayout(bytes) };
}

/** Throws if the bytes of a row do not hash to its ID. */
export function verifyStoredTx({ id, bytes }: TxBytes): void {
  sha256Into(bytes, hashed);
  for (let i = 0; i < hashed.length; i++) if (hashed[i] !== id[i]) throw damagedRow(`transaction ${idText(toHex(id) as Id)}`);
}

const hashed = new Uint8Array(32);

/** The outputs that a transaction creates, in the order of their indexes; exported ones are the last. */
export function createdUtxos({ id, bytes, layout: { outputs, decoded } }: Pick<StoredTx, 'id' | 'bytes' | 'layout'>): StoredUtxo[] {
  if (decoded !== undefined) return effectsOf(decoded).created.map(encodeStoredUtxo);
  return outputs.map((at, index) => utxoAt(id, bytes, at, index));
}

/** Reads single outputs that a transaction creates on its own chain; undefined if there is no such index. The bytes must be verified. */
export function openCreatedUtxos({ id, bytes }: TxBytes): (index: number) => StoredUtxo | undefined {
  let added: AddedOutputs | undefined;
  let offsets: Uint32Array | undefined;
  return (index) => {
    const count = baseOutputCount(bytes);
    if (index < count) {
      // The outputs before it have to be passed: for an output far behind the first, where they begin is computed once for all.
      if (index >= fewOutputs) offsets ??= baseOutputOffsets(bytes);
      return utxoAt(id, bytes, (offsets?.[index] ?? baseOutputAt(bytes, index)) as number, index);
    }
    added ??= addedOutputs(bytes);
    const one = added.at(index - count);
    return one && addedUtxo(id, bytes, one, index);
  };
}

const fewOutputs = 16;

/** The number of outputs that a transaction creates on its own chain. */
export const createdCount = (bytes: Uint8Array): number => baseOutputCount(bytes) + addedOutputs(bytes).count;

/** The output at an offset of a transaction, as `encodeStoredUtxo` encodes it. */
function utxoAt(id: Uint8Array, bytes: Uint8Array, at: number, index: number): StoredUtxo {
  const end = outputEnd(bytes, at);
  const utxo = startUtxo(id, index, end - at);
  copyBytes(bytes, at, end, utxo, utxoFields.assetID);
  writeChecksumAtEnd(utxo);
  return utxo;
}

/** The same for an output that an operation or the creation of an asset adds. */
function addedUtxo(id: Uint8Array, bytes: Uint8Array, { assetID, typeID, head, owners }: AddedOutput, index: number): StoredUtxo {
  const headEnd = utxoFields.output + head[1] - head[0];
  const utxo = startUtxo(id, index, headEnd + owners[1] - owners[0] - utxoFields.assetID);
  if (assetID === 0) copyBytes(id, 0, 32, utxo, utxoFields.assetID);
  else copyBytes(bytes, assetID, assetID + 32, utxo, utxoFields.assetID);
  utxo[utxoFields.typeID + 3] = typeID;
  copyBytes(bytes, ...head, utxo, utxoFields.output);
  copyBytes(bytes, ...owners, utxo, headEnd);
  writeChecksumAtEnd(utxo);
  return utxo;
}

/** An output with its transaction and index, and room for the rest and a checksum. */
function startUtxo(id: Uint8Array, index: number, restSize: number): StoredUtxo {
  const utxo = new Uint8Array(utxoFields.assetID + restSize + checksumLength);
  copyBytes(id, 0, 32, utxo, utxoFields.txID);
  for (let i = 0; i < 4; i++) utxo[utxoFields.outputIndex + i] = index >>> (24 - 8 * i);
  return utxo;
}

/** Most parts are short: a loop takes less time than a slice. */
function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  for (let i = start, next = at; i < end; i++, next++) to[next] = from[i] as number;
}
