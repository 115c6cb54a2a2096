import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createConnectedValidators } from './connected-validators.ts';

test('the connected share of the stake includes this node; validators that are not connected are missing', () => {
  const [self, peer, absent] = ['aa', 'bb', 'ee'].map((byte) => byte.repeat(20) as NodeId) as [NodeId, NodeId, NodeId];
  const set = new Map([
    [self, 1n],
    [peer, 2n],
    [absent, 1n],
  ]);
  const connected = createConnectedValidators(self, { current: () => set }, (length) => new Uint8Array(length));
  connected.connected(peer);
  expect([connected.share(), connected.missing()]).toEqual([0.75, [absent]]);
  connected.disconnected(peer);
  expect([connected.share(), connected.missing()]).toEqual([0.25, [peer, absent]]);
});

test('the validator that is asked for its frontier may be this node, and is never one that is not connected or has no stake', () => {
  const [self, peer, absent, other] = ['aa', 'bb', 'cc', 'dd'].map((byte) => byte.repeat(20) as NodeId) as [NodeId, NodeId, NodeId, NodeId];
  let set = new Map([self, peer, absent].map((node) => [node, 1n] as const));
  const connected = createConnectedValidators(self, { current: () => set }, (length) => crypto.getRandomValues(new Uint8Array(length)));
  for (const node of [peer, other]) connected.connected(node);
  const sampled = (): Set<NodeId | undefined> => new Set(Array.from({ length: 200 }, connected.sample));
  expect(sampled()).toEqual(new Set([self, peer]));
  set = new Map([[peer, 1n]]);
  expect(sampled()).toEqual(new Set([peer]));
});
