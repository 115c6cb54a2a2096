/**
 * The Metrics API through @avalabs/avacloud-sdk 0.13.0 and @avalanche-sdk/chainkit 0.3.13. The numbers are compared with those counted from
 * the Data API.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type Avacloud,
  type DataClient,
  expectError,
  onX,
  openAvacloud,
  openChainkit,
  rawJson,
  readAllPages,
  txsOf,
} from './data-client.ts';
import { local } from './local-network.ts';
import { type Node, startNode } from './node.ts';
import { createSampleChain, type SampleChain } from './sample-chain.ts';

let node: Node;
let sample: SampleChain;

beforeAll(async () => {
  node = await startNode();
  sample = await createSampleChain(node);
});
afterAll(() => node.close());

const clients = { avacloud: openAvacloud, chainkit: openChainkit } as const;

for (const [clientName, open] of Object.entries(clients)) {
  const story = (name: string, run: (client: DataClient) => Promise<void>) =>
    test(`${clientName}: ${name}`, () => run(open(node.url)), 30_000);
  /** Reads all points of a metric, newest first. The chain ID is `x-chain`, where EVM chains have a number. */
  type Params = Omit<Parameters<Avacloud['metrics']['chains']['getMetrics']>[0], 'chainId'>;
  const series = ({ metrics, at }: DataClient, request: Params) =>
    readAllPages(metrics.chains.getMetrics({ chainId: 'x-chain', pageSize: 1, ...request }, at), ({ result }) => result.results);

  story('the server is healthy', async ({ metrics, at }) => {
    const up = { database: { status: 'up' }, cache: { status: 'up' } };
    expect(await metrics.healthCheck(at)).toEqual({ status: 'ok', info: up, error: {}, details: up } as never);
  });

  story('the chains', async ({ metrics, at, errors }) => {
    // Responses must have an `evmChainId`; 0 is not used by any EVM chain. The client distinguishes only mainnet and testnet.
    const x = { evmChainId: 0, blockchainId: local.xBlockchainID, subnetId: local.pBlockchainID, network: 'testnet' } as const;
    const list = (network?: 'mainnet' | 'testnet' | 'fuji') =>
      readAllPages(metrics.chains.list(network === undefined ? {} : { network }, at), ({ result }) => result.chains);
    expect(await list()).toMatchObject([x]);
    expect(await list('testnet')).toEqual(await list());
    expect(await list('fuji')).toEqual(await list());
    expect(await list('mainnet')).toEqual([]);
    for (const chainId of ['X', 'x-chain', local.xBlockchainID]) expect(await metrics.chains.get({ chainId }, at)).toMatchObject(x);
    await expectError(errors.missing, metrics.chains.get({ chainId: '43114' }, at));
  });

  story('counts by hour, day, week and month', async (client) => {
    for (const timeInterval of ['hour', 'day', 'week', 'month'] as const) {
      const points = await series(client, { metric: 'txCount', timeInterval });
      expect(sum(points)).toBe(sample.ids.length);
      expect(points.map(({ timestamp }) => timestamp)).toEqual(points.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a));
    }
  });

  story('the other seven metrics', async (client) => {
    const seen = await countFromTransactions(client);
    const newest = async (metric: Params['metric'], timeInterval: 'day' | 'month' = 'day') =>
      (await series(client, { metric, timeInterval }))[0]!.value;
    expect(await newest('cumulativeTxCount')).toBe(sample.ids.length);
    expect(await newest('avgTps')).toBeGreaterThan(0);
    expect(Math.max(...(await series(client, { metric: 'maxTps' })).map(({ value }) => value))).toBeCloseTo(seen.maxTps);
    expect(await newest('activeAddresses', 'month')).toBe(seen.active);
    expect(await newest('activeSenders', 'month')).toBe(seen.senders);
    expect(await newest('cumulativeAddresses')).toBeGreaterThanOrEqual(seen.active);
    expect(sum(await series(client, { metric: 'feesPaid' }))).toBe(sample.ids.length * Number(local.txFee));
  });

  story('a time without blocks', async (client) => {
    const { timestamp } = (await series(client, { metric: 'txCount', timeInterval: 'hour' })).at(-1)!;
    expect(await series(client, { metric: 'txCount', timeInterval: 'hour', endTimestamp: timestamp })).toEqual([]);
    expect(await series(client, { metric: 'txCount', startTimestamp: 4_000_000_000 })).toEqual([]);
  });

  story('rolling windows', async ({ metrics, at, ...client }) => {
    const windows = async (metric: 'txCount' | 'avgTps' | 'maxTps' | 'feesPaid') =>
      (await metrics.chains.getRollingWindowMetrics({ chainId: 'x-chain', metric }, at)).result;
    const txs = sample.ids.length;
    const { maxTps } = await countFromTransactions({ metrics, at, ...client } as DataClient);
    expect(await windows('txCount')).toMatchObject({ lastHour: txs, lastDay: txs, lastMonth: txs, lastYear: txs, allTime: txs });
    const fees = txs * Number(local.txFee);
    expect(await windows('feesPaid')).toMatchObject({ lastHour: fees, lastDay: fees, lastMonth: fees, lastYear: fees, allTime: fees });
    expect((await windows('maxTps')).lastHour).toBeCloseTo(maxTps);
    expect((await windows('avgTps')).allTime).toBeGreaterThan(0);
  });

  story('metrics that the X-Chain does not have are rejected', async (client) => {
    const { metrics, at, errors } = client;
    for (const metric of [
      'gasUsed',
      'avgGps',
      'maxGps',
      'avgGasPrice',
      'maxGasPrice',
      'cumulativeContracts',
      'cumulativeDeployers',
    ] as const) {
      const why = await expectError(errors.bad, series(client, { metric }));
      expect(`${why.data$.message}`).toContain(metric);
      expect(why.data$).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    }
    for (const metric of ['gasUsed', 'avgGps', 'maxGps', 'avgGasPrice', 'maxGasPrice'] as const)
      await expectError(errors.bad, metrics.chains.getRollingWindowMetrics({ chainId: 'x-chain', metric }, at));
    for (const metric of ['cumulativeTxCount', 'avgTps', 'maxTps', 'cumulativeAddresses', 'feesPaid'] as const)
      expect(`${(await expectError(errors.bad, series(client, { metric, timeInterval: 'hour' }))).data$.message}`).toContain('day');
    await expectError(errors.bad, series(client, { metric: 'txCount', pageSize: 2161 }));
    await expectError(errors.missing, metrics.chains.getMetrics({ chainId: 'mainnet', metric: 'txCount' }, at));
    const staking = metrics.networks.getStakingMetrics({ network: 'fuji', metric: 'validatorCount', subnetId: local.pBlockchainID }, at);
    expect((await expectError(errors.missing, staking)).message).toContain('P-Chain');
  });
}

