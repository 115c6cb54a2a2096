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
