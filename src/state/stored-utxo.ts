import type { Address } from '../bytes/address.ts';
import { checksumLength } from '../bytes/hash.ts';
import { toHex, withChecksum } from '../bytes/hex.ts';
import { type Id, idLength } from '../bytes/id.ts';
import { parseUtxo, type Utxo, utxoId } from '../tx/utxo.ts';

/** A UTXO's bytes with their checksum behind, as every row keeps them and most answers show them. */
export type StoredUtxo = Uint8Array;

export const stored = (utxo: Utxo): StoredUtxo => withChecksum(utxo.bytes);

export const restored = (bytes: StoredUtxo): Utxo => parseUtxo(bytes.subarray(0, bytes.length - checksumLength));

/**
 * What an owner's row keeps beside the number: the bytes, unless they are many. An output may name thousands of owners, 20 bytes each;
 * a copy for each of them would make one transaction cost hundreds of megabytes.
 */
export const inOwnerRow = (bytes: StoredUtxo): StoredUtxo | null => (bytes.length <= 256 ? bytes : null);

/*
 * Answers that list thousands of outputs need a few fields of each. They stand at fixed places, so they are read there: parsing
 * costs ten times as much. Tests hold these readers against the codec.
 * version 2 | txID 32 | outputIndex 4 | assetID 32 | type 4 | output
 */
const at = { txID: 2, outputIndex: 34, assetID: 38, typeID: 70, output: 74 };

export const storedTxID = (bytes: StoredUtxo): Id => toHex(bytes.subarray(at.txID, at.txID + idLength)) as Id;

export const storedIndex = (bytes: StoredUtxo): number => u32(bytes, at.outputIndex);

export const storedID = (bytes: StoredUtxo): Id => utxoId(storedTxID(bytes), storedIndex(bytes));

export const isTransfer = (bytes: StoredUtxo): boolean => u32(bytes, at.typeID) === transferType;

export const isOfAsset = (bytes: StoredUtxo, assetID: Uint8Array): boolean =>
  Buffer.compare(bytes.subarray(at.assetID, at.assetID + idLength), assetID) === 0;

export const storedLocktime = (bytes: StoredUtxo): bigint => view(bytes).getBigUint64(ownersAt(bytes));

export const ownerCount = (bytes: StoredUtxo): number => u32(bytes, ownersAt(bytes) + 12);

/** Every output ends with its owners: locktime 8, threshold 4, count 4, addresses of 20. */
export function storedOwners(bytes: StoredUtxo): Address[] {
  const first = ownersAt(bytes) + 16;
  return Array.from({ length: ownerCount(bytes) }, (_, i) => toHex(bytes.subarray(first + i * 20, first + i * 20 + 20)) as Address);
}

const transferType = 7;

/** What precedes the owners, by type id; see tx/output.ts. */
const beforeOwners: { readonly [typeID: number]: (bytes: StoredUtxo) => number } = {
  6: () => 0,
  [transferType]: () => 8,
  10: () => 4,
  11: (bytes) => 8 + u32(bytes, at.output + 4),
  15: () => 0,
  16: () => 0,
};

const ownersAt = (bytes: StoredUtxo): number => at.output + (beforeOwners[u32(bytes, at.typeID)]?.(bytes) ?? 0);

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const u32 = (bytes: Uint8Array, offset: number): number => view(bytes).getUint32(offset);
