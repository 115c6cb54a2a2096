import type { Cache } from '../access/cache.ts';
import { sha256Hex } from '../bytes/hash.ts';
import type { CachedResponse, Held, SharedResponseCache } from './response-cache.ts';

/** `program`: version and network of the program; another one may write the same answer in another way. */
export function createSharedResponseCache(cache: Cache, program: string): SharedResponseCache {
  const nameOf = (key: string, { tip = '-', past }: Held): string =>
    `answer:${sha256Hex(Buffer.from(JSON.stringify([program, tip, past, key])))}`;
  return {
    find: async (key, held) => {
      const stored = await cache.get(nameOf(key, held));
      return stored === undefined ? undefined : unpacked(stored);
    },
    put: (key, held, answer) => {
      if (answer.body.length <= maxShared) void cache.set(nameOf(key, held), packed(answer), lifetime);
    },
  };
}

/** Longer ones cost more to fetch than to make. */
const maxShared = 1_048_576;

/** Seconds; the pages of a listing are seldom read more slowly. */
const lifetime = 600;

/** A line that tells of the token, then the body. */
const packed = ({ body, token }: CachedResponse): Uint8Array => Buffer.concat([Buffer.from(`${JSON.stringify(token ?? null)}\n`), body]);

function unpacked(stored: Uint8Array): CachedResponse {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const end = bytes.indexOf('\n');
  return { body: bytes.subarray(end + 1), token: JSON.parse(bytes.toString('latin1', 0, end)) ?? undefined };
}
