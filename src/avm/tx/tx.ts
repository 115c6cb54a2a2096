import { type Id, idOf } from '../../base/bytes/id.ts';
import type { Codec, JsonContext } from '../../base/codec/codec.ts';
import { codecVersion, maxBytes, pack, unpack, versionSize } from '../../base/codec/pack.ts';
import type { Reader } from '../../base/codec/reader.ts';
import { type Credential, Credentials } from './credential.ts';
import { UnsignedTx } from './unsigned.ts';

/** A signed transaction with its bytes (codec version first) and its id, so that it is never encoded again to hash it. */
export type Tx = {
  readonly id: Id;
  readonly bytes: Uint8Array;
  readonly unsigned: UnsignedTx;
  readonly credentials: readonly Credential[];
  /** Length of the unsigned transaction, which is a prefix of `bytes`. */
  readonly unsignedSize: number;
};

/** Parses a transaction from outside. Pass the genesis codec's larger `max` for accepted and genesis transactions only. */
export const parseTx = (bytes: Uint8Array, max = maxBytes): Tx => withId(bytes, unpack(SignedTx, bytes, max), 0);

export function makeTx(unsigned: UnsignedTx, credentials: readonly Credential[]): Tx {
  const body = { unsigned, credentials: [...credentials], unsignedSize: 0 };
  return { ...withId(pack(SignedTx, body), body, 0), unsignedSize: pack(UnsignedTx, unsigned).length };
}

/** The bytes of the unsigned transaction: signatures sign their sha256. */
export const unsignedBytes = (tx: Tx): Uint8Array => tx.bytes.subarray(0, tx.unsignedSize);

/** `noCredentials`: how an empty list of credentials is written. */
export const txJson = (tx: Tx, context: JsonContext, noCredentials: '[]' | 'null' = '[]'): string => {
  const credentials = tx.credentials.length === 0 ? noCredentials : Credentials.json([...tx.credentials], context);
  return `{"unsignedTx":${UnsignedTx.json(tx.unsigned, context)},"credentials":${credentials},"id":"${context.id(tx.id)}"}`;
};

/** Reads a transaction inside a block, where it has no codec version; `bytes` and `id` of the result include it. */
export function readTxInBlock(reader: Reader): Tx {
  const start = reader.offset;
  const body = SignedTx.read(reader);
  // A copy with room for the version: what stands before the transaction, at least the header of the block, is overwritten.
  const bytes: Uint8Array = Uint8Array.prototype.slice.call(reader.bytes, start - versionSize, reader.offset);
  bytes[0] = codecVersion >> 8;
  bytes[1] = codecVersion & 0xff;
  return withId(bytes, body, versionSize - start);
}

export const bytesInBlock = (tx: Tx): Uint8Array => tx.bytes.subarray(versionSize);

type SignedTxBody = { unsigned: UnsignedTx; credentials: Credential[]; unsignedSize: number };

/** `read` sets `unsignedSize` to the reader's offset after the unsigned part. */
const SignedTx: Codec<SignedTxBody> = {
  read: (r) => {
    const unsigned = UnsignedTx.read(r);
    const unsignedSize = r.offset;
    return { unsigned, credentials: Credentials.read(r), unsignedSize };
  },
  write: (w, v) => {
    UnsignedTx.write(w, v.unsigned);
    Credentials.write(w, v.credentials);
  },
  json: () => '',
};

const withId = (bytes: Uint8Array, body: SignedTxBody, shift: number): Tx => ({
  id: idOf(bytes),
  bytes,
  unsigned: body.unsigned,
  credentials: body.credentials,
  unsignedSize: body.unsignedSize + shift,
});
