import { expect, test } from 'bun:test';
import { addMoved, type BlockSummary, type MovedAmount, maxAssets, mergeSummaries } from './block-summary.ts';

const moved = (amount: bigint): MovedAmount => ({ symbol: 'GLD', denomination: 2, amount });
const summary = (first: bigint, last: bigint, kinds: object, amounts: object): BlockSummary => ({
  ...{ chain: 'X', first, last, blocks: Number(last - first) + 1, txs: 3 },
  ...{ kinds: new Map(Object.entries(kinds)), moved: new Map(Object.entries(amounts)) },
});

test('summaries are added up: the range of heights, blocks, transactions, kinds and amounts', () => {
  const earlier = summary(3n, 4n, { Transfer: 2, Import: 1 }, { gold: moved(5n) });
  const later = summary(5n, 7n, { Transfer: 1, Export: 2 }, { gold: moved(7n), silver: moved(1n) });
  const merged = mergeSummaries(earlier, later);
  expect(merged).toEqual({
    ...{ chain: 'X', first: 3n, last: 7n, blocks: 5, txs: 6 },
    ...{
      kinds: new Map([
        ['Transfer', 3],
        ['Import', 1],
        ['Export', 2],
      ]),
      moved: new Map([
        ['gold', moved(12n)],
        ['silver', moved(1n)],
      ]),
    },
  });
  expect([earlier.kinds.get('Transfer'), earlier.moved.get('gold')]).toEqual([2, moved(5n)]);
});

test('after a revert the heights begin again at a lower one', () => {
  const { first, last } = mergeSummaries(summary(8n, 9n, {}, {}), summary(2n, 2n, {}, {}));
  expect([first, last]).toEqual([2n, 9n]);
});

test('eight assets are shown; amounts of these are still added', () => {
  const all = new Map<string, MovedAmount>();
  for (let i = 0; i <= maxAssets; i++) addMoved(all, `a${i}`, moved(1n));
  expect([all.size, all.has(`a${maxAssets - 1}`), maxAssets]).toEqual([8, true, 8]);
  addMoved(all, 'a0', moved(4n));
  expect(all.get('a0')).toEqual(moved(5n));
});
