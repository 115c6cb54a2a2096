/**
 * The Data API through @avalabs/avacloud-sdk 0.13.0, the predecessor of chainkit: the same stories, as far as it has the calls.
 *
 * | Call                               | Cannot, and why                                                                       |
 * |------------------------------------|---------------------------------------------------------------------------------------|
 * | liveCheck, UTXOs by POST or by     | it does not have these calls                                                          |
 * | amount, last activity              |                                                                                       |
 * | getChainIdsForAddresses            | as chainkit: it accepts only the chain IDs of public networks                         |
 * | evm.chains                         | as chainkit: for EVM chains only                                                      |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openAvacloud, readAllPages } from './data-client.ts';
import { historyStories } from './data-history.ts';
import { outputStories } from './data-holdings.ts';
import { local } from './local-network.ts';
import { startNode } from './node.ts';
import { createSampleChain } from './sample-chain.ts';
import { runStories, type StoryContext } from './story-context.ts';

let context: StoryContext;

beforeAll(async () => {
  const node = await startNode();
  context = { node, sample: await createSampleChain(node), client: openAvacloud(node.url) };
});
afterAll(() => context.node.close());

runStories('avacloud', () => context, historyStories, outputStories);

test('avacloud: the blockchains of the network', async () => {
  const { data, at } = openAvacloud(context.node.url);
  const list = await readAllPages(data.primaryNetwork.listBlockchains({}, at), ({ result }) => result.blockchains);
  // It requires an `evmChainId`: 0 for chains that are not EVM chains.
  expect(list.map(({ blockchainName, evmChainId }) => [blockchainName, evmChainId])).toEqual([
    ['X-Chain', 0],
    ['P-Chain', 0],
    ['C-Chain', 43_112],
  ]);
  const one = await data.primaryNetwork.getBlockchainById({ blockchainId: local.xBlockchainID }, at);
  expect(one).toMatchObject({ blockchainId: local.xBlockchainID, blockchainName: 'X-Chain', evmChainId: 0 });
});
