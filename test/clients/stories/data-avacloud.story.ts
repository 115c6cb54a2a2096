/**
 * The Data interface through @avalabs/avacloud-sdk 0.13.0, the generation before chainkit: the same stories as far as it has the calls.
 *
 * | Call                               | Cannot, and why                                                                       |
 * |------------------------------------|---------------------------------------------------------------------------------------|
 * | liveCheck, outputs asked for by    | it has none of them                                                                   |
 * | POST, by amount; last activity     |                                                                                       |
 * | getChainIdsForAddresses            | as chainkit: it knows the chain IDs of public networks only                            |
 * | evm.chains                         | as chainkit: for EVM chains only                                                      |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openAvacloud, walk } from './data-client.ts';
import { history } from './data-history.ts';
import { holdings } from './data-holdings.ts';
import { type Scene, tell } from './data-scene.ts';
import { makeWorld } from './data-world.ts';
import { local } from './local-network.ts';
import { startNode } from './node.ts';

let scene: Scene;

beforeAll(async () => {
  const node = await startNode();
  scene = { node, world: await makeWorld(node), client: openAvacloud(node.url) };
});
afterAll(() => scene.node.close());

tell('avacloud', () => scene, history, holdings);

test('avacloud: the blockchains of the network', async () => {
  const { data, at } = openAvacloud(scene.node.url);
  const list = await walk(data.primaryNetwork.listBlockchains({}, at), ({ result }) => result.blockchains);
  // It insists on an `evmChainId`: that of C is its own, the others have none.
  expect(list.map(({ blockchainName, evmChainId }) => [blockchainName, evmChainId])).toEqual([
    ['X-Chain', 0],
    ['P-Chain', 0],
    ['C-Chain', 43_112],
  ]);
  const one = await data.primaryNetwork.getBlockchainById({ blockchainId: local.xBlockchainID }, at);
  expect(one).toMatchObject({ blockchainId: local.xBlockchainID, blockchainName: 'X-Chain', evmChainId: 0 });
});