test('chainkit: calls that avacloud does not have', async () => {
  const client = openChainkit(node.url);
  const { metrics, at, errors } = client;
  expect((await metrics.liveCheck(at)).status).toBe('ok');
  const { active, senders } = await countFromTransactions(client);
  const windows = async (metric: 'activeAddresses' | 'activeSenders') =>
    (await metrics.chains.getRollingWindowMetrics({ chainId: 'X', metric }, at)).result;
  expect(await windows('activeAddresses')).toMatchObject({ lastHour: active, lastWeek: active, last90Days: active, allTime: active });
  expect(await windows('activeSenders')).toMatchObject({ lastHour: senders, lastDay: senders });
  await expectError(errors.bad, metrics.chains.getRollingWindowMetrics({ chainId: 'X', metric: 'deployers' }, at));
});

test('avg_tps without a client includes every transaction at once', async () => {
  for (let round = 0; round < 3; round++) {
    await sample.pay(sample.frank, 1n);
    const requestedAt = unixSeconds();
    const { results, status, lastRun } = await rawJson<Averages>(`${node.url}/v1/avg_tps/X`);
    expect(status).toBe(200);
    expect(lastRun).toBeGreaterThanOrEqual(requestedAt);
    expect(lastRun).toBeLessThanOrEqual(Math.max(unixSeconds(), await lastTime()));
    // The average of a day, times its seconds up to the last block, is its number of transactions. A test at midnight has two days.
    const [today, ...earlier] = results;
    const inside = (await lastTime()) - today!.timestamp;
    if (earlier.length === 0) expect(today!.value * Math.max(1, inside)).toBeCloseTo(sample.ids.length, 2);
    const { results: later } = await rawJson<Averages>(`${node.url}/v2/chains/X/metrics/avgTps`);
    // A second may have passed between the two answers, and today is divided by the seconds so far.
    expect(later.map(({ timestamp }) => timestamp)).toEqual(results.map(({ timestamp }) => timestamp));
    for (const [at, { value }] of later.entries()) expect(value / results[at]!.value).toBeCloseTo(1, 3);
  }
  for (const name of ['x-chain', local.xBlockchainID])
    expect((await rawJson<Averages>(`${node.url}/v1/avg_tps/${name}`)).results).not.toEqual([]);
  expect(await rawJson<object>(`${node.url}/v1/avg_tps/43114`)).toMatchObject({ statusCode: 404, error: 'Not Found' });
});

type Averages = {
  readonly results: { readonly timestamp: number; readonly value: number }[];
  readonly status: number;
  readonly lastRun: number;
};

const unixSeconds = (): number => Math.floor(Date.now() / 1_000);

async function lastTime(): Promise<number> {
  const { height } = await node.call<{ height: string }>('/ext/bc/X', 'avm.getHeight');
  const request = { height, encoding: 'json' };
  return (await node.call<{ block: { time: number } }>('/ext/bc/X', 'avm.getBlockByHeight', request)).block.time;
}

/** The same numbers, counted from the transactions of the Data API. */
async function countFromTransactions({ data, at }: DataClient) {
  const txs = await readAllPages(data.primaryNetwork.transactions.listLatest({ ...onX, pageSize: 100, sortOrder: 'asc' }, at), txsOf);
  const owners = (utxos: { addresses: string[] }[]) => utxos.flatMap(({ addresses }) => addresses);
  const made = txs.filter(({ blockHeight }) => blockHeight > 0);
  const perSecond = new Map<number, number>();
  for (const { timestamp } of made) perSecond.set(timestamp, (perSecond.get(timestamp) ?? 0) + 1);
  const seconds = [...perSecond.keys()];
  return {
    active: new Set(made.flatMap(({ consumedUtxos, emittedUtxos }) => owners([...consumedUtxos, ...emittedUtxos]))).size,
    senders: new Set(made.flatMap(({ consumedUtxos }) => owners(consumedUtxos))).size,
    maxTps: Math.max(...seconds.slice(1).map((second, i) => perSecond.get(second)! / (second - seconds[i]!))),
  };
}

const sum = (points: readonly { readonly value: number }[]): number => points.reduce((total, { value }) => total + value, 0);
