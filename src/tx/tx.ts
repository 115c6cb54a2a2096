import { type Id, idOf } from '../bytes/id.ts';
import { concat } from '../bytes/octets.ts';
import type { Codec, JsonContext } from '../codec/codec.ts';
import { codecVersion, maxBytes, pack, unpack, versionSize } from '../codec/pack.ts';
import type { Reader } from '../codec/reader.ts';
import { type Credential, Credentials } from './credential.ts';
import { UnsignedTx } from './unsigned.ts';

/** A signed transaction with its bytes (version first) and its id: nobody encodes it again to hash it. */
export type Tx = {
  readonly id: Id;
  readonly bytes: Uint8Array;
  readonly unsigned: UnsignedTx;
  readonly credentials: readonly Credential[];
  /** How much of the bytes is signed: the unsigned transaction is a prefix of the signed one. */
  readonly unsignedSize: number;
};

/** Parses what came from outside. The genesis codec's larger limit is for what was accepted or came with the genesis. */
export const parseTx = (bytes: Uint8Array, max = maxBytes): Tx => identified(bytes, unpack(SignedTx, bytes, max), 0);

/** Makes a transaction from its parts. */
export function makeTx(unsigned: UnsignedTx, credentials: readonly Credential[]): Tx {
  const body = { unsigned, credentials: [...credentials], unsignedSize: 0 };
  return { ...identified(pack(SignedTx, body), body, 0), unsignedSize: pack(UnsignedTx, unsigned).length };
}

/** What a signature of this transaction signs, before hashing. */
export const signedPart = (tx: Tx): Uint8Array => tx.bytes.subarray(0, tx.unsignedSize);

export const txJson = (tx: Tx, context: JsonContext): string =>
  `{"unsignedTx":${UnsignedTx.json(tx.unsigned, context)},"credentials":${Credentials.json([...tx.credentials], context)},"id":"${context.id(tx.id)}"}`;

/** A transaction as it stands inside a block, where no version precedes it; its own bytes and id have one. */
export function readTxInBlock(reader: Reader): Tx {
  const start = reader.offset;
  const body = SignedTx.read(reader);
  return identified(concat([versionBytes, reader.bytes.subarray(start, reader.offset)]), body, versionSize - start);
}

export const bytesInBlock = (tx: Tx): Uint8Array => tx.bytes.subarray(versionSize);

type Body = { unsigned: UnsignedTx; credentials: Credential[]; unsignedSize: number };

const versionBytes = Uint8Array.of(codecVersion >> 8, codecVersion & 0xff);

/** Reading notes where the unsigned part ends, counted from the reader's start. */
const SignedTx: Codec<Body> = {
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

const identified = (bytes: Uint8Array, body: Body, shift: number): Tx => ({
  id: idOf(bytes),
  bytes,
  unsigned: body.unsigned,
  credentials: body.credentials,
  unsignedSize: body.unsignedSize + shift,
});
