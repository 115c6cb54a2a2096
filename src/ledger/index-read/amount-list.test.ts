import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { createCacheBudget, defaultCacheBytes } from '../../base/cache/cache-budget.ts';
import {
  type AmountList,
  type AmountPosition,
  amountPageStart,
  coversStart,
  createAmountListBuilder,
  indexBehind,
  indexOfEnd,
  maxListLength,
} from './amount-list.ts';
import type { Order } from './index-reads.ts';

type Listed = { readonly amount: bigint; readonly seq: number };
type Page = { readonly order: Order; readonly start: AmountPosition };

const build = (outputs: readonly Listed[], { order, start }: Page, maxLength = 1000, known?: AmountList): AmountList => {
  const builder = createAmountListBuilder(order, known?.start ?? start, maxLength, known);
  for (const { amount, seq } of outputs) builder.add(u64Bytes(amount), seq);
  return builder.finish({ newest: 0, oldest: 0 });
};

const behind = (list: AmountList, { order, start }: Page): number[] => [...list.seqs.subarray(indexBehind(list, order, start))];

const ascending = (a: Listed, b: Listed): number => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : a.seq - b.seq);
const sorted = (outputs: readonly Listed[], order: Order): Listed[] =>
  outputs.toSorted(order === 'asc' ? ascending : (a, b) => ascending(b, a));
const seqsOf = (outputs: readonly Listed[]): number[] => outputs.map(({ seq }) => seq);

const orders = fc.constantFrom<Order[]>('asc', 'desc');

test('a list has the outputs behind any position, in both orders, each once', () => {
  const amounts = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 64n - 1n), fc.constant(2n ** 32n));
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1 }), fc.nat(), fc.boolean(), orders, (values, at, isMoved, order) => {
      const outputs = values.map((amount, i) => ({ amount, seq: i - 3 }));
      const position = outputs[at % outputs.length] as Listed;
      const key = u64Bytes(position.amount);
      // At equal amounts an output that moved between chains is behind all others if the order is ascending, before them if it is descending.
      const after = isMoved ? { key, tie: new Uint8Array(8), seq: -1 } : { key, seq: position.seq };
      const place = isMoved ? { amount: position.amount, seq: Number.POSITIVE_INFINITY } : position;
      const isBehind = (one: Listed) => (order === 'asc' ? ascending(one, place) > 0 : ascending(place, one) > 0);
      const first = { order, start: amountPageStart(order, undefined, 0n) };
      const next = { order, start: amountPageStart(order, after, 0n) };
      const expected = seqsOf(sorted(outputs.filter(isBehind), order));
      const list = build([...outputs, ...outputs], first);
      expect(behind(list, first)).toEqual(seqsOf(sorted(outputs, order)));
      expect(behind(list, next)).toEqual(expected);
      expect([...build(outputs, next).seqs]).toEqual(expected);
      expect(coversStart(list, order, next.start)).toBe(true);
      expect(coversStart(build(outputs, next), order, first.start)).toBe(false);
    }),
  );
});

test('more outputs than are sorted at once', () => {
  const outputs = Array.from({ length: 20_000 }, (_, i) => ({ amount: BigInt((i * 7919) % 10_007), seq: i }));
  for (const order of ['asc', 'desc'] as const)
    for (const maxLength of [20_000, 5000]) {
      const list = build(outputs, { order, start: amountPageStart(order, undefined, 0n) }, maxLength);
      expect([...list.seqs]).toEqual(seqsOf(sorted(outputs, order)).slice(0, maxLength));
      expect(list.isCut).toBe(maxLength < 20_000);
    }
});

test('of too many outputs a list has the next ones of a page; with newer outputs it has no gap either', () => {
  const amounts = fc.bigInt(0n, 12n);
  const outputs = fc.array(amounts, { minLength: 1, maxLength: 60 }).map((values) => values.map((amount, i) => ({ amount, seq: i })));
  const positions = fc.option(fc.nat(70));
  fc.assert(
    fc.property(outputs, outputs, orders, positions, positions, fc.integer({ min: 1, max: 20 }), (old, later, order, built, asked, max) => {
      const pageAt = (index: number | null): Page => {
        const found = index === null ? undefined : old[index % old.length];
        return { order, start: amountPageStart(order, found && { key: u64Bytes(found.amount), seq: found.seq }, 0n) };
      };
      const newer = later.map(({ amount, seq }) => ({ amount, seq: old.length + seq }));
      const check = (list: AmountList, all: readonly Listed[]): void => {
        expect(list.seqs.length).toBeLessThanOrEqual(max);
        const page = pageAt(asked);
        if (!coversStart(list, order, page.start)) return;
        const expected = behind(build(all, pageAt(null)), page);
        const found = behind(list, page);
        expect(found).toEqual(list.isCut ? expected.slice(0, found.length) : expected);
        if (list.isCut) expect(found).not.toEqual([]);
      };
      const list = build(old, pageAt(built), max);
      check(list, old);
      check(build(newer, pageAt(built), max, list), [...old, ...newer]);
    }),
  );
});

test('a cut list does not serve a page that begins behind its last output', () => {
  const outputs = Array.from({ length: 101 }, (_, i) => ({ amount: BigInt(i), seq: i }));
  const list = build(outputs, { order: 'desc', start: amountPageStart('desc', undefined, 0n) }, 50);
  const startAfter = (seq: number) => amountPageStart('desc', { key: u64Bytes(BigInt(seq)), seq }, 0n);
  expect([100, 52, 51, 3].map((seq) => coversStart(list, 'desc', startAfter(seq)))).toEqual([true, true, false, false]);
});

test('pages with a least amount read the list of all amounts, to its last output that is large enough', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt(0n, 9n), { minLength: 1 }),
      fc.bigInt(0n, 10n),
      fc.option(fc.nat()),
      orders,
      (values, least, at, order) => {
        const outputs = values.map((amount, seq) => ({ amount, seq }));
        const last = at === null ? undefined : (outputs[at % outputs.length] as Listed);
        const isBehind = (one: Listed) => last === undefined || (order === 'asc' ? ascending(one, last) > 0 : ascending(last, one) > 0);
        const list = build(outputs, { order, start: amountPageStart(order, undefined, 0n) });
        const start = amountPageStart(order, last && { key: u64Bytes(last.amount), seq: last.seq }, least);
        expect(coversStart(list, order, start)).toBe(true);
        const found = [...list.seqs.subarray(indexBehind(list, order, start), indexOfEnd(list, order, least))];
        expect(found).toEqual(
          seqsOf(
            sorted(
              outputs.filter((one) => one.amount >= least && isBehind(one)),
              order,
            ),
          ),
        );
      },
    ),
  );
});

test('with default flags, a writer and a reader cache lists of 65,536 outputs', () => {
  const budget = createCacheBudget(defaultCacheBytes / 2);
  expect(maxListLength(budget)).toBe(65_536);
});
