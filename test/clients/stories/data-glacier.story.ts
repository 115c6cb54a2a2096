/**
 * The Data interface through @avalabs/glacier-sdk 3.0.2, on the network under its own name. The client checks nothing, so an answer is
 * what the server sent: each call is compared with the same question asked without it. Its types know public networks only; a private
 * one's name and chain ID are given in spite of them.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ApiError, Glacier, PrimaryNetworkTxType, SortOrder } from '@avalabs/glacier-sdk';
import { failure, rawJson } from './data-client.ts';
import { amounts, bare, makeWorld, type World } from './data-world.ts';
import { local } from './local-network.ts';
import { type Node, startNode } from './node.ts';

let node: Node;
let world: World;
let glacier: Glacier;

beforeAll(async () => {
  node = await startNode();
  world = await makeWorld(node);
  glacier = new Glacier({ BASE: node.url });
});
afterAll(() => node.close());

const story = (name: string, tell: () => Promise<void>) => test(`glacier: ${name}`, tell, 30_000);

const on = (blockchainId: string) => ({ network: 'local', blockchainId }) as { network: never; blockchainId: never };
const onX = on('x-chain');
const onNetwork = { network: 'local' } as { network: never };

/** The answer of a call, which must be what the server tells anybody. */
async function same<T>(call: PromiseLike<T>, path: string): Promise<T> {
  const answer = await call;
  expect(answer).toEqual(await rawJson<T>(node.url + path));
  return answer;
}

const base = '/v1/networks/local';
const x = `${base}/blockchains/x-chain`;

story('the server is well', async () => {
  const up = { database: { status: 'up' }, cache: { status: 'up' } };
  expect(await glacier.healthCheck.dataHealthCheck()).toMatchObject({ status: 'ok', details: up });
});

story('blocks', async () => {
  const { primaryNetworkBlocks: api } = glacier;
  const { blocks, chainInfo } = await same(api.listLatestPrimaryNetworkBlocks({ ...onX, pageSize: 100 }), `${x}/blocks?pageSize=100`);
  expect(chainInfo as object).toEqual({ chainName: 'x-chain', network: 'local' });
  expect(blocks.flatMap(({ transactions }) => transactions)).toEqual(world.ids.toReversed());
  const { turn } = world;
  const late = await same(
    api.listLatestPrimaryNetworkBlocks({ ...onX, startTimestamp: turn, pageSize: 100 }),
    `${x}/blocks?startTimestamp=${turn}&pageSize=100`,
  );
  expect(late.blocks.length).toBe(world.ids.length - world.early);
  for (const blockId of ['1', blocks[0]!.blockHash]) await same(api.getBlockById({ ...onX, blockId }), `${x}/blocks/${blockId}`);
  const { nodeID } = await node.call<{ nodeID: string }>('/ext/info', 'info.getNodeID');
  const byNode = api.listPrimaryNetworkBlocksByNodeId({ ...onX, nodeId: nodeID, pageSize: 100 });
  // Nobody built block 0.
  expect((await same(byNode, `${x}/nodes/${nodeID}/blocks?pageSize=100`)).blocks).toEqual(blocks.slice(0, -1));
});

story('transactions', async () => {
  const { primaryNetworkTransactions: api } = glacier;
  const { alice, txs } = world;
  for (const [name, txHash] of Object.entries(txs)) {
    const tx = await same(api.getTxByHash({ ...onX, txHash }), `${x}/transactions/${txHash}`);
    expect([name, tx.txHash]).toEqual([name, txHash]);
  }
  const txTypes = [PrimaryNetworkTxType.CREATE_ASSET_TX, PrimaryNetworkTxType.EXPORT_TX];
  const { transactions } = await same(
    api.listLatestPrimaryNetworkTransactions({ ...onX, addresses: bare(alice), txTypes, sortOrder: SortOrder.ASC }),
    `${x}/transactions?addresses=${bare(alice)}&txTypes=CreateAssetTx&txTypes=ExportTx&sortOrder=asc`,
  );
  expect((transactions as { txHash: string }[]).map(({ txHash }) => txHash)).toEqual([txs.asset, txs.family, txs.exported]);
  const ofAsset = await same(api.listAssetTransactions({ ...onX, assetId: txs.family }), `${x}/assets/${txs.family}/transactions`);
  expect(ofAsset.transactions.map(({ txHash }) => txHash)).toEqual([txs.passed, txs.picture, txs.family]);
});

