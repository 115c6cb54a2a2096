import { createdOutputs, effectsOf } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import {
  addsOutputs,
  baseOutputAt,
  baseOutputCount,
  baseOutputOffsets,
  outputEnd,
  type TxLayout,
  txLayout,
} from '../../avm/tx/tx-layout.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
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

/**
 * Reads single outputs that a transaction creates on its own chain; undefined if there is no such index. The bytes must be verified. They are
 * decoded once, and only for outputs that operations create; of these only the one that is read is encoded: there may be thousands.
 */
export function openCreatedUtxos({ id, bytes }: TxBytes): (index: number) => StoredUtxo | undefined {
  let created: ReturnType<typeof createdOutputs> | undefined;
  let offsets: Uint32Array | undefined;
  return (index) => {
    if (index < baseOutputCount(bytes)) {
      // The outputs before it have to be passed: for an output far behind the first, where they begin is computed once for all.
      if (index >= fewOutputs) offsets ??= baseOutputOffsets(bytes);
      return utxoAt(id, bytes, (offsets?.[index] ?? baseOutputAt(bytes, index)) as number, index);
    }
    created ??= addsOutputs(bytes) ? createdOutputs(parseTx(bytes, maxGenesisBytes)) : [];
    const one = created[index];
    return one && encodeStoredUtxo(makeUtxo(toHex(id) as Id, index, one.assetID, one.output));
  };
}

const fewOutputs = 16;

/** The number of outputs that a transaction creates on its own chain. */
export const createdCount = (bytes: Uint8Array): number =>
  addsOutputs(bytes) ? createdOutputs(parseTx(bytes, maxGenesisBytes)).length : baseOutputCount(bytes);

/** The output at an offset of a transaction, as `encodeStoredUtxo` encodes it. */
function utxoAt(id: Uint8Array, bytes: Uint8Array, at: number, index: number): StoredUtxo {
  const size = outputEnd(bytes, at) - at;
  const utxo = new Uint8Array(utxoFields.assetID + size + checksumLength);
  for (let i = 0; i < 32; i++) utxo[utxoFields.txID + i] = id[i] as number;
  for (let i = 0; i < 4; i++) utxo[utxoFields.outputIndex + i] = index >>> (24 - 8 * i);
  for (let i = 0; i < size; i++) utxo[utxoFields.assetID + i] = bytes[at + i] as number;
  writeChecksumAtEnd(utxo);
  return utxo;
}
