import { afterEach, describe, expect, test } from 'bun:test';
import { blsCheck } from '../../api/health/checks.ts';
import { networkCheck, routerCheck } from '../../api/health/network-checks.ts';
import type { PeerInfo } from '../../api/rpc/info.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import { Fault } from '../../base/fault.ts';
import { formatMetrics } from '../../base/metrics/family.ts';
import { createMetricRegistry } from '../../base/metrics/registry.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { createMemoryNet } from './memory-sockets.fixture.ts';
import { ownKeyOutcome } from './own-key-alert.ts';
import { networkState, ownRegistration, ownUptime, peerRows, routerState, upgradeState } from './peer-info.ts';
import { registerPeerMetrics } from './peer-metrics.ts';
import type { Peers } from './peers.ts';
import type { PeerSockets } from './socket.ts';
import {
  createRecorder,
  createTestIdentity,
  createTestPeers,
  realTiming,
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
    });

    test('a node that is blocked is cut off from both sides, and comes back when it is free again', async () => {
      const sockets = makeSockets();
      const options = { initialReconnectDelay: 20, maxReconnectDelay: 50 };
      const a = peersOf({ sockets, options });
      const b = peersOf({ sockets, options, beacons: [{ node: a.identity.node, endpoint: await a.start() }] });
      await b.start();
      expect(await waitUntil(() => a.network.peers().length + b.network.peers().length === 2)).toBe(true);
      a.network.block(new Set([b.identity.node]));
      // b dials again and again; each time a refuses it.
      expect(await waitUntil(() => (a.network.counters.closed.get('blocked') ?? 0) > 2)).toBe(true);
      expect(a.network.peers()).toEqual([]);
      a.network.block(new Set());
      expect(await waitUntil(() => a.network.peers().length + b.network.peers().length === 2)).toBe(true);
      // The side that dials refuses as well.
      b.network.block(new Set([a.identity.node]));
      expect(await waitUntil(() => a.network.peers().length + b.network.peers().length === 0)).toBe(true);
      b.network.block(new Set());
      expect(await waitUntil(() => a.network.peers().length + b.network.peers().length === 2)).toBe(true);
    });

    test('what is sent to a delayed peer arrives later and in order, also when the delay becomes shorter', async () => {
      const sockets = makeSockets();
      const a = peersOf({ sockets });
      const b = peersOf({ sockets, beacons: [{ node: a.identity.node, endpoint: await a.start() }] });
      const atB = createRecorder();
      a.addChain(testChain, createRecorder().handler);
      b.addChain(testChain, atB.handler);
      await b.start();
      expect(await waitUntil(() => a.network.peers().length + b.network.peers().length === 2)).toBe(true);
      const gossip = (byte: number) =>
        a.transport.send({ kind: 'appGossip', chainId: testChain, appBytes: Uint8Array.of(byte) }, [b.identity.node]);
      const start = performance.now();
      a.network.delay([b.identity.node], 300);
      gossip(1);
      await Bun.sleep(50);
      a.network.delay([b.identity.node], 0);
      gossip(2);
      expect(await waitUntil(() => atB.received.length === 2)).toBe(true);
      expect(performance.now() - start).toBeGreaterThan(295);
      expect(atB.received.map(({ message }) => (message as { appBytes: Uint8Array }).appBytes[0])).toEqual([1, 2]);
    });

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
    });
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
  });
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
  });
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
  });
  test('an address that the registered BLS key of a validator did not sign', async () => {
    const [identity, liar] = [createTestIdentity(), createTestIdentity()];
    const registeredKeys = new Map([
      [identity.node, await identity.signer.publicKey()],
      [liar.node, await identity.signer.publicKey()],
    ]);
    const a = peersOf({ registeredKeys });
    const beacons = [{ node: a.identity.node, endpoint: await a.start() }];
    await Promise.all([peersOf({ identity, beacons }).start(), peersOf({ identity: liar, beacons }).start()]);
    expect(await waitUntil(() => a.network.counters.closed.get('bad BLS signature') === 1)).toBe(true);
    expect(await waitUntil(() => a.network.peers().length === 1)).toBe(true);
    expect(ids(a)).toEqual([identity.node]);
  });
});

