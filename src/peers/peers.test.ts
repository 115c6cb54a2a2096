import { afterEach, describe, expect, test } from 'bun:test';
import type { NodeId } from '../bytes/node-id.ts';
import type { ChainMessage } from '../p2p/transport.ts';
import { createMemoryNet } from './memory-sockets.fixture.ts';
import { ownKeyOutcome } from './own-key-alert.ts';
import type { Peers } from './peers.ts';
import type { PeerSockets } from './socket.ts';
import {
  createRecorder,
  createTestIdentity,
  createTestPeers,
  type TestIdentity,
  testChain,
  tlsSocketsOf,
  waitUntil,
} from './test-peers.fixture.ts';

const open: Peers[] = [];
const peersOf = (...args: Parameters<typeof createTestPeers>) => {
  const peers = createTestPeers(...args);
  open.push(peers);
  return peers;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((peers) => peers.close()));
});

const chits = (requestId: number): ChainMessage => ({
  kind: 'chits',
  chainId: testChain,
  requestId,
  preferredId: testChain,
  acceptedId: testChain,
  preferredIdAtHeight: testChain,
  acceptedHeight: 3n,
});
const pullQuery = (requestId: number) =>
  ({ kind: 'pullQuery', chainId: testChain, requestId, deadline: 0n, containerId: testChain, requestedHeight: 1n }) as const;
const ids = (peers: Peers): NodeId[] =>
  peers.network
    .peers()
    .map(({ node }) => node)
    .sort();

for (const [name, makeSockets] of [
  ['TLS on loopback', () => tlsSocketsOf],
  [
    'sockets in memory',
    () => {
      const net = createMemoryNet();
      return (identity: TestIdentity) => net.socketsFor(identity.certificate);
    },
  ],
] as const satisfies [string, () => (identity: TestIdentity) => PeerSockets][])
  describe(name, () => {
    test('two nodes connect, exchange requests and responses, and notice that one stops', async () => {
      const sockets = makeSockets();
      const a = peersOf({ sockets });
      const b = peersOf({ sockets, beacons: [{ node: a.identity.node, endpoint: await a.start() }] });
      const [atA, atB] = [createRecorder(), createRecorder()];
      a.addChain(testChain, {
        ...atA.handler,
        receive: (from, message) =>
          void (message.kind === 'pullQuery' ? a.transport.send(chits(message.requestId), [from]) : atA.handler.receive(from, message)),
      });
      b.addChain(testChain, atB.handler);
      await b.start();
      expect(await waitUntil(() => a.network.peers().length + b.network.peers().length === 2)).toBe(true);
      expect([atA.connected.has(b.identity.node), atB.connected.has(a.identity.node)]).toEqual([true, true]);
      b.transport.request(pullQuery(7), [a.identity.node]);
      expect(await waitUntil(() => atB.received.length === 1)).toBe(true);
      expect(atB.received[0]).toEqual({ from: a.identity.node, message: chits(7) });
      // An answer that nobody asked for, and messages for a chain that does not run here, are dropped.
      a.transport.send(chits(8), [b.identity.node]);
      a.transport.send({ kind: 'appGossip', chainId: 'cd'.repeat(32) as typeof testChain, appBytes: new Uint8Array(3) }, [b.identity.node]);
      a.transport.send({ kind: 'appGossip', chainId: testChain, appBytes: Uint8Array.of(1, 2) }, [b.identity.node]);
      expect(await waitUntil(() => atB.received.length === 2)).toBe(true);
      expect(atB.received[1]?.message.kind).toBe('appGossip');
      b.transport.request(pullQuery(9), ['00'.repeat(20) as NodeId]);
      expect(atB.failures).toEqual([]);
      expect(await waitUntil(() => atB.failures.length === 1)).toBe(true);
      expect(atB.failures[0]?.cause).toBe('disconnected');
      await a.close();
      expect(await waitUntil(() => b.network.peers().length === 0 && !atB.connected.has(a.identity.node))).toBe(true);
    }, 30_000);

    test('five nodes with full bootstrap lists are all connected, and take back one that restarts', async () => {
      const sockets = makeSockets();
      const identities = Array.from({ length: 5 }, createTestIdentity);
      const options = { initialReconnectDelay: 50, maxReconnectDelay: 300 };
      const beacons: { node: NodeId; endpoint: { ip: string; port: number } }[] = [];
      const nodes: Peers[] = [];
      for (const identity of identities) {
        const node = peersOf({ identity, sockets, options, beacons: [...beacons] });
        beacons.push({ node: identity.node, endpoint: await node.start() });
        nodes.push(node);
      }
      const isMesh = (of: Peers[]) => of.every((node) => node.network.peers().length === of.length - 1);
      expect(await waitUntil(() => isMesh(nodes))).toBe(true);
      expect(ids(nodes[0]!)).toEqual(
        identities
          .slice(1)
          .map(({ node }) => node)
          .sort(),
      );
      await nodes[2]!.close();
      expect(await waitUntil(() => isMesh(nodes.filter((_, i) => i !== 2)))).toBe(true);
      const again = peersOf({
        identity: identities[2]!,
        sockets,
        options: { ...options, stakingPort: beacons[2]!.endpoint.port },
        beacons: beacons.filter((_, i) => i !== 2),
      });
      await again.start();
      expect(await waitUntil(() => isMesh([...nodes.filter((_, i) => i !== 2), again]))).toBe(true);
    }, 60_000);
  });

describe('connections that are closed', () => {
  test('another node with the same staking key is reported', async () => {
    const identity = createTestIdentity();
    const a = peersOf({ identity });
    const twin = await tlsSocketsOf(identity).dial(await a.start(), 5000);
    expect(twin.certificate).toEqual(Uint8Array.from(identity.certificate));
    expect(await waitUntil(() => a.network.counters.closed.get('self') === 1)).toBe(true);
    expect(await waitUntil(() => a.network.ownKeySighting() !== undefined, 8000)).toBe(true);
    expect(a.log.some((line) => line.includes("another node with this node's staking key"))).toBe(true);
    const { unixSeconds } = a.network.ownKeySighting()!;
    expect(ownKeyOutcome(a.network.ownKeySighting(), unixSeconds).error).toContain('stop one of them');
    expect(ownKeyOutcome(a.network.ownKeySighting(), unixSeconds + 601n).error).toBeUndefined();
  }, 20_000);
  test('a node that is led to itself is not mistaken for another', async () => {
    const identity = createTestIdentity();
    const first = peersOf({ identity });
    const endpoint = await first.start();
    await first.close();
    const wrong = { node: createTestIdentity().node, endpoint };
    const a = peersOf({ identity, options: { stakingPort: endpoint.port, initialReconnectDelay: 60_000 }, beacons: [wrong] });
    await a.start();
    expect(await waitUntil(() => a.network.counters.closed.get('self') === 2)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 5500));
    expect(a.network.ownKeySighting()).toBeUndefined();
  }, 20_000);
  test('another network', async () => {
    const a = peersOf();
    const endpoint = await a.start();
    const other = peersOf({ networkId: 7, beacons: [{ node: a.identity.node, endpoint }] });
    await other.start();
    expect(
      await waitUntil(
        () => (a.network.counters.closed.get('bad handshake') ?? 0) > 0 || (other.network.counters.closed.get('bad handshake') ?? 0) > 0,
      ),
    ).toBe(true);
    expect(a.network.peers()).toEqual([]);
  }, 20_000);
});
