import type { TransferableInput } from '../../avm/tx/input.ts';
import { TransferOutput } from '../../avm/tx/output.ts';
import { ownersEnd, readU32, transferType } from '../../avm/tx/output-layout.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { inputFields, type TxLayout } from '../../avm/tx/tx-layout.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { endsWithChecksum, writeChecksumAtEnd } from '../../base/bytes/end-checksum.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import type { Id } from '../../base/bytes/id.ts';
import { utxoFields } from './stored-utxo.ts';

/*
 * What is stored with a transfer about the outputs it consumed (column `outputs` of `tx`), so that a page of transactions need not look them
 * up, one random place after the other: of each its time and its owners as they are in its bytes (lock time 8, threshold 4, count 4, addresses
 * of 20). The other parts of a consumed output are in the input. Times are 6 bytes, big-endian. The last 4 bytes are a checksum.
 */

/** An output that a transaction consumed; `time` is the time of the block that created it. */
type ConsumedUtxo = { readonly utxo: Utxo; readonly time: number };

/**
 * The consumed outputs of a transaction as stored. Returns null if nothing is stored: the transaction is not a BaseTx, a consumed output is
 * unknown or is not what its input says, or they have too many owners. Readers then look them up.
 */
export function encodeTxOutputs({ unsigned }: Tx, consumedBy: (id: Id) => ConsumedUtxo | undefined): Uint8Array | null {
  if (unsigned.kind !== 'BaseTx') return null;
  let size = 0;
  const consumed: ConsumedUtxo[] = [];
  for (const input of unsigned.inputs) {
    const found = consumedBy(refId(input));
    if (found === undefined || !matches(input, found.utxo)) return null;
    consumed.push(found);
    size += timeSize + found.utxo.bytes.length - ownersAt;
  }
  if (size > maxSize) return null;
  const row = new Uint8Array(size + checksumLength);
  let at = 0;
  for (const { utxo, time } of consumed) {
    at = writeTime(row, at, time);
    const { bytes } = utxo;
    for (let i = ownersAt; i < bytes.length; i++) row[at++] = bytes[i] as number;
  }
  writeChecksumAtEnd(row);
  return row;
}

/**
 * What is stored with a genesis transaction of a chain with history from before linearization: which of its outputs exist at block 0 is
 * unknown. Those that become known are in `old_utxo`.
 */
export const unknownOutputs = new Uint8Array(0);

/** The SQL condition that the outputs of a transaction with the alias x are known. */
export const outputsAreKnown = '(x.outputs IS NULL OR length(x.outputs) > 0)';

const matches = ({ assetID, input }: TransferableInput, { assetID: asset, output }: Utxo): boolean =>
  output.kind === 'secp256k1fx.TransferOutput' && output.amount === input.amount && assetID === asset;

/** The bytes of a consumed output with their checksum, and its time. */
type StoredConsumed = { readonly bytes: Uint8Array; readonly time: number };

/** The stored consumed outputs of a transfer; `bytes` and `layout` are those of the transfer. Returns undefined if the row is damaged. */
export function decodeTxOutputs(row: Uint8Array, bytes: Uint8Array, { inputs }: TxLayout): StoredConsumed[] | undefined {
  const size = row.length - checksumLength;
  if (!endsWithChecksum(row)) return undefined;
  const consumed: StoredConsumed[] = [];
  let at = 0;
  for (let i = 0; i < inputs.length; i++) {
    const owners = at + timeSize;
    const end = ownersEnd(row, owners);
    if (!(end <= size)) return undefined;
    consumed.push({ bytes: utxoBytes(bytes, inputs[i] as number, row, owners, end), time: readTime(row, at) });
    at = end;
  }
  return at === size ? consumed : undefined;
}

/** A consumed output as it is stored elsewhere: from its input in `bytes` and its owners in `row`. */
function utxoBytes(bytes: Uint8Array, input: number, row: Uint8Array, owners: number, end: number): Uint8Array {
  const size = ownersAt + end - owners;
  const made = new Uint8Array(size + checksumLength);
  // Transaction ID, output index and asset ID follow each other in the input too.
  for (let i = 0; i < inputFields.assetID + 32; i++) made[2 + i] = bytes[input + i] as number;
  made[typeAt] = transferType;
  for (let i = 0; i < 8; i++) made[amountAt + i] = bytes[input + inputFields.amount + i] as number;
  for (let i = owners, to = ownersAt; i < end; i++, to++) made[to] = row[i] as number;
  writeChecksumAtEnd(made);
  return made;
}

/** Writes a time and returns the end. `Buffer.writeUIntBE` takes longer. */
function writeTime(bytes: Uint8Array, at: number, value: number): number {
  const high = Math.floor(value / 2 ** 32);
  bytes[at] = high >>> 8;
  bytes[at + 1] = high;
  for (let i = 0; i < 4; i++) bytes[at + 2 + i] = value >>> (24 - 8 * i);
  return at + timeSize;
}

const readTime = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 8) | (bytes[at + 1] as number)) * 2 ** 32 + readU32(bytes, at + 2);

const timeSize = 6;
/** Bytes without the checksum. More owners than these are rare, and a page reads every row that it shows. */
const maxSize = 4096;

/** Offsets in the bytes of a transfer output: the last byte of its type, its amount, its owners. */
const typeAt = utxoFields.typeID + 3;
const amountAt = utxoFields.output;
const ownersAt = amountAt + TransferOutput.offsetOf('locktime');
