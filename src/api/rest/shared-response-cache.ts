import { sha256Hex } from '../../base/bytes/hash.ts';
import type { SharedCache } from '../access/shared-cache.ts';
import type { CachedResponse, SharedResponseCache } from './response-cache.ts';

/**
 * Stores responses in the shared cache. `program`: program version and network, because another version may write the same response
 * differently.
 */
export function createSharedResponseCache(cache: SharedCache, program: string): SharedResponseCache {
  return (key, { tip = '-', past }) => {
    const cacheKey = `response:${sha256Hex(Buffer.from(JSON.stringify([program, tip, past, key])))}`;
    return {
      find: async () => {
        const stored = await cache.get(cacheKey);
        return stored === undefined ? undefined : unpack(stored);
      },
      put: (response) => {
        if (response.body.length <= maxBodyBytes) void cache.set(cacheKey, pack(response), lifeSeconds);
      },
    };
  };
}

/** Bytes. Larger responses are slower to fetch than to make. */
const maxBodyBytes = 1_048_576;

/** Seconds. The pages of a listing are usually read faster than that. */
const lifeSeconds = 600;

/** One line of JSON with the token, then the body. */
const pack = ({ body, token }: CachedResponse): Uint8Array => Buffer.concat([Buffer.from(`${JSON.stringify(token ?? null)}\n`), body]);

function unpack(stored: Uint8Array): CachedResponse {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const end = bytes.indexOf('\n');
  return { body: bytes.subarray(end + 1), token: JSON.parse(bytes.toString('latin1', 0, end)) ?? undefined };
}
