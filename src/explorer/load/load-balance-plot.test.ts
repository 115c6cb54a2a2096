import { expect, test } from 'bun:test';
import { loadBalancePlot } from './load-balance-plot.ts';
import type { PageContext } from './page-context.ts';
import type { Source } from './source.ts';

const hour = 3600;
const now = 1000 * hour;
const context = {
  network: { name: 'local' },
  chain: { slug: 'x-chain', feeAsset: 'A', feeSymbol: 'AVAX', feeDecimals: 9 },
} as unknown as PageContext;

/** A server that has a balance of `n` after block `n`, an hour before the next one, and counts requests. */
function openSource({ isSampled }: { isSampled: boolean }) {
  const asked: string[] = [];
  const times = Array.from({ length: 40 }, (_, n) => now - (40 - n) * hour);
  const get = async (path: string) => {
    asked.push(path);
    const start = Number(/startTimestamp=(\d+)/.exec(path)?.[1] ?? 0);
    const first = Math.max(
      0,
      times.findLastIndex((time) => time < start),
    );
    const points = times.slice(first).map((timestamp, n) => ({
      blockNumber: String(first + n),
      timestamp,
      amount: String(first + n),
      nfts: 0,
    }));
    return { status: 200, body: { isSampled, points } };
  };
  return { asked, source: { get } as unknown as Source };
}

const load = (source: Source, range: string | null) => loadBalancePlot(source, context, 'X-local1me', { asset: undefined, range, now });

test('a history with every change is read once: the points of the range are cut from it', async () => {
  const { source, asked } = openSource({ isSampled: false });
  const found = await load(source, null);
  expect(asked).toHaveLength(1);
  expect(found?.changes).toHaveLength(40);
  expect(found?.plot.range).toBe('1d');
  // The balance at the start of the range is older.
  expect(found?.plot.points[0]).toEqual([now - 24 * hour, '15']);
  expect(found?.plot.points).toHaveLength(25);
  expect(found?.plot.points).toEqual((await load(source, '1d'))?.plot.points as never);
});

test('a sampled history is read again for its range, and tells nobody every change', async () => {
  const { source, asked } = openSource({ isSampled: true });
  const found = await load(source, null);
  expect(asked.map((path) => path.includes('startTimestamp'))).toEqual([false, true]);
  expect(found?.changes).toBeUndefined();
});
