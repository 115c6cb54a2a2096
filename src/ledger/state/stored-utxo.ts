import { headSize, ownersFields, readU32, transferType, typeSize } from '../../avm/tx/output-layout.ts';
import { parseUtxo, type Utxo, UtxoBody } from '../../avm/tx/utxo.ts';
import { type Address, addressLength } from '../../base/bytes/address.ts';
import { endsWithChecksum, withChecksum } from '../../base/bytes/end-checksum.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import { type Id, idLength, idOf } from '../../base/bytes/id.ts';
import { versionSize } from '../../base/codec/pack.ts';
import { damagedRow } from './fault.ts';

/**
 * The bytes of a UTXO followed by their checksum: the form of outputs in the tables that have them (`old_utxo`, `owner`, `moved`, `atomic`), of
 * outputs cut out of stored transactions, and in the responses of most API methods.
 */
export type StoredUtxo = Uint8Array;

export const encodeStoredUtxo = (utxo: Utxo): StoredUtxo => withChecksum(utxo.bytes);

/** Decodes the output of a row; throws if the checksum is wrong. */
export const decodeStoredUtxo = (bytes: StoredUtxo): Utxo => decodeWithoutChecksum(verifyStoredUtxo(bytes));

/** Returns the output of a row; throws if the checksum is wrong. */
export function verifyStoredUtxo(bytes: StoredUtxo): StoredUtxo {
  if (!hasValidChecksum(bytes)) throw damagedRow('an output');
  return bytes;
}

/** Decodes the output of a row without comparing the checksum. */
export const decodeWithoutChecksum = (bytes: StoredUtxo): Utxo => parseUtxo(bytes.subarray(0, bytes.length - checksumLength));

export const hasValidChecksum = (bytes: StoredUtxo): boolean => bytes.length > checksumLength && endsWithChecksum(bytes);

/**
 * The bytes to store in an owner row: a copy of the output, or null if it is longer than 256 bytes. An output can have thousands of owners,
 * 20 bytes each; with a copy for each of them one transaction could take hundreds of megabytes.
 */
export const ownerRowBytes = (bytes: StoredUtxo): StoredUtxo | null => (bytes.length <= 256 ? bytes : null);

/**
 * Where the fields of an output are. Responses with thousands of outputs need a few fields of each, so these are read byte by byte: parsing takes ten times
 * as long, and even a DataView or a slice is slower. A test compares the functions below with the codec.
 */
export const utxoFields = {
  txID: versionSize + UtxoBody.offsetOf('txID'),
  outputIndex: versionSize + UtxoBody.offsetOf('outputIndex'),
  assetID: versionSize + UtxoBody.offsetOf('assetID'),
  typeID: versionSize + UtxoBody.offsetOf('output'),
  output: versionSize + UtxoBody.offsetOf('output') + typeSize,
} as const;

/** Copies the ID of the transaction that created an output. */
export function copyTxID(from: StoredUtxo, to: Uint8Array, offset: number): void {
  for (let i = 0; i < idLength; i++) to[offset + i] = from[utxoFields.txID + i] as number;
}

/** Copies the asset ID of an output. */
export function copyAssetID(from: StoredUtxo, to: Uint8Array, offset: number): void {
  for (let i = 0; i < idLength; i++) to[offset + i] = from[utxoFields.assetID + i] as number;
}

export const storedAsset = (bytes: StoredUtxo): Id => toHexAt(bytes, utxoFields.assetID, idLength) as Id;

export const storedOutputIndex = (bytes: StoredUtxo): number => readU32(bytes, utxoFields.outputIndex);

/** The ID of the output, as `utxoId` computes it; without a text of the transaction ID in between. */
export function storedID(bytes: StoredUtxo): Id {
  for (let i = 0; i < 4; i++) hashedRef[4 + i] = bytes[utxoFields.outputIndex + i] as number;
  copyTxID(bytes, hashedRef, 8);
  return idOf(hashedRef);
}

/** Output index as u64, then transaction ID. */
const hashedRef = new Uint8Array(8 + idLength);

/** The type ID of an output; see avm/tx/type-ids.ts. */
export const outputType = (bytes: StoredUtxo): number => readU32(bytes, utxoFields.typeID);

export const isTransfer = (bytes: StoredUtxo): boolean => outputType(bytes) === transferType;

/** The amount of a transfer output. */
export const storedAmount = (bytes: StoredUtxo): bigint => u64(bytes, utxoFields.output);

/** The same as 8 big-endian bytes. */
export const storedAmountBytes = (bytes: StoredUtxo): Uint8Array => bytes.subarray(utxoFields.output, utxoFields.output + 8);
/** Whether a transfer output has at least an amount, given as 8 big-endian bytes: a bigint for each output would take longer. */
export function hasAmount(bytes: StoredUtxo, least: Uint8Array): boolean {
  for (let i = 0; i < 8; i++) {
    const difference = byte(bytes, utxoFields.output + i) - byte(least, i);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

export function hasAsset(bytes: StoredUtxo, assetID: Uint8Array): boolean {
  for (let i = 0; i < idLength; i++) if (bytes[utxoFields.assetID + i] !== assetID[i]) return false;
  return true;
}

export const storedLocktime = (bytes: StoredUtxo): bigint => u64(bytes, ownersAt(bytes) + ownersFields.locktime);

export const storedThreshold = (bytes: StoredUtxo): number => readU32(bytes, ownersAt(bytes) + ownersFields.threshold);

export const ownerCount = (bytes: StoredUtxo): number => readU32(bytes, ownersAt(bytes) + ownersFields.count);

export function storedOwners(bytes: StoredUtxo): Address[] {
  const first = ownersAt(bytes) + ownersFields.addresses;
  return Array.from({ length: ownerCount(bytes) }, (_, i) => toHexAt(bytes, first + i * addressLength, addressLength) as Address);
}

/** Whether an output that has one owner is owned by this address. */
export function hasOnlyOwner(bytes: StoredUtxo, address: Uint8Array): boolean {
  const first = ownersAt(bytes) + ownersFields.addresses;
  for (let i = 0; i < address.length; i++) if (bytes[first + i] !== address[i]) return false;
  return true;
}

/** Where the owners of an output begin; see `ownersFields`. Every output ends with them. */
export const ownersAt = (bytes: StoredUtxo): number => utxoFields.output + headSize(bytes, outputType(bytes), utxoFields.output);

const byte = (bytes: Uint8Array, offset: number): number => bytes[offset] as number;

const u64 = (bytes: Uint8Array, at: number): bigint => (BigInt(readU32(bytes, at)) << 32n) | BigInt(readU32(bytes, at + 4));
