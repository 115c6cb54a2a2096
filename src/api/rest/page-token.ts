import { createHmac } from 'node:crypto';
import { sha256 } from '../../base/bytes/hash.ts';
import { formatUuid } from '../../base/bytes/uuid.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import { Fault } from '../../base/fault.ts';
import type { PageCursor } from './route.ts';

/**
 * Encrypts cursors into page tokens and decrypts them. A token is a UUID that contains the whole cursor, so no process stores it. Every
 * process with the same secret can open it, also after a restart.
 *
 *     17 bits  second of the day in which it was created
 *     32 bits  block height that the listing is read at
 *     53 bits  the last item of the page, plus 2^52 because it may be negative
 *     10 bits  checksum of the query it belongs to
 *     10 bits  zeros
 *
 * These 122 bits are encrypted by a Feistel network of four rounds with a key that changes every day. They are placed where a random UUID
 * (version 4) has its random bits. A guessed, changed or old token decrypts to bits that do not end in 10 zeros or have no time of the last day,
 * except for one in 1,500; of those, one in 1,024 has the checksum of the query.
 */
export type PageSeal = ReturnType<typeof createPageSeal>;

/** `unknown`: expired, forged, or made with another secret. `until`: the first second at which it is expired. */
export type OpenedToken = { readonly cursor: PageCursor; readonly until: number } | 'unknown' | 'other-query';

/** Seconds that a token is valid. */
export const tokenLife = 86_400;

/** `epoch`: how often the chain was reverted. A token of an earlier epoch is `unknown`, because another block may be at its height now. */
export function createPageSeal(secret: Uint8Array, epoch: () => number) {
  const deriveKey = cacheFunction('pageKeys', 300, (name: string) => createHmac('sha256', secret).update(name).digest());
  const keyOf = (day: number) => deriveKey(`page token of a second ${epoch()} ${day}`);
  return {
    /** `now`: Unix seconds. */
    seal: (cursor: PageCursor, query: string, now: number): string => {
      const { height, after } = checkRange(cursor);
      const second = BigInt(Math.floor(now % daySeconds));
      const position = (((second << 32n) | BigInt(height)) << 53n) | (BigInt(after) + afterOffset);
      return uuidOf(encrypt(keyOf(dayOf(now)), ((position << BigInt(checksumBits)) | queryChecksum(query)) << BigInt(zeroBits)));
    },
    open: (token: string, query: string, now: number): OpenedToken => {
      const bits = bitsOf(token);
      if (bits === undefined) return 'unknown';
      let isOfOtherQuery = false;
      for (const day of new Set([dayOf(now), dayOf(now) - 1, dayOf(now + clockSkew)])) {
        const plain = decrypt(keyOf(day), bits);
        const second = Number(plain >> 105n);
        const sealedAt = day * daySeconds + second;
        if (BigInt.asUintN(zeroBits, plain) !== 0n || second >= daySeconds) continue;
        if (now >= sealedAt + tokenLife || sealedAt > now + clockSkew) continue;
        const position = plain >> BigInt(checksumBits + zeroBits);
        const cursor = { height: Number(BigInt.asUintN(32, position >> 53n)), after: Number(BigInt.asUintN(53, position) - afterOffset) };
        if (BigInt.asUintN(checksumBits, plain >> BigInt(zeroBits)) === queryChecksum(query))
          return { cursor, until: sealedAt + tokenLife };
        // The key of another day may still open it.
        isOfOtherQuery = true;
      }
      return isOfOtherQuery ? 'other-query' : 'unknown';
    },
  };
}

const [checksumBits, zeroBits] = [10, 10];
const daySeconds = 86_400;
const dayOf = (now: number): number => Math.floor(now / daySeconds);

/** Seconds that the clocks of machines that share a secret may differ. */
const clockSkew = 60;

/** Numbers of outputs are large: see ledger/state/output-number.ts. */
const [heightLimit, afterLimit] = [2 ** 32, 2 ** 52];
const afterOffset = BigInt(afterLimit);

function checkRange(cursor: PageCursor): PageCursor {
  const { height, after } = cursor;
  const isInRange =
    Number.isInteger(height) &&
    Number.isInteger(after) &&
    height >= 0 &&
    height < heightLimit &&
    after >= -afterLimit &&
    after < afterLimit;
  if (!isInRange) throw new PageTokenError('the cursor is outside the range of a page token', { code: 'API_CURSOR_RANGE', height, after });
  return cursor;
}

/** A checksum of a query. Another query has the same one in 1 of 1,024 cases. */
const queryChecksum = (query: string): bigint =>
  BigInt.asUintN(checksumBits, BigInt(Buffer.from(sha256(Buffer.from(query))).readUInt16BE()));

const halfMask = (1n << 61n) - 1n;
const rounds = 4;

function encrypt(key: Uint8Array, bits: bigint): bigint {
  const hashHalf = roundFunction(key);
  let [left, right] = [bits >> 61n, bits & halfMask];
  for (let round = 0; round < rounds; round++) [left, right] = [right, left ^ hashHalf(round, right)];
  return (left << 61n) | right;
}

function decrypt(key: Uint8Array, bits: bigint): bigint {
  const hashHalf = roundFunction(key);
  let [left, right] = [bits >> 61n, bits & halfMask];
  for (let round = rounds - 1; round >= 0; round--) [left, right] = [right ^ hashHalf(round, left), left];
  return (left << 61n) | right;
}

/**
 * The round function of the Feistel network: a hash of key, round and half. All have fixed lengths, so a plain hash is as secure as an
 * HMAC.
 */
function roundFunction(key: Uint8Array): (round: number, bits: bigint) => bigint {
  const input = Buffer.alloc(key.length + 9);
  input.set(key);
  return (round, bits) => {
    input[key.length] = round;
    input.writeBigUInt64BE(bits, key.length + 1);
    return Buffer.from(sha256(input)).readBigUInt64BE() & halfMask;
  };
}

/** RFC 9562: 48 bits, version 4, 12 bits, variant 2, 62 bits. */
function uuidOf(bits: bigint): string {
  const all = ((bits >> 74n) << 80n) | (((bits >> 62n) & 0xfffn) << 64n) | (bits & 0x3fffffffffffffffn);
  return formatUuid(all.toString(16).padStart(32, '0'), 4);
}

/** Returns undefined unless the UUID is version 4; this server issues no others. */
function bitsOf(token: string): bigint | undefined {
  const all = BigInt(`0x${token.replaceAll('-', '')}`);
  if (((all >> 76n) & 0xfn) !== 4n || ((all >> 62n) & 3n) !== 2n) return undefined;
  return ((all >> 80n) << 74n) | (((all >> 64n) & 0xfffn) << 62n) | (all & 0x3fffffffffffffffn);
}

type PageTokenFault = { code: 'API_CURSOR_RANGE'; height: number; after: number };
class PageTokenError extends Fault<PageTokenFault> {}
