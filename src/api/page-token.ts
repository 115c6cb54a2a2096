import { createHmac } from 'node:crypto';
import { sha256 } from '../bytes/hash.ts';
import { memoize } from '../bytes/memoize.ts';
import { Fault } from '../fault.ts';
import type { Cursor } from './route.ts';

/**
 * A page token is a UUID that nobody stores: the cursor itself, sealed. Every process with the same secret opens it, after a restart too.
 *
 *     17 bits  second of the day at which it was sealed
 *     33 bits  height of the block at which the listing began
 *     34 bits  the last item given, plus 2^33 since it may be below zero
 *     17 bits  check of the query it belongs to
 *     21 bits  zeros
 *
 * These 122 bits are shuffled by a Feistel network of four rounds under a key of the day, and stand where a random UUID (version 4) has its
 * random ones. Whoever guesses or changes a token gets bits that have no zeros where zeros belong, but for one in two million.
 */
export type PageSeal = {
  readonly seal: (cursor: Cursor, query: string, now: number) => string;
  readonly open: (token: string, query: string, now: number) => Opened;
};

/** `unknown`: expired, forged, or of another secret. `until`: the second from which on it has expired. */
export type Opened = { readonly cursor: Cursor; readonly until: number } | 'unknown' | 'other-query';

/** Seconds that a token is good for. */
export const tokenLife = 86_400;

/** `epoch`: how often the chain was reverted. A token of an earlier epoch is unknown: its height may have another block by now. */
export function createPageSeal(secret: Uint8Array, epoch: () => number): PageSeal {
  const keyNamed = memoize(8, (name: string) => createHmac('sha256', secret).update(name).digest());
  const keyOf = (day: number) => keyNamed(`page token ${epoch()} ${day}`);
  return {
    seal: (cursor, query, now) => {
      const { height, after } = checked(cursor);
      const second = BigInt(now % daySeconds);
      const bits = (((((second << 33n) | BigInt(height)) << 34n) | (BigInt(after) + afterZero)) << 17n) | BigInt(queryCheck(query));
      return uuidOf(shuffle(keyOf(dayOf(now)), bits << 21n));
    },
    open: (token, query, now) => {
      const bits = bitsOf(token);
      if (bits === undefined) return 'unknown';
      for (const day of new Set([dayOf(now), dayOf(now) - 1, dayOf(now + clockSkew)])) {
        const plain = unshuffle(keyOf(day), bits);
        if ((plain & 0x1fffffn) !== 0n) continue;
        const sealed = day * daySeconds + Number(plain >> 105n);
        if (now >= sealed + tokenLife || sealed > now + clockSkew) continue;
        if (Number((plain >> 21n) & 0x1ffffn) !== queryCheck(query)) return 'other-query';
        const after = Number(((plain >> 38n) & 0x3ffffffffn) - afterZero);
        return { cursor: { height: Number((plain >> 72n) & 0x1ffffffffn), after }, until: sealed + tokenLife };
      }
      return 'unknown';
    },
  };
}

const daySeconds = 86_400;
const dayOf = (now: number): number => Math.floor(now / daySeconds);

/** Clocks of machines that share a secret may be so many seconds apart. */
const clockSkew = 60;

const cursorEnd = 2 ** 33;
const afterZero = 1n << 33n;

function checked(cursor: Cursor): Cursor {
  const { height, after } = cursor;
  const fits =
    Number.isInteger(height) && Number.isInteger(after) && height >= 0 && height < cursorEnd && after >= -cursorEnd && after < cursorEnd;
  if (!fits) throw new PageTokenError('cursor does not fit into a page token', { code: 'API_CURSOR_RANGE', height, after });
  return cursor;
}

/** The same query always has the same number; another one has it once in 131,072 times. */
const queryCheck = (query: string): number => {
  const digest = sha256(Buffer.from(query));
  return (((digest[0] as number) << 16) | ((digest[1] as number) << 8) | (digest[2] as number)) & 0x1ffff;
};

const half = (1n << 61n) - 1n;
const rounds = 4;

function shuffle(key: Uint8Array, bits: bigint): bigint {
  const mix = mixer(key);
  let [left, right] = [bits >> 61n, bits & half];
  for (let round = 0; round < rounds; round++) [left, right] = [right, left ^ mix(round, right)];
  return (left << 61n) | right;
}

function unshuffle(key: Uint8Array, bits: bigint): bigint {
  const mix = mixer(key);
  let [left, right] = [bits >> 61n, bits & half];
  for (let round = rounds - 1; round >= 0; round--) [left, right] = [right ^ mix(round, left), left];
  return (left << 61n) | right;
}

/** A hash of key, round and half. All three have fixed lengths, so the plain hash is as good as a keyed one. */
function mixer(key: Uint8Array): (round: number, bits: bigint) => bigint {
  const input = Buffer.alloc(key.length + 9);
  input.set(key);
  return (round, bits) => {
    input[key.length] = round;
    input.writeBigUInt64BE(bits, key.length + 1);
    return Buffer.from(sha256(input)).readBigUInt64BE() & half;
  };
}

/** RFC 9562: 48 bits, version 4, 12 bits, variant 2, 62 bits. */
function uuidOf(bits: bigint): string {
  const all = ((bits >> 74n) << 80n) | (4n << 76n) | (((bits >> 62n) & 0xfffn) << 64n) | (2n << 62n) | (bits & 0x3fffffffffffffffn);
  const hex = all.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Undefined for a UUID of another kind: such a one was never given out. */
function bitsOf(token: string): bigint | undefined {
  const all = BigInt(`0x${token.replaceAll('-', '')}`);
  if (((all >> 76n) & 0xfn) !== 4n || ((all >> 62n) & 3n) !== 2n) return undefined;
  return ((all >> 80n) << 74n) | (((all >> 64n) & 0xfffn) << 62n) | (all & 0x3fffffffffffffffn);
}

export type PageTokenFault = { code: 'API_CURSOR_RANGE'; height: number; after: number };
export class PageTokenError extends Fault<PageTokenFault> {}
