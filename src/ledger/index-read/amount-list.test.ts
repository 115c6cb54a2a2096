import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { createCacheBudget, defaultCacheBytes } from '../../base/cache/cache-budget.ts';
import {
  type AmountList,
  type AmountPageStart,
  coversStart,
  createAmountListBuilder,
  extendList,
  maxListLength,
  walkAmounts,
} from './amount-list.ts';

type Listed = { readonly amount: bigint; readonly seq: number };

const firstPage: AmountPageStart = { order: 'asc', after: undefined, least: u64Bytes(0n) };

const finish = <T>(work: Generator<void, T>): T => {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
};

const build = (outputs: readonly Listed[], page = firstPage, maxLength?: number): AmountList => {
  const builder = createAmountListBuilder(page, maxLength);
  for (const { amount, seq } of outputs) {
    builder.add(u64Bytes(amount), seq);
    finish(builder.settle());
  }
  return finish(builder.finish({ newest: 0, oldest: 0 }));
};

const walk = (list: AmountList, order: 'asc' | 'desc', after: AmountPageStart['after'], least: Uint8Array): number[] => {
  const { next } = walkAmounts(list, { order, after, least });
  const seqs: number[] = [];
  for (let seq = next(); seq !== undefined; seq = next()) seqs.push(seq);
  return seqs;
};

const ascending = (a: Listed, b: Listed): number => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : a.seq - b.seq);

test('a list is walked both ways from behind any position, down to or up from any amount', () => {
  const amounts = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 64n - 1n), fc.constant(2n ** 32n));
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1 }), fc.nat(), amounts, fc.boolean(), (values, at, least, hasMoved) => {
      const outputs = values.map((amount, i) => ({ amount, seq: i - 3 }));
      const list = build(outputs);
      const position = outputs[at % outputs.length] as Listed;
      const key = u64Bytes(position.amount);
      // A position of an output that moved between chains is behind all others of its amount.
      const after = hasMoved ? { key, tie: new Uint8Array(8), seq: -1 } : { key, seq: position.seq };
      const isBehind = (one: Listed) => (hasMoved ? one.amount > position.amount : ascending(one, position) > 0);
      const isBefore = (one: Listed) => (hasMoved ? one.amount <= position.amount : ascending(one, position) < 0);
      const sorted = outputs.filter(({ amount }) => amount >= least).sort(ascending);
      const seqs = (some: readonly Listed[]) => some.map(({ seq }) => seq);
      expect(walk(list, 'asc', undefined, u64Bytes(least))).toEqual(seqs(sorted));
      expect(walk(list, 'desc', undefined, u64Bytes(least))).toEqual(seqs(sorted.toReversed()));
      expect(walk(list, 'asc', after, u64Bytes(least))).toEqual(seqs(sorted.filter(isBehind)));
      expect(walk(list, 'desc', after, u64Bytes(least))).toEqual(seqs(sorted.filter(isBefore).toReversed()));
    }),
  );
});

test('runs are merged in several steps', () => {
  const outputs = Array.from({ length: 20_000 }, (_, i) => ({ amount: BigInt((i * 7919) % 10_007), seq: i }));
  const list = build(outputs);
  expect(walk(list, 'asc', undefined, u64Bytes(0n))).toEqual([...outputs].sort(ascending).map(({ seq }) => seq));
  const builder = createAmountListBuilder(firstPage);
  for (const { amount, seq } of outputs) builder.add(u64Bytes(amount), seq);
  expect([...builder.finish({ newest: 0, oldest: 0 })].length).toBeGreaterThan(3);
});

test('of too many outputs, a list has the next ones of a page: a walk gives these and says that there may be more', () => {
  const amounts = fc.bigInt(0n, 12n);
  const outputs = fc.array(amounts, { minLength: 1, maxLength: 60 }).map((values) => values.map((amount, i) => ({ amount, seq: i })));
  const pages = fc.record({ order: fc.constantFrom('asc' as const, 'desc' as const), after: fc.option(fc.nat(70)), least: amounts });
  fc.assert(
    fc.property(outputs, outputs, pages, pages, fc.integer({ min: 2, max: 20 }), (old, later, builtFor, asked, maxLength) => {
      const startOf = ({ order, after, least }: typeof asked): AmountPageStart => {
        const found = after === null ? undefined : old[after % old.length];
        return { order, after: found && { key: u64Bytes(found.amount), seq: found.seq }, least: u64Bytes(least) };
      };
      const newer = later.map(({ amount, seq }) => ({ amount, seq: old.length + seq }));
      const list = build(old, startOf(builtFor), maxLength);
      expect(list.seqs.length).toBeLessThanOrEqual(maxLength);
      expect(coversStart(list, startOf(builtFor))).toBe(true);
      const check = (tested: AmountList, all: readonly Listed[]): void => {
        const start = startOf(asked);
        if (!coversStart(tested, start)) return;
        const expected = walk(build(all), start.order, start.after, start.least);
        const { next, isCut } = walkAmounts(tested, start);
        for (const seq of expected) if (!isCut()) expect(next()).toBe(seq);
        if (!isCut()) expect(next()).toBeUndefined();
      };
      check(list, old);
      const longer = extendList(list, build(newer), 1000);
      check(longer as AmountList, [...old, ...newer]);
      expect(longer?.window).toEqual(list.window);
    }),
  );
});

test('the window of a first page has half as many outputs as the longest list', () => {
  const outputs = Array.from({ length: 101 }, (_, i) => ({ amount: BigInt(i), seq: i }));
  const list = build(outputs, { ...firstPage, order: 'desc' }, 100);
  expect(list.seqs.length).toBe(50);
  expect(walk(list, 'desc', undefined, u64Bytes(99n))).toEqual([100, 99]);
  expect(coversStart(list, firstPage)).toBe(false);
  expect(extendList(list, build(outputs), 99)).toBeUndefined();
});

test('with default flags, a writer and a reader keep lists of 190,000 outputs', () => {
  const budget = createCacheBudget(defaultCacheBytes / 2);
  expect(maxListLength(budget)).toBeGreaterThan(190_000);
});
