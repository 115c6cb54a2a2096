import { expect, test } from 'bun:test';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { formatBlockJson, formatBlockLine } from '../../cli/terminal/event-lines.ts';
import { createStyle, plainStyle } from '../../cli/terminal/style.ts';
import { type BlockSummary, maxAssets, mergeSummaries } from './block-summary.ts';
import { gatherBlocks, maxLines } from './gather-blocks.ts';

const avax = { symbol: 'AVAX', denomination: 9 };
const block = (height: bigint, more: Partial<BlockSummary> = {}): BlockSummary => ({
  chain: 'X',
  first: height,
  last: height,
  blocks: 1,
  txs: 1,
  kinds: new Map([['Transfer', 1]]),
  moved: new Map([['a', { ...avax, amount: 2_000_000_000n }]]),
  ...more,
});

test('the line of a block', () => {
  const kinds = new Map([
    ['Transfer', 2],
    ['Create asset', 1],
  ]);
  const moved = new Map([['a', { ...avax, amount: 1_250_000_000_000n }]]);
  const summary = block(42n, { txs: 3, kinds, moved });
  expect(formatBlockLine(summary, '14:02:11', plainStyle)).toBe('#42  14:02:11  3 tx  Transfer 2, Create asset 1  1,250 AVAX');
  expect(formatBlockLine({ ...summary, chain: 'games', moved: new Map() }, '14:02:11', plainStyle)).toBe(
    'games #42  14:02:11  3 tx  Transfer 2, Create asset 1',
  );
  expect(formatBlockLine(summary, '14:02:11', createStyle(true))).toContain('\x1b[1m#42\x1b[22m');
  expect(JSON.parse(formatBlockJson(summary, 't'))).toEqual({
    event: 'block',
    level: 'info',
    time: 't',
    chain: 'X',
    height: '42',
    txs: 3,
    kinds: { Transfer: 2, 'Create asset': 1 },
    moved: [{ assetID: 'a', symbol: 'AVAX', denomination: 9, amount: '1250000000000' }],
  });
});

test('a summary of several blocks adds counts and amounts, of a bounded number of assets', () => {
  const many = Array.from({ length: 20 }, (_, i) =>
    block(BigInt(i), { moved: new Map([[`asset ${i}`, { symbol: `S${i}`, denomination: 0, amount: 1n }]]) }),
  );
  const sum = many.reduce(mergeSummaries);
  expect(sum).toMatchObject({ first: 0n, last: 19n, blocks: 20, txs: 20 });
  expect(sum.moved.size).toBe(maxAssets);
  expect(formatBlockLine(sum, 't', plainStyle)).toBe('#0-#19  t  20 tx  Transfer 20  1 S0, 1 S1, 6 more assets');
  expect(mergeSummaries(block(7n), block(3n)).moved.get('a')?.amount).toBe(4_000_000_000n);
  expect(mergeSummaries(block(7n), block(3n))).toMatchObject({ first: 3n, last: 7n });
});

test('up to 20 blocks a second are shown one by one; more are gathered, in the next second from its start', async () => {
  const { timing, pass } = createVirtualTiming();
  const shown: BlockSummary[] = [];
  const gatherer = gatherBlocks((summary) => void shown.push(summary), timing.after);
  let height = 0n;
  const add = (count: number): void => {
    for (let i = 0; i < count; i++) gatherer.add(block(++height));
  };
  add(maxLines);
  expect(shown).toHaveLength(maxLines);
  add(30);
  expect(shown).toHaveLength(maxLines);
  await pass(1000);
  expect(shown.at(-1)).toMatchObject({ first: 21n, last: 50n, blocks: 30, txs: 30 });
  add(5);
  expect(shown).toHaveLength(maxLines + 1);
  await pass(1000);
  expect(shown.at(-1)).toMatchObject({ first: 51n, last: 55n });
  add(1);
  expect(shown.at(-1)).toMatchObject({ first: 56n, blocks: 1 });
  add(25);
  gatherer.close();
  expect(shown.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(81);
});

test('blocks of several chains are gathered apart', async () => {
  const { timing, pass } = createVirtualTiming();
  const shown: BlockSummary[] = [];
  const gatherer = gatherBlocks((summary) => void shown.push(summary), timing.after);
  for (let i = 0n; i < 60n; i++) gatherer.add(block(i / 2n, { chain: i % 2n === 0n ? 'X' : 'games' }));
  await pass(1000);
  expect(shown.slice(maxLines).map(({ chain, blocks }) => [chain, blocks])).toEqual([
    ['X', 20],
    ['games', 20],
  ]);
});
