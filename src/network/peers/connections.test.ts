import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import type { EncodedMessage } from '../messages/encoded-message.ts';
import { createConnections } from './connections.ts';
import { createCounters } from './network-counters.ts';
import type { Peer } from './peer.ts';
import type { PeerTiming } from './timing.ts';

const [alice, bob] = ['a', 'b'].map((digit) => digit.repeat(40)) as [NodeId, NodeId];
const message = { kind: 'ping' } as EncodedMessage;

function open() {
  const clock = createVirtualClock(1000);
  const counters = createCounters();
  const connections = createConnections({ sendFailHalfLife: 1000 }, clock as Partial<PeerTiming> as PeerTiming, counters);
  const peer = (node: NodeId, isInbound = false, takes = true): Peer => ({ node, isInbound, send: () => takes }) as Partial<Peer> as Peer;
  return { connections, counters, clock, peer };
}

test('a node is open from its connection on and connected after the handshake; a connection that was replaced takes nothing with it', () => {
  const { connections, counters, peer } = open();
  const [old, next] = [peer(alice), peer(alice)];
  connections.add(old);
  expect([connections.isOpen(alice), connections.isConnected(alice), connections.connectingCount()]).toEqual([true, false, 1]);
  connections.markConnected(old);
  expect([connections.isOpen(alice), connections.isConnected(alice), connections.connectingCount()]).toEqual([true, true, 0]);
  connections.add(next);
  connections.markConnected(next);
  expect([connections.remove(old), connections.isConnected(alice), [...connections.connected()]]).toEqual([undefined, true, [next]]);
  const late = peer(bob);
  connections.add(late);
  expect([connections.all(), connections.remove(late), connections.isOpen(bob)]).toEqual([[late, next], 'connecting', false]);
  expect([connections.remove(next), connections.isOpen(alice)]).toEqual(['connected', false]);
  expect([counters.timesConnected, counters.timesDisconnected]).toEqual([2, 3]);
});

test('connections that others have opened are counted until they end', () => {
  const { connections, peer } = open();
  const [inbound, outbound] = [peer(alice, true), peer(bob)];
  connections.add(inbound);
  connections.add(outbound);
  expect(connections.inboundCount()).toBe(1);
  connections.remove(outbound);
  expect(connections.inboundCount()).toBe(1);
  connections.remove(inbound);
  expect(connections.inboundCount()).toBe(0);
});

test('a message goes to the connected nodes whose queue takes it; others count as failed', () => {
  const { connections, counters, peer, clock } = open();
  connections.markConnected(peer(alice));
  connections.markConnected(peer(bob, false, false));
  const away = 'c'.repeat(40) as NodeId;
  clock.advance(5000);
  expect(connections.send(message, [alice, away])).toEqual([alice]);
  expect([[...counters.failedToSend], connections.sendFailRate()]).toEqual([[['ping', 1]], 0]);
  expect(connections.send(message, [bob])).toEqual([]);
  expect(connections.sendFailRate()).toBeGreaterThan(0.4);
  expect([...counters.failedToSend]).toEqual([['ping', 1]]);
});

test('the uptime of a node is the share of the time since the start in which it was connected, over all of its connections', () => {
  const { connections, peer, clock } = open();
  const { uptimes } = connections;
  const read = (node: NodeId): number => Math.round(uptimes.read(node, clock.now()));
  const one = peer(alice);
  connections.markConnected(one);
  expect(read(alice)).toBe(0);
  clock.advance(1000);
  expect([read(alice), read(bob)]).toEqual([100, 0]);
  connections.remove(one);
  clock.advance(3000);
  expect(read(alice)).toBe(25);
  connections.markConnected(one);
  clock.advance(4000);
  expect(read(alice)).toBe(63);
  const other = peer(bob);
  connections.markConnected(other);
  // Those that are connected, or kept, are not forgotten.
  connections.remove(one);
  uptimes.prune((node) => node === alice);
  expect(read(alice)).toBe(63);
  uptimes.prune(() => false);
  clock.advance(8000);
  expect([read(alice), read(bob)]).toEqual([0, 50]);
});
