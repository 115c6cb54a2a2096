/**
 * The Data interface through @avalabs/avacloud-sdk 0.13.0, the generation before chainkit: the same stories as far as it has the calls.
 *
 * | Call                               | Cannot, and why                                                                       |
 * |------------------------------------|---------------------------------------------------------------------------------------|
 * | liveCheck, outputs asked for by    | it has none of them                                                                   |
 * | POST, by amount; last activity     |                                                                                       |
 * | listBlockchains, getBlockchainById | it insists on an `evmChainId`, which an X-Chain does not have and we do not invent     |
 * | getChainIdsForAddresses            | as chainkit: it knows the chain IDs of public networks only                            |
 * | evm.chains                         | as chainkit: for EVM chains only                                                      |
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { failure, openAvacloud } from './data-client.ts';
import { history } from './data-history.ts';
import { holdings } from './data-holdings.ts';
import { type Scene, tell } from './data-scene.ts';
import { makeWorld } from './data-world.ts';
import { local } from './local-network.ts';
import { startNode } from './node.ts';

let scene: Scene;

beforeAll(async () => {
  const node = await startNode('--data-network-name=fuji');
  scene = { node, world: await makeWorld(node), client: openAvacloud(node.url) };
});
afterAll(() => scene.node.close());

tell('avacloud', () => scene, history, holdings);

test('avacloud: the blockchains of the network, which the client cannot read', async () => {
  const { data, at, errors } = scene.client;
  const list = await failure(errors.unreadable, data.primaryNetwork.listBlockchains({}, at));
  const x = { blockchainId: local.xBlockchainID, blockchainName: 'X-Chain' };
  expect(JSON.parse(list.body)).toMatchObject({ blockchains: expect.arrayContaining([expect.objectContaining(x)]) });
  const one = await failure(errors.unreadable, data.primaryNetwork.getBlockchainById({ blockchainId: local.xBlockchainID }, at));
  expect(JSON.parse(one.body)).toMatchObject(x);
  expect(one.pretty()).toContain('evmChainId');
});
