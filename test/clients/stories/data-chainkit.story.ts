/**
 * The Data interface through @avalanche-sdk/chainkit 0.3.13.
 *
 * The client knows three networks, the IDs of their chains and no others, and checks answers as well. So the node is told to call itself
 * fuji, and the chain is asked for by its alias.
 *
 * | Call                    | Cannot, and why                                                                        |
 * |-------------------------|----------------------------------------------------------------------------------------|
 * | getChainIdsForAddresses | the answer holds chain IDs: those of a private chain are refused, those of fuji are not |
 * | evm.chains              | for EVM chains only, and the X-Chain is none                                            |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startProgram } from '../../program.ts';
import { balancesOf, type Chainkit, failure, onX, openChainkit, rawJson, txOf, txsOf, utxosOf, walk } from './data-client.ts';
import { history } from './data-history.ts';
import { holdings } from './data-holdings.ts';
import { type Scene, tell } from './data-scene.ts';
import { amounts, bare, makeWorld } from './data-world.ts';
import { local } from './local-network.ts';
import { startNode } from './node.ts';

let scene: Scene & { readonly client: Chainkit };

beforeAll(async () => {
  const node = await startNode();
  scene = { node, world: await makeWorld(node), client: openChainkit(node.url) };
});
afterAll(() => scene.node.close());

const story = (name: string, tellIt: (told: typeof scene) => Promise<void>) => test(`chainkit: ${name}`, () => tellIt(scene), 30_000);

tell('chainkit', () => scene, history, holdings);

story('the server is well', async ({ client: { data, at } }) => {
  const up = { database: { status: 'up' }, cache: { status: 'up' } } as const;
  expect(await data.healthCheck(at)).toEqual({ status: 'ok', info: up, error: {}, details: up });
  expect(await data.liveCheck(at)).toEqual({ status: 'ok', info: up, error: {}, details: up });
});

story('outputs by amount and no smaller than so much', async ({ world, client: { data, at } }) => {
  const { utxos } = data.primaryNetwork;
  type Asked = Omit<Parameters<typeof utxos.listByAddresses>[0], 'blockchainId'>;
  const list = async (asked: Asked) => {
    const found = await walk(utxos.listByAddresses({ ...onX, addresses: bare(world.frank), pageSize: 3, ...asked }, at), utxosOf);
    return found.map(({ asset }) => BigInt(asset.amount));
  };
  const ascending = amounts.coinage.toSorted();
  expect(await list({ sortBy: 'amount', sortOrder: 'asc' })).toEqual(ascending);
  expect(await list({ sortBy: 'amount' })).toEqual(ascending.toReversed());
  expect(await list({ sortBy: 'amount', minUtxoAmount: 44 })).toEqual(ascending.filter((amount) => amount >= 44n).toReversed());
  expect((await list({ minUtxoAmount: 44 })).toSorted()).toEqual(ascending.filter((amount) => amount >= 44n));
  expect(await list({ minUtxoAmount: 78 })).toEqual([]);
});

story('outputs of many addresses, asked for in a body', async ({ world, client: { data, at } }) => {
  const { utxos } = data.primaryNetwork;
  const { alice, bob, carol, dora, frank, txs } = world;
  const addresses = [alice, bob, carol, dora, frank].map(bare).join(',');
  const primaryNetworkAddressesBodyDto = { addresses };
  const both = async (filter: {
    assetId?: string;
    includeSpent?: boolean;
    minUtxoAmount?: number;
    sortBy?: 'amount' | 'timestamp';
    sortOrder?: 'asc' | 'desc';
  }) => {
    const posted = await walk(utxos.listByAddressesV2({ ...onX, pageSize: 7, ...filter, primaryNetworkAddressesBodyDto }, at), utxosOf);
    expect(posted).toEqual(await walk(utxos.listByAddresses({ ...onX, pageSize: 5, ...filter, addresses }, at), utxosOf));
    return posted;
  };
  const open = await both({});
  expect(new Set(open.map(({ utxoId }) => utxoId)).size).toBe(open.length);
  expect(open.some(({ creationTxHash }) => creationTxHash === txs.shared)).toBe(true);
  expect((await both({ includeSpent: true })).length).toBeGreaterThan(open.length);
  expect((await both({ assetId: txs.asset, includeSpent: true })).every(({ asset }) => asset.assetId === txs.asset)).toBe(true);
  await both({ sortBy: 'amount', sortOrder: 'asc', minUtxoAmount: 50 });
  await both({ sortBy: 'timestamp', sortOrder: 'asc', includeSpent: true, minUtxoAmount: 1 });
  // More fit on a page than in a GET.
  const whole = await utxos.listByAddressesV2({ ...onX, pageSize: 1024, primaryNetworkAddressesBodyDto }, at);
  expect(utxosOf(whole)).toEqual(open);
});

story('the bytes of an output are those of avm.getUTXOs', async ({ node, world, client: { data, at } }) => {
  const { frank } = world;
  const asked = { ...onX, addresses: bare(frank), pageSize: 100 };
  const told = (await walk(data.primaryNetwork.utxos.listByAddresses(asked, at), utxosOf)).map(({ utxoBytes }) => utxoBytes);
  const { utxos } = await node.call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', { addresses: [frank.on('X')], encoding: 'hex' });
  expect(told.toSorted()).toEqual(utxos.toSorted());
});

story('the last activity of addresses', async ({ world, client: { data, at } }) => {
  const { utxos, transactions } = data.primaryNetwork;
  const { bob, frank, coinage, ids } = world;
  const last = coinage.at(-1)!;
  const { timestamp, emittedUtxos } = txOf(await transactions.get({ ...onX, txHash: last }, at));
  const answer = {
    timestamp,
    blockNumber: `${ids.indexOf(last) + 1}`,
    txHash: last,
    utxoId: emittedUtxos.find(({ addresses }) => addresses[0] === bare(frank))!.utxoId,
    isConsumed: false,
    chainName: 'x-chain',
    network: 'fuji',
  } as const;
  const addresses = [bob, frank].map(bare).join(',');
  expect(await utxos.getLastActivityTimestampByAddresses({ ...onX, addresses }, at)).toEqual(answer);
  const primaryNetworkAddressesBodyDto = { addresses };
  expect(await utxos.getLastActivityTimestampByAddressesV2({ ...onX, primaryNetworkAddressesBodyDto }, at)).toEqual(answer);
});

story('the blockchains of the network', async ({ client: { data, at, errors } }) => {
  const { primaryNetwork: primary } = data;
  const list = await walk(primary.listBlockchains({}, at), ({ result }) => result.blockchains);
  const x = list.find(({ blockchainId }) => blockchainId === local.xBlockchainID);
  expect(x).toMatchObject({ blockchainName: 'X-Chain', subnetId: local.pBlockchainID });
  expect(x!.evmChainId).toBe(0);
  expect(x!.genesisData).toBeUndefined();
  const { genesisData, ...rest } = await primary.getBlockchainById({ blockchainId: local.xBlockchainID }, at);
  expect(rest).toEqual(x!);
  expect(genesisData).toBeDefined();
  await failure(errors.missing, primary.getBlockchainById({ blockchainId: local.avaxAssetID }, at));
});

story('a private fuji has the chain IDs that the client knows', async () => {
  const node = await startNode('--network-id=fuji');
  try {
    const { data, at } = openChainkit(node.url);
    const [genesis] = await walk(data.primaryNetwork.transactions.listLatest({ ...onX, pageSize: 100 }, at), txsOf);
    const [address] = genesis!.emittedUtxos[0]!.addresses;
    expect(address).toStartWith('fuji1');
    const { addresses } = await data.primaryNetwork.getChainIdsForAddresses({ addresses: address! }, at);
    expect(addresses).toEqual([{ address: address!, blockchainIds: ['2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'] }]);
  } finally {
    await node.close();
  }
});

story('what was accepted is told at once', async ({ node, world, client: { data, metrics, at } }) => {
  const { transactions, balances, utxos } = data.primaryNetwork;
  const who = { ...onX, addresses: bare(world.frank) };
  const total = async () => BigInt(balancesOf(await balances.listByAddresses(who, at)).unlocked[0]!.amount);
  for (let round = 1n; round <= 5n; round++) {
    const before = await total();
    const txID = await world.pay(world.frank, round);
    const tx = txOf(await transactions.get({ ...onX, txHash: txID }, at));
    expect(tx).toMatchObject({ txHash: txID, blockHeight: world.ids.length });
    expect(txsOf(await transactions.listLatest({ ...who, pageSize: 1 }, at))[0]!.txHash).toBe(txID);
    expect(await total()).toBe(before + round);
    const held = utxosOf(await utxos.listByAddresses({ ...who, pageSize: 100 }, at));
    expect(held.some(({ creationTxHash }) => creationTxHash === txID)).toBe(true);
    const { result } = await metrics.chains.getRollingWindowMetrics({ chainId: 'x-chain', metric: 'txCount' }, at);
    expect(result.allTime).toBe(world.ids.length);
    const { results, lastRun } = await rawJson<{ results: { value: number }[]; lastRun: number }>(`${node.url}/v1/avg_tps/X`);
    expect(lastRun).toBeGreaterThanOrEqual(tx.timestamp);
    expect(results[0]!.value).toBeGreaterThan(0);
  }
});

test('chainkit: each interface on a port of its own', async () => {
  const program = await startProgram('--data-port=0', '--metrics-port=0');
  try {
    const { data: dataUrl, metricsApi } = program.banner.endpoints as { data: string; metricsApi: string };
    const [forData, forMetrics] = [new URL(dataUrl).origin, new URL(metricsApi).origin];
    expect(new Set([program.url, forData, forMetrics]).size).toBe(3);
    const { data, at } = openChainkit(forData);
    const { metrics, at: there, errors } = openChainkit(forMetrics);
    expect((await data.primaryNetwork.blocks.get({ ...onX, blockId: '0' }, at)).blockNumber).toBe('0');
    expect((await metrics.chains.get({ chainId: 'X' }, there)).blockchainId).toBe(local.xBlockchainID);
    await failure(errors.missing, data.primaryNetwork.blocks.get({ ...onX, blockId: '0' }, there));
    await failure(errors.missing, metrics.chains.get({ chainId: 'X' }, at));
  } finally {
    await program.stop();
  }
});