test('what operators see: rows of info.peers, health checks and metrics', async () => {
  const a = peersOf();
  const b = peersOf({ beacons: [{ node: a.identity.node, endpoint: await a.start() }] });
  a.addChain(testChain, createRecorder().handler);
  const { port } = await b.start();
  expect(await waitUntil(() => a.network.peers().length + b.network.peers().length === 2)).toBe(true);
  const rows: PeerInfo[] = peerRows(a.network.peers(), a.router, String);
  expect(rows).toEqual([
    {
      ip: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      publicIP: `127.0.0.1:${port}`,
      nodeID: nodeIdText(b.identity.node),
      version: 'avalanchego/1.14.2',
      upgradeTime: 1607144400n,
      lastSent: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      lastReceived: expect.stringMatching(/Z$/),
      observedUptime: 0,
      trackedSubnets: [zeroId],
      supportedACPs: [],
      objectedACPs: [],
      benched: [],
    },
  ]);
  const { stakes } = a.network;
  const nanos = () => realTiming.unixSeconds() * 1_000_000_000n;
  expect(ownUptime(a.identity.node, a.network.peers(), stakes, 0.8)).toEqual({ weightedAverage: 50, rewardingStake: 50 });
  const { error, details } = await networkCheck(() => networkState(a.network, stakes, nanos()), true)();
  expect([error, details]).toEqual([
    undefined,
    { connectedPeers: 1, sendFailRate: 0, timeSinceLastMsgReceived: expect.any(String), timeSinceLastMsgSent: expect.any(String) },
  ]);
  b.transport.request(pullQuery(1), [a.identity.node]);
  expect(await routerCheck(() => routerState(b.router, performance.now()))()).toMatchObject({ details: { outstandingRequests: 1 } });
  expect(await blsCheck(b.identity.signer.publicKey, () => ownRegistration(a.identity.node, stakes))()).toEqual({
    details: "validator doesn't have a BLS key",
  });
  expect(upgradeState(a.network.peers(), stakes, '')).toMatchObject({
    totalWeight: 200n,
    peers: [{ upgradeTime: 1607144400n, weight: 100n }],
  });

  const registry = createMetricRegistry();
  registerPeerMetrics(registry, a, () => 'X', nanos);
  const text = formatMetrics(registry.families());
  for (const line of [
    'avalanche_network_peers 1',
    'avalanche_network_times_connected 1',
    'avalanche_network_msgs{compressed="false",io="received",op="handshake"} 1',
    'avalanche_network_msgs{compressed="false",io="sent",op="peerlist"} 1',
    'avalanche_requests_current_timeout 5000000000',
    'avalanche_benchlist_benched_num{chain="X"} 0',
  ])
    expect(text).toContain(`${line}\n`);
});

test('while there is no peer, the spare first peers are dialled too, five every 30 s', async () => {
  const { timing, pass } = createVirtualTiming();
  const dialledPorts = new Set<number>();
  const sockets = (): PeerSockets => ({
    listen: async () => ({ endpoint: { ip: '127.0.0.1', port: 1 }, close: async () => {} }),
    dial: async ({ port }) => {
      dialledPorts.add(port);
      throw new Fault('refused', { code: 'TEST_REFUSED' });
    },
  });
  const beacons = Array.from({ length: 12 }, (_, i) => ({
    node: i.toString(16).padStart(2, '0').repeat(20) as NodeId,
    endpoint: { ip: '127.0.0.1', port: 100 + i },
  }));
  const peers = peersOf({
    sockets,
    beacons: beacons.slice(0, 5),
    spareBeacons: beacons.slice(5),
    timing: { ...timing, cpuTime: () => 0, unixSeconds: timing.unix, randomBytes: (length) => new Uint8Array(length) },
  });
  await peers.start();
  const counts: number[] = [];
  for (const milliseconds of [29_000, 2000, 30_000, 60_000]) {
    await pass(milliseconds);
    counts.push(dialledPorts.size);
  }
  expect(counts).toEqual([5, 10, 12, 12]);
});