story('pages', async () => {
  const { primaryNetworkTransactions: api } = glacier;
  const seen: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await api.listLatestPrimaryNetworkTransactions({ ...onX, pageSize: 4, ...(pageToken !== undefined && { pageToken }) });
    seen.push(...(page.transactions as { txHash: string }[]).map(({ txHash }) => txHash));
    pageToken = page.nextPageToken;
    if (pageToken !== undefined) expect(pageToken).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  } while (pageToken !== undefined);
  expect(seen.slice(0, world.ids.length)).toEqual(world.ids.toReversed());
  expect(new Set(seen).size).toBe(seen.length);
});

story('outputs and balances', async () => {
  const { bob, frank, txs, turn } = world;
  const addresses = `${bare(bob)},${frank.on('X')}`;
  const { utxos } = await same(
    glacier.primaryNetworkUtxOs.getUtxosByAddresses({
      ...onX,
      addresses,
      assetId: txs.asset,
      includeSpent: true,
      sortOrder: SortOrder.ASC,
    }),
    `${x}/utxos?addresses=${addresses}&assetId=${txs.asset}&includeSpent=true&sortOrder=asc`,
  );
  expect((utxos as { asset: { amount: string } }[]).map(({ asset }) => asset.amount)).toEqual([`${amounts.minted}`]);
  const { balances } = await same(
    glacier.primaryNetworkBalances.getBalancesByAddresses({ ...onX, addresses, blockTimestamp: turn }),
    `${x}/balances?addresses=${addresses}&blockTimestamp=${turn}`,
  );
  const { unlocked } = balances as { unlocked: { assetId: string; amount: string }[] };
  expect(new Map(unlocked.map(({ assetId, amount }) => [assetId, amount]))).toEqual(
    new Map([
      [local.avaxAssetID, `${amounts.gift}`],
      [txs.asset, `${amounts.minted}`],
    ]),
  );
});

story('assets, chains and vertices', async () => {
  const { primaryNetwork: api, primaryNetworkVertices: vertices } = glacier;
  const { alice, txs } = world;
  await same(api.getAssetDetails({ ...onX, assetId: txs.asset }), `${x}/assets/${txs.asset}`);
  // The chain by its ID, too.
  await same(api.getAssetDetails({ ...on(local.xBlockchainID), assetId: txs.asset }), `${x}/assets/${txs.asset}`);
  const chainIds = await same(
    api.getChainIdsForAddresses({ ...onNetwork, addresses: bare(alice) }),
    `${base}/addresses:listChainIds?addresses=${bare(alice)}`,
  );
  expect(chainIds.addresses as object[]).toEqual([{ address: bare(alice), blockchainIds: [local.xBlockchainID] }]);
  const { blockchains } = await same(api.listBlockchains(onNetwork), `${base}/blockchains`);
  expect(blockchains.map(({ blockchainId }) => blockchainId)).toContain(local.xBlockchainID);
  await same(api.getBlockchainById({ ...onNetwork, blockchainId: local.xBlockchainID }), `${base}/blockchains/${local.xBlockchainID}`);
  expect((await same(vertices.listLatestXChainVertices(onX), `${x}/vertices`)).vertices).toEqual([]);
  expect(
    (await same(vertices.getVertexByHeight({ ...onX, vertexHeight: 1 }), `${x}/vertices:listByHeight?vertexHeight=1`)).vertices,
  ).toEqual([]);
  // Not tied to EVM chains, this client can read what the others cannot.
  const { chains } = await same(glacier.evmChains.supportedChains({}), '/v1/chains');
  expect(chains as object[]).toMatchObject([{ vmName: 'AVM', platformChainId: local.xBlockchainID }]);
});

story('refusals', async () => {
  const refused = async (call: PromiseLike<unknown>) => {
    const { status, body } = await failure(ApiError, Promise.resolve(call));
    return { status, body };
  };
  const missing = await refused(glacier.primaryNetworkTransactions.getTxByHash({ ...onX, txHash: local.xBlockchainID }));
  expect(missing).toMatchObject({ status: 404, body: { statusCode: 404, error: 'Not Found', message: expect.any(String) } });
  const platform = await refused(glacier.primaryNetwork.getNetworkDetails(onNetwork));
  expect(platform).toMatchObject({ status: 404, body: { message: expect.stringContaining('P-Chain') } });
  const bad = await refused(glacier.primaryNetworkBlocks.listLatestPrimaryNetworkBlocks({ ...onX, pageSize: 101, startTimestamp: -1 }));
  const { message, ...kind } = bad.body as { message: string[] };
  expect(kind as object).toEqual({ error: 'Bad Request', statusCode: 400 });
  expect(message.map((sentence) => sentence.split(' ')[0]).sort()).toEqual(['pageSize', 'startTimestamp']);
  const elsewhere = glacier.primaryNetworkBlocks.listLatestPrimaryNetworkBlocks({ ...onX, network: 'mainnet' as never });
  expect(await refused(elsewhere)).toMatchObject({ status: 404 });
});
