import { expect, test } from 'bun:test';
import { targetBlockSize } from '../../chain/lifecycle/builder.ts';
import type { ExplorerDeps } from './deps.ts';
import { noTxs, type SecondCounts } from './throughput.ts';
import { throughputRoutes } from './throughput-routes.ts';

const second = (blocks: number, bytes: number, fees: bigint, txs: object): SecondCounts => ({
  blocks,
  bytes,
  fees,
  txs: { ...noTxs, ...txs },
});

async function read(seconds: readonly (readonly [time: number, counts: SecondCounts])[], window: number, latency?: object) {
  const chain = { slug: 'x-chain', aliases: ['X'], id: '00'.repeat(32), live: latency && { latency: async () => latency } };
  const served = { chains: [chain], otherChains: [], network: { names: ['local'], hrp: 'local' } };
  const throughputOf = () => ({ read: async () => ({ end: 100, height: 7, seconds: new Map(seconds) }) });
  const [route] = throughputRoutes;
  const run = route?.run as unknown as (deps: ExplorerDeps, params: object) => Promise<{ figures: object; seconds: object[] }>;
  return run({ served, throughputOf } as unknown as ExplorerDeps, { seconds: window, network: 'local', blockchainId: 'x-chain' });
}

const seconds = [
  [40, second(1, 9, 9n, { BaseTx: 50 })],
  [91, second(1, 100, 5n, { BaseTx: 1 })],
  [95, second(1, 200, 7n, { BaseTx: 4, ImportTx: 1 })],
  [99, second(2, 300, 0n, { ExportTx: 5 })],
  [100, second(1, 400, 1n, { BaseTx: 3 })],
] as const;

test('figures of the window: sums, means, the peak second, and the rate of the last five full seconds', async () => {
  const answer = await read(seconds, 10);
  expect(answer).toMatchObject({ endTimestamp: 100, windowSeconds: 10, lastBlockNumber: '7' });
  expect(answer.figures).toEqual({
    ...{ tps: (5 + 5) / 5, meanTps: 14 / 10, peakTps: 5, blockCount: 5, meanBlockFill: 1000 / 5 / targetBlockSize },
    ...{ txCount: 14, txCountByType: { ...noTxs, BaseTx: 8, ImportTx: 1, ExportTx: 5 }, bytes: 1000, burned: '13', latency: undefined },
  });
  expect(answer.seconds[1]).toEqual({
    timestamp: 95,
    blockCount: 1,
    txCount: 5,
    txCountByType: { ...noTxs, BaseTx: 4, ImportTx: 1 },
    bytes: 200,
    burned: '7',
  });
});

test('a window has the seconds after its start', async () => {
  const timesOf = async (window: number) => (await read(seconds, window)).seconds.map((one) => (one as { timestamp: number }).timestamp);
  expect([await timesOf(9), await timesOf(60), await timesOf(61)]).toEqual([
    [95, 99, 100],
    [91, 95, 99, 100],
    [40, 91, 95, 99, 100],
  ]);
});

test('without blocks there is no fill; a latency without a transaction is none', async () => {
  expect((await read([], 10)).figures).toMatchObject({ tps: 0, peakTps: 0, meanBlockFill: 0, blockCount: 0, burned: '0' });
  expect((await read([], 10, { count: 0, p50: 0 })).figures).toMatchObject({ latency: undefined });
  expect((await read([], 10, { count: 2, p50: 5 })).figures).toMatchObject({ latency: { count: 2, p50: 5 } });
});
