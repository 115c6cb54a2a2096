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

type IdFault = { code: 'ID_LENGTH'; got: number };
class IdError extends Fault<IdFault> {}
