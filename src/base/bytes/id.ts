import { cacheFunction } from '../cache/cache.ts';
import { Fault } from '../fault.ts';
import { cb58Decode } from './cb58.ts';
import { sha256Hex } from './hash.ts';
import { fromHex, toHex } from './hex.ts';
import { createIdEncoder } from './id-text.ts';

/** A 32-byte identifier as 64 lower-case hex digits: a key for maps, equal by ===, ordered as its bytes. */
export type Id = string & { readonly __id: true };

export const idLength = 32;

export const zeroId = '0'.repeat(64) as Id;

export const idFromBytes = (bytes: Uint8Array): Id => {
  if (bytes.length !== idLength)
    throw new IdError(`expected ${idLength} bytes but got ${bytes.length}`, { code: 'ID_LENGTH', got: bytes.length });
  return toHex(bytes) as Id;
};

export const idToBytes = (id: Id): Uint8Array => fromHex(id);

/** The id of a transaction, block or other object: the sha256 of its bytes. */
export const idOf = (bytes: Uint8Array): Id => sha256Hex(bytes) as Id;

/** Bytes of a cached id and its text. Ids repeat a lot: every output has an asset id, and callers ask for the same few. */
const entrySize = 240;

/** The public text form, CB58. */
export const idText: (id: Id) => string = cacheFunction('idTexts', entrySize, createIdEncoder());

export const parseId: (text: string) => Id = cacheFunction('parsedIds', entrySize, parseIdUncached);

function parseIdUncached(text: string): Id {
  const bytes = cb58Decode(text);
  // AvalancheGo: ids/id.go, ToID; utils/hashing, ToHash256.
  if (bytes.length !== idLength)
    throw new IdError(`invalid hash length: expected 32 bytes but got ${bytes.length}`, { code: 'ID_LENGTH', got: bytes.length });
  return toHex(bytes) as Id;
}

export type IdFault = { code: 'ID_LENGTH'; got: number };
class IdError extends Fault<IdFault> {}

/** IDs as sequences of bits: byte after byte, least significant bit first. AvalancheGo: ids/bits.go. */
export const idBits = 8 * idLength;

export type Bit = 0 | 1;

export function bitOf(id: Id, index: number): Bit {
  const inByte = index & 7;
  // The low half of a byte is its second hex digit.
  const code = id.charCodeAt(2 * (index >> 3) + (inByte < 4 ? 1 : 0));
  const digit = code < 58 ? code - 48 : code - 87;
  return ((digit >> (inByte & 3)) & 1) as Bit;
}

/** The first bit from `start` to before `end` in which two IDs differ. */
export function firstDifference(a: Id, b: Id, start: number, end: number): number | undefined {
  for (let index = start; index < end; index++) if (bitOf(a, index) !== bitOf(b, index)) return index;
  return undefined;
}
