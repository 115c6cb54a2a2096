import { expect, test } from 'bun:test';
import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { maxPeerDelay } from '../contract/dev-chain-methods.ts';
import { peerMethods } from './node-methods.ts';

const [alice, bob] = ['a', 'b'].map((digit) => digit.repeat(40)) as [NodeId, NodeId];
const nodeIDs = [alice, bob, alice].map(nodeIdText);

/** A node whose connections a developer disturbs. `done`: what was done to which peers. */
function open() {
  const done: unknown[] = [];
  const deps = {
    blockPeers: (nodes: ReadonlySet<NodeId>) => void done.push([...nodes]),
    delayPeers: (nodes: ReadonlySet<NodeId>, milliseconds: number) => void done.push([[...nodes], milliseconds]),
  };
  return { done, deps };
}

test('peers that are named are blocked or delayed, each once; none frees all', async () => {
  const { done, deps } = open();
  const { blockPeers, delayPeers } = peerMethods;
  expect(await blockPeers.run(deps, { nodeIDs })).toEqual({ blocked: [nodeIdText(alice), nodeIdText(bob)] });
  expect(await delayPeers.run(deps, { nodeIDs, ms: maxPeerDelay })).toEqual({
    delayed: [nodeIdText(alice), nodeIdText(bob)],
    ms: maxPeerDelay,
  });
  expect(await blockPeers.run(deps, { nodeIDs: [] })).toEqual({ blocked: [] });
  expect(done).toEqual([[alice, bob], [[alice, bob], maxPeerDelay], []]);
});

test('a delay that would close the connection is refused, and so is a node without peers', async () => {
  const { done, deps } = open();
  const codeOf = (run: Promise<unknown>) => run.then(undefined, ({ fault }: AnyFault) => fault.code);
  expect(await codeOf(peerMethods.delayPeers.run(deps, { nodeIDs, ms: maxPeerDelay + 1 }))).toBe('DEV_PEER_DELAY');
  expect(done).toEqual([]);
  expect(await codeOf(peerMethods.delayPeers.run({}, { nodeIDs, ms: 1 }))).toBe('DEV_NO_PEERS');
  expect(await codeOf(peerMethods.blockPeers.run({}, { nodeIDs }))).toBe('DEV_NO_PEERS');
});
