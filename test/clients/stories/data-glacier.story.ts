/**
 * The Data API through @avalabs/glacier-sdk 3.0.2, with the network's own name. The client does not validate responses, so each one is
 * compared with the raw response of the server. Its types allow only public networks; casts pass a private network's name and chain ID.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ApiError, Glacier, PrimaryNetworkTxType, SortOrder } from '@avalabs/glacier-sdk';
import { expectError, rawJson } from './data-client.ts';
import { local } from './local-network.ts';
import { type Node, startNode } from './node.ts';
import { amounts, createSampleChain, fujiAddress, type SampleChain } from './sample-chain.ts';

let node: Node;
let sample: SampleChain;
let glacier: Glacier;

beforeAll(async () => {
  node = await startNode();
  sample = await createSampleChain(node);
  glacier = new Glacier({ BASE: node.url });
});
afterAll(() => node.close());

const story = (name: string, run: () => Promise<void>) => test(`glacier: ${name}`, run, 30_000);

const forChain = (blockchainId: string) => ({ network: 'local', blockchainId }) as { network: never; blockchainId: never };
const onX = forChain('x-chain');
const onNetwork = { network: 'local' } as { network: never };

/** Returns the response of a call after comparing it with the raw response of the server. */
async function same<T>(call: PromiseLike<T>, path: string): Promise<T> {
  const answer = await call;
  expect(answer).toEqual(await rawJson<T>(node.url + path));
  return answer;
}

const base = '/v1/networks/local';
const x = `${base}/blockchains/x-chain`;

story('the server is healthy', async () => {
  const up = { database: { status: 'up' }, cache: { status: 'up' } };
  expect(await glacier.healthCheck.dataHealthCheck()).toMatchObject({ status: 'ok', details: up });
});

story('blocks', async () => {
  const { primaryNetworkBlocks: api } = glacier;
  const { blocks, chainInfo } = await same(api.listLatestPrimaryNetworkBlocks({ ...onX, pageSize: 100 }), `${x}/blocks?pageSize=100`);
  expect(chainInfo as object).toEqual({ chainName: 'x-chain', network: 'local' });
  expect(blocks.flatMap(({ transactions }) => transactions)).toEqual(sample.ids.toReversed());
  const { splitTime } = sample;
  const late = await same(
    api.listLatestPrimaryNetworkBlocks({ ...onX, startTimestamp: splitTime, pageSize: 100 }),
    `${x}/blocks?startTimestamp=${splitTime}&pageSize=100`,
  );
  expect(late.blocks.length).toBe(sample.ids.length - sample.earlyCount);
  for (const blockId of ['1', blocks[0]!.blockHash]) await same(api.getBlockById({ ...onX, blockId }), `${x}/blocks/${blockId}`);
  const { nodeID } = await node.call<{ nodeID: string }>('/ext/info', 'info.getNodeID');
  const byNode = api.listPrimaryNetworkBlocksByNodeId({ ...onX, nodeId: nodeID, pageSize: 100 });
  // Block 0 has no builder.
  expect((await same(byNode, `${x}/nodes/${nodeID}/blocks?pageSize=100`)).blocks).toEqual(blocks.slice(0, -1));
});

story('transactions', async () => {
  const { primaryNetworkTransactions: api } = glacier;
  const { alice, txs } = sample;
  for (const [name, txHash] of Object.entries(txs)) {
    const tx = await same(api.getTxByHash({ ...onX, txHash }), `${x}/transactions/${txHash}`);
    expect([name, tx.txHash]).toEqual([name, txHash]);
  }
  const txTypes = [PrimaryNetworkTxType.CREATE_ASSET_TX, PrimaryNetworkTxType.EXPORT_TX];
  const { transactions } = await same(
    api.listLatestPrimaryNetworkTransactions({ ...onX, addresses: fujiAddress(alice), txTypes, sortOrder: SortOrder.ASC }),
    `${x}/transactions?addresses=${fujiAddress(alice)}&txTypes=CreateAssetTx&txTypes=ExportTx&sortOrder=asc`,
  );
  expect((transactions as { txHash: string }[]).map(({ txHash }) => txHash)).toEqual([txs.asset, txs.nftAsset, txs.exported]);
  const ofAsset = await same(api.listAssetTransactions({ ...onX, assetId: txs.nftAsset }), `${x}/assets/${txs.nftAsset}/transactions`);
  expect(ofAsset.transactions.map(({ txHash }) => txHash)).toEqual([txs.nftTransfer, txs.nftMint, txs.nftAsset]);
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
  expect(seen.slice(0, sample.ids.length)).toEqual(sample.ids.toReversed());
  expect(new Set(seen).size).toBe(seen.length);
});

