/**
 * The Data API through @avalanche-sdk/chainkit 0.3.13.
 *
 * The client accepts only three network names and the IDs of their chains, in requests and in responses. So the stories call the network
 * fuji and name the chain by its alias.
 *
 * | Call                    | Cannot, and why                                                                        |
 * |-------------------------|----------------------------------------------------------------------------------------|
 * | getChainIdsForAddresses | the response has chain IDs: the client rejects those of a private chain, not of fuji    |
 * | evm.chains              | for EVM chains only, and the X-Chain is not one                                         |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startProgram } from '../../program.ts';
import { balancesOf, type Chainkit, expectError, onX, openChainkit, rawJson, readAllPages, txOf, txsOf, utxosOf } from './data-client.ts';
import { historyStories } from './data-history.ts';
import { outputStories } from './data-holdings.ts';
import { local } from './local-network.ts';
import { startNode } from './node.ts';
import { amounts, createSampleChain, fujiAddress } from './sample-chain.ts';
import { runStories, type StoryContext } from './story-context.ts';

let context: StoryContext & { readonly client: Chainkit };

beforeAll(async () => {
  const node = await startNode();
  context = { node, sample: await createSampleChain(node), client: openChainkit(node.url) };
});
afterAll(() => context.node.close());

const story = (name: string, run: (given: typeof context) => Promise<void>) => test(`chainkit: ${name}`, () => run(context), 30_000);

runStories('chainkit', () => context, historyStories, outputStories);

story('the server is healthy', async ({ client: { data, at } }) => {
  const up = { database: { status: 'up' }, cache: { status: 'up' } } as const;
  expect(await data.healthCheck(at)).toEqual({ status: 'ok', info: up, error: {}, details: up });
  expect(await data.liveCheck(at)).toEqual({ status: 'ok', info: up, error: {}, details: up });
});

story('UTXOs sorted by amount, with a minimum amount', async ({ sample, client: { data, at } }) => {
  const { utxos } = data.primaryNetwork;
  type Params = Omit<Parameters<typeof utxos.listByAddresses>[0], 'blockchainId'>;
  const list = async (request: Params) => {
    const found = await readAllPages(
      utxos.listByAddresses({ ...onX, addresses: fujiAddress(sample.frank), pageSize: 3, ...request }, at),
      utxosOf,
    );
    return found.map(({ asset }) => BigInt(asset.amount));
  };
  const ascending = amounts.smallPayments.toSorted();
  expect(await list({ sortBy: 'amount', sortOrder: 'asc' })).toEqual(ascending);
  expect(await list({ sortBy: 'amount' })).toEqual(ascending.toReversed());
  expect(await list({ sortBy: 'amount', minUtxoAmount: 44 })).toEqual(ascending.filter((amount) => amount >= 44n).toReversed());
  expect((await list({ minUtxoAmount: 44 })).toSorted()).toEqual(ascending.filter((amount) => amount >= 44n));
  expect(await list({ minUtxoAmount: 78 })).toEqual([]);
});

story('UTXOs of many addresses, by POST', async ({ sample, client: { data, at } }) => {
  const { utxos } = data.primaryNetwork;
  const { alice, bob, carol, dora, frank, txs } = sample;
  const addresses = [alice, bob, carol, dora, frank].map(fujiAddress).join(',');
  const primaryNetworkAddressesBodyDto = { addresses };
  const both = async (filter: {
    assetId?: string;
    includeSpent?: boolean;
    minUtxoAmount?: number;
    sortBy?: 'amount' | 'timestamp';
    sortOrder?: 'asc' | 'desc';
  }) => {
    const posted = await readAllPages(
      utxos.listByAddressesV2({ ...onX, pageSize: 7, ...filter, primaryNetworkAddressesBodyDto }, at),
      utxosOf,
    );
    expect(posted).toEqual(await readAllPages(utxos.listByAddresses({ ...onX, pageSize: 5, ...filter, addresses }, at), utxosOf));
    return posted;
  };
  const unspent = await both({});
  expect(new Set(unspent.map(({ utxoId }) => utxoId)).size).toBe(unspent.length);
  expect(unspent.some(({ creationTxHash }) => creationTxHash === txs.shared)).toBe(true);
  expect((await both({ includeSpent: true })).length).toBeGreaterThan(unspent.length);
  expect((await both({ assetId: txs.asset, includeSpent: true })).every(({ asset }) => asset.assetId === txs.asset)).toBe(true);
  await both({ sortBy: 'amount', sortOrder: 'asc', minUtxoAmount: 50 });
  await both({ sortBy: 'timestamp', sortOrder: 'asc', includeSpent: true, minUtxoAmount: 1 });
  // A POST allows larger pages than a GET.
  const whole = await utxos.listByAddressesV2({ ...onX, pageSize: 1024, primaryNetworkAddressesBodyDto }, at);
  expect(utxosOf(whole)).toEqual(unspent);
});

story('utxoBytes equal the bytes of avm.getUTXOs', async ({ node, sample, client: { data, at } }) => {
  const { frank } = sample;
  const request = { ...onX, addresses: fujiAddress(frank), pageSize: 100 };
  const bytes = (await readAllPages(data.primaryNetwork.utxos.listByAddresses(request, at), utxosOf)).map(({ utxoBytes }) => utxoBytes);
  const { utxos } = await node.call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', {
    addresses: [frank.addressOn('X')],
    encoding: 'hex',
  });
  expect(bytes.toSorted()).toEqual(utxos.toSorted());
});

story('the last activity of addresses', async ({ sample, client: { data, at } }) => {
  const { utxos, transactions } = data.primaryNetwork;
  const { bob, frank, smallPayments, ids } = sample;
  const last = smallPayments.at(-1)!;
  const { timestamp, emittedUtxos } = txOf(await transactions.get({ ...onX, txHash: last }, at));
  const answer = {
    timestamp,
    blockNumber: `${ids.indexOf(last) + 1}`,
    txHash: last,
    utxoId: emittedUtxos.find(({ addresses }) => addresses[0] === fujiAddress(frank))!.utxoId,
    isConsumed: false,
    chainName: 'x-chain',
    network: 'fuji',
  } as const;
  const addresses = [bob, frank].map(fujiAddress).join(',');
  expect(await utxos.getLastActivityTimestampByAddresses({ ...onX, addresses }, at)).toEqual(answer);
  const primaryNetworkAddressesBodyDto = { addresses };
  expect(await utxos.getLastActivityTimestampByAddressesV2({ ...onX, primaryNetworkAddressesBodyDto }, at)).toEqual(answer);
});

story('the blockchains of the network', async ({ client: { data, at, errors } }) => {
  const { primaryNetwork: primary } = data;
  const list = await readAllPages(primary.listBlockchains({}, at), ({ result }) => result.blockchains);
  const x = list.find(({ blockchainId }) => blockchainId === local.xBlockchainID);
  expect(x).toMatchObject({ blockchainName: 'X-Chain', subnetId: local.pBlockchainID });
  expect(x!.evmChainId).toBe(0);
  expect(x!.genesisData).toBeUndefined();
  const { genesisData, ...rest } = await primary.getBlockchainById({ blockchainId: local.xBlockchainID }, at);
  expect(rest).toEqual(x!);
  expect(genesisData).toBeDefined();
  await expectError(errors.missing, primary.getBlockchainById({ blockchainId: local.avaxAssetID }, at));
});

story('a private copy of fuji has chain IDs that the client accepts', async () => {
  const node = await startNode('--network-id=fuji');
  try {
    const { data, at } = openChainkit(node.url);
    const [genesis] = await readAllPages(data.primaryNetwork.transactions.listLatest({ ...onX, pageSize: 100 }, at), txsOf);
    const [address] = genesis!.emittedUtxos[0]!.addresses;
    expect(address).toStartWith('fuji1');
    const { addresses } = await data.primaryNetwork.getChainIdsForAddresses({ addresses: address! }, at);
    expect(addresses).toEqual([{ address: address!, blockchainIds: ['2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'] }]);
  } finally {
    await node.close();
  }
});

story('an accepted transaction is visible at once', async ({ node, sample, client: { data, metrics, at } }) => {
  const { transactions, balances, utxos } = data.primaryNetwork;
  const frankOnX = { ...onX, addresses: fujiAddress(sample.frank) };
  const total = async () => BigInt(balancesOf(await balances.listByAddresses(frankOnX, at)).unlocked[0]!.amount);
  for (let round = 1n; round <= 5n; round++) {
    const before = await total();
    const txID = await sample.pay(sample.frank, round);
    const tx = txOf(await transactions.get({ ...onX, txHash: txID }, at));
    expect(tx).toMatchObject({ txHash: txID, blockHeight: sample.ids.length });
    expect(txsOf(await transactions.listLatest({ ...frankOnX, pageSize: 1 }, at))[0]!.txHash).toBe(txID);
    expect(await total()).toBe(before + round);
    const held = utxosOf(await utxos.listByAddresses({ ...frankOnX, pageSize: 100 }, at));
    expect(held.some(({ creationTxHash }) => creationTxHash === txID)).toBe(true);
    const { result } = await metrics.chains.getRollingWindowMetrics({ chainId: 'x-chain', metric: 'txCount' }, at);
    expect(result.allTime).toBe(sample.ids.length);
    const { results, lastRun } = await rawJson<{ results: { value: number }[]; lastRun: number }>(`${node.url}/v1/avg_tps/X`);
    expect(lastRun).toBeGreaterThanOrEqual(tx.timestamp);
    expect(results[0]!.value).toBeGreaterThan(0);
  }
});

test('chainkit: Data API and Metrics API on their own ports', async () => {
  const program = await startProgram('--data-port=0', '--metrics-port=0');
  try {
    const { data: dataUrl, metricsApi } = program.banner.endpoints as { data: string; metricsApi: string };
    const [forData, forMetrics] = [new URL(dataUrl).origin, new URL(metricsApi).origin];
    expect(new Set([program.url, forData, forMetrics]).size).toBe(3);
    const { data, at } = openChainkit(forData);
    const { metrics, at: there, errors } = openChainkit(forMetrics);
    expect((await data.primaryNetwork.blocks.get({ ...onX, blockId: '0' }, at)).blockNumber).toBe('0');
    expect((await metrics.chains.get({ chainId: 'X' }, there)).blockchainId).toBe(local.xBlockchainID);
    await expectError(errors.missing, data.primaryNetwork.blocks.get({ ...onX, blockId: '0' }, there));
    await expectError(errors.missing, metrics.chains.get({ chainId: 'X' }, at));
  } finally {
    await program.stop();
  }
});
