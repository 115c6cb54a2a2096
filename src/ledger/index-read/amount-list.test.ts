import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { createCacheBudget, defaultCacheBytes } from '../../base/cache/cache-budget.ts';
import { createAmountListBuilder, maxListLength, walkAmounts } from './amount-list.ts';

type Listed = { readonly amount: bigint; readonly seq: number };

const build = (outputs: readonly Listed[], maxLength?: number) => {
  const builder = createAmountListBuilder(maxLength);
  for (const { amount, seq } of outputs) builder.add(u64Bytes(amount), seq);
  const merging = builder.finish({ newest: 0, oldest: 0 });
  let step = merging.next();
  while (step.done !== true) step = merging.next();
  return step.value;
};

const walk = (...args: Parameters<typeof walkAmounts>): number[] => {
  const { next } = walkAmounts(...args);
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
      if (list === undefined) throw new Error('the list is not too long');
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

test('runs are merged in several steps, and a list that would be too long is not built', () => {
  const outputs = Array.from({ length: 20_000 }, (_, i) => ({ amount: BigInt((i * 7919) % 10_007), seq: i }));
  const list = build(outputs);
  expect(list && walk(list, 'asc', undefined, u64Bytes(0n))).toEqual([...outputs].sort(ascending).map(({ seq }) => seq));
  const builder = createAmountListBuilder();
  for (const { amount, seq } of outputs) builder.add(u64Bytes(amount), seq);
  expect([...builder.finish({ newest: 0, oldest: 0 })].length).toBeGreaterThan(3);
  expect(build(outputs, 19_999)).toBeUndefined();
});

test('with default flags, a writer and a reader keep lists of 190,000 outputs', () => {
  const budget = createCacheBudget(defaultCacheBytes / 2);
  expect(maxListLength(budget)).toBeGreaterThan(190_000);
});