story('outputs and balances', async () => {
  const { bob, frank, txs, splitTime } = sample;
  const addresses = `${fujiAddress(bob)},${frank.addressOn('X')}`;
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
    glacier.primaryNetworkBalances.getBalancesByAddresses({ ...onX, addresses, blockTimestamp: splitTime }),
    `${x}/balances?addresses=${addresses}&blockTimestamp=${splitTime}`,
  );
  const { unlocked } = balances as { unlocked: { assetId: string; amount: string }[] };
  expect(new Map(unlocked.map(({ assetId, amount }) => [assetId, amount]))).toEqual(
    new Map([
      [local.avaxAssetID, `${amounts.payment}`],
      [txs.asset, `${amounts.minted}`],
    ]),
  );
});

story('assets, chains and vertices', async () => {
  const { primaryNetwork: api, primaryNetworkVertices: vertices } = glacier;
  const { alice, txs } = sample;
  await same(api.getAssetDetails({ ...onX, assetId: txs.asset }), `${x}/assets/${txs.asset}`);
  // The chain by its ID.
  await same(api.getAssetDetails({ ...forChain(local.xBlockchainID), assetId: txs.asset }), `${x}/assets/${txs.asset}`);
  const chainIds = await same(
    api.getChainIdsForAddresses({ ...onNetwork, addresses: fujiAddress(alice) }),
    `${base}/addresses:listChainIds?addresses=${fujiAddress(alice)}`,
  );
  expect(chainIds.addresses as object[]).toEqual([{ address: fujiAddress(alice), blockchainIds: [local.xBlockchainID] }]);
  const { blockchains } = await same(api.listBlockchains(onNetwork), `${base}/blockchains`);
  expect(blockchains.map(({ blockchainId }) => blockchainId)).toContain(local.xBlockchainID);
  await same(api.getBlockchainById({ ...onNetwork, blockchainId: local.xBlockchainID }), `${base}/blockchains/${local.xBlockchainID}`);
  expect((await same(vertices.listLatestXChainVertices(onX), `${x}/vertices`)).vertices).toEqual([]);
  expect(
    (await same(vertices.getVertexByHeight({ ...onX, vertexHeight: 1 }), `${x}/vertices:listByHeight?vertexHeight=1`)).vertices,
  ).toEqual([]);
  // This client does not check for EVM chains, so it can read this response.
  const { chains } = await same(glacier.evmChains.supportedChains({}), '/v1/chains');
  expect(chains as object[]).toMatchObject([{ vmName: 'AVM', platformChainId: local.xBlockchainID }]);
});

story('errors', async () => {
  const errorOf = async (call: PromiseLike<unknown>) => {
    const { status, body } = await expectError(ApiError, Promise.resolve(call));
    return { status, body };
  };
  const missing = await errorOf(glacier.primaryNetworkTransactions.getTxByHash({ ...onX, txHash: local.xBlockchainID }));
  expect(missing).toMatchObject({ status: 404, body: { statusCode: 404, error: 'Not Found', message: expect.any(String) } });
  const platform = await errorOf(glacier.primaryNetwork.getNetworkDetails(onNetwork));
  expect(platform).toMatchObject({ status: 404, body: { message: expect.stringContaining('P-Chain') } });
  const bad = await errorOf(glacier.primaryNetworkBlocks.listLatestPrimaryNetworkBlocks({ ...onX, pageSize: 101, startTimestamp: -1 }));
  const { message, ...kind } = bad.body as { message: string[] };
  expect(kind as object).toEqual({ error: 'Bad Request', statusCode: 400 });
  expect(message.map((sentence) => sentence.split(' ')[0]).sort()).toEqual(['pageSize', 'startTimestamp']);
  const elsewhere = glacier.primaryNetworkBlocks.listLatestPrimaryNetworkBlocks({ ...onX, network: 'mainnet' as never });
  expect(await errorOf(elsewhere)).toMatchObject({ status: 404 });
});
