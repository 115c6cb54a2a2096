import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../../test/random.ts';
import { abovePreLinearization, outputNumber, outputsPerTx } from '../../ledger/state/output-number.ts';
import { createPageSeal, tokenLife } from './page-token.ts';

const seal = createPageSeal(Buffer.from('a secret of this server'), () => 0);
const now = 1_763_182_000;
const [heightEnd, end] = [2 ** 32, 2 ** 52];
/** The first second at which a token is expired. */
const untilOf = (made: number): number => made + 86_400;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const cursors = fc.record({ height: fc.integer({ min: 0, max: heightEnd - 1 }), after: fc.integer({ min: -end, max: end - 1 }) });
const times = fc.integer({ min: 0, max: 4_000_000_000 });
const runs = { numRuns: hostileRounds(0.02) };

test(
  'open returns the sealed cursor while the token is valid, in any process with the secret',
  () => {
    const other = createPageSeal(Buffer.from('a secret of this server'), () => 0);
    fc.assert(
      fc.property(cursors, fc.string(), times, fc.integer({ min: 0, max: 86_399 }), (cursor, query, made, age) => {
        const token = seal.seal(cursor, query, made);
        expect(token).toMatch(uuid);
        expect(other.open(token, query, made + age)).toEqual({ cursor, until: untilOf(made) });
        expect(other.open(token.toUpperCase(), query, made + age)).toEqual({ cursor, until: untilOf(made) });
      }),
      runs,
    );
  },
  hostileTimeout,
);

test('a token is valid for exactly 24 hours', () => {
  const lateOnes: unknown[] = [];
  fc.assert(
    fc.property(cursors, times, (cursor, made) => {
      const token = seal.seal(cursor, 'q', made);
      expect(seal.open(token, 'q', untilOf(made) - 1)).toEqual({ cursor, until: untilOf(made) });
      expect(seal.open(token, 'q', untilOf(made))).not.toEqual({ cursor, until: untilOf(made) });
      for (const late of [0, 1, 960, 3600, tokenLife, 30 * tokenLife]) lateOnes.push(seal.open(token, 'q', untilOf(made) + late));
    }),
    runs,
  );
  // The key of another day decrypts too: one in 1,500 then looks like a token of another query.
  expect(lateOnes.filter((opened) => opened !== 'unknown').length).toBeLessThan(5 + lateOnes.length / 200);
  expect(lateOnes.filter((opened) => typeof opened === 'object').length).toBeLessThanOrEqual(1);
});

test('clocks may differ by a minute, also around midnight', () => {
  const midnight = Math.ceil(now / 86_400) * 86_400;
  for (const made of [now, midnight, midnight + 30]) {
    const token = seal.seal({ height: 1, after: 2 }, 'q', made);
    expect(seal.open(token, 'q', made - 60)).toMatchObject({ cursor: { height: 1, after: 2 } });
    expect(seal.open(token, 'q', made - 61)).toBe('unknown');
  }
});

test('a token of another query is distinguished from an unknown token', () => {
  // The checksum has 10 bits, so a few of 2000 other queries pass.
  const token = seal.seal({ height: 7, after: 8 }, 'GET blocks', now);
  const seen = Array.from({ length: 2000 }, (_, at) => seal.open(token, `GET blocks ${at}`, now));
  expect(seen.filter((opened) => opened === 'other-query').length).toBeGreaterThan(1985);
  expect(seal.open(token, 'other', untilOf(now))).toBe('unknown');
});

describe('forged tokens', () => {
  test(
    'no changed digit makes another token',
    () => {
      const token = seal.seal({ height: 1_000_000, after: 12_345 }, 'q', now);
      const digits = '0123456789abcdef';
      let tried = 0;
      let passed = 0;
      for (let at = 0; at < token.length; at++)
        for (const digit of token[at] === '-' ? '' : digits) {
          if (digit === token[at]) continue;
          tried++;
          const opened = seal.open(token.slice(0, at) + digit + token.slice(at + 1), 'q', now);
          expect(typeof opened).toBe('string');
          if (opened !== 'unknown') passed++;
        }
      expect(tried).toBe(480);
      // One in 1,500 looks like a token of another query.
      expect(passed).toBeLessThan(5);
    },
    hostileTimeout,
  );

  test(
    'random UUIDs and tokens of another secret are unknown',
    () => {
      const otherSecret = createPageSeal(Buffer.from('another secret'), () => 0);
      const opened: unknown[] = [];
      fc.assert(
        fc.property(fc.uuid(), cursors, (random, cursor) => {
          opened.push(seal.open(random, 'q', now), seal.open(otherSecret.seal(cursor, 'q', now), 'q', now));
        }),
        runs,
      );
      // One in 1,500 passes, nearly all of them as tokens of other queries.
      expect(opened.filter((each) => each !== 'unknown').length).toBeLessThan(8 + opened.length / 500);
      expect(opened.filter((each) => typeof each === 'object').length).toBeLessThanOrEqual(1);
    },
    hostileTimeout,
  );
});

test('tokens of consecutive cursors look random: every bit changes half of the time', () => {
  const size = 4000;
  const ones = new Array<number>(128).fill(0);
  const turned = new Array<number>(128).fill(0);
  let before = 0n;
  for (let at = 0; at < size; at++) {
    const bits = BigInt(`0x${seal.seal({ height: 5000, after: at }, 'q', now).replaceAll('-', '')}`);
    for (let bit = 0; bit < 128; bit++) {
      if ((bits >> BigInt(bit)) & 1n) ones[bit] = (ones[bit] as number) + 1;
      if (((bits ^ before) >> BigInt(bit)) & 1n) turned[bit] = (turned[bit] as number) + 1;
    }
    before = bits;
  }
  // Version and variant bits do not change.
  const fixed = new Set([62, 63, 76, 77, 78, 79]);
  for (let bit = 0; bit < 128; bit++) {
    if (fixed.has(bit)) continue;
    // Six standard deviations: 0.5 / sqrt(4000) * 6.
    expect(Math.abs((ones[bit] as number) / size - 0.5)).toBeLessThan(0.048);
    expect(Math.abs((turned[bit] as number) / size - 0.5)).toBeLessThan(0.048);
  }
});

test('a page may end with any output, also with one of the four thousand millionth transaction', () => {
  for (const after of [outputNumber(8192, 0), outputNumber(heightEnd - 1, outputsPerTx - 1), abovePreLinearization - heightEnd]) {
    const cursor = { height: heightEnd - 1, after };
    expect(seal.open(seal.seal(cursor, 'q', now), 'q', now)).toMatchObject({ cursor });
  }
});

test('a cursor out of range is rejected', () => {
  for (const cursor of [
    { height: -1, after: 0 },
    { height: heightEnd, after: 0 },
    { height: 0, after: end },
    { height: 0, after: -end - 1 },
    { height: 0.5, after: 0 },
    { height: Number.NaN, after: 0 },
  ])
    expect(() => seal.seal(cursor, 'q', now)).toThrow('outside the range');
});

test('a token of another epoch is unknown, because after a revert its height may have another block', () => {
  let epoch = 0;
  const reverted = createPageSeal(Buffer.from('a secret of this server'), () => epoch);
  const token = reverted.seal({ height: 7, after: 3 }, 'query', now);
  expect(reverted.open(token, 'query', now)).toEqual({ cursor: { height: 7, after: 3 }, until: untilOf(now) });
  epoch = 1;
  expect(reverted.open(token, 'query', now)).toBe('unknown');
});
