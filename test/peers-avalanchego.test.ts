import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex } from '../src/base/bytes/hex.ts';
import { type NodeId, nodeIdOfCertificate, nodeIdText, parseNodeId } from '../src/base/bytes/node-id.ts';
import { verifyPossessionSignature } from '../src/network/identity/bls.ts';
import type { MessageOfKind } from '../src/network/messages/message.ts';
import { networkState, ownUptime, peerRows } from '../src/network/peers/peer-info.ts';
import type { Peers } from '../src/network/peers/peers.ts';
import type { Endpoint, PeerSocket } from '../src/network/peers/socket.ts';
import { createTestPeers, waitUntil } from '../src/network/peers/test-peers.fixture.ts';
import { bloomHash, createBloomFilter } from '../src/network/protocol/bloom-filter.ts';
import { claimedAddressBytes, claimGossipId } from '../src/network/protocol/signed-ip.ts';
import { spawnAvalancheGo, startAvalancheGo } from './avalanchego.ts';
import type { Client } from './http.ts';
import { openProbe } from './peer-probe.ts';
import { eventually } from './processes.ts';

/** Steps 1 to 6 of joining a network, against real AvalancheGo nodes: TLS, frames, signatures, handshake, pings, peer lists. */
const binary = process.env.AVALANCHEGO;

type Node = {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly id: NodeId;
  readonly publicKey: Uint8Array;
  readonly stop: () => Promise<void>;
};

async function startNode(beacon?: Node): Promise<Node> {
  const flags = beacon === undefined ? [] : beaconFlags(beacon.endpoint.port, beacon.id);
  const { client, stakingPort, stop } = await startAvalancheGo(binary!, { flags });
  const { result } = (await client.call('/ext/info', 'info.getNodeID')) as unknown as {
    result: { nodeID: string; nodePOP: { publicKey: string } };
  };
  const publicKey = fromHex(result.nodePOP.publicKey.slice(2));
  return { client, endpoint: { ip: '127.0.0.1', port: stakingPort }, id: parseNodeId(result.nodeID), publicKey, stop };
}

const beaconFlags = (port: number, id: NodeId): string[] => [`--bootstrap-ips=127.0.0.1:${port}`, `--bootstrap-ids=${nodeIdText(id)}`];

type PeerRow = {
  nodeID: string;
  ip: string;
  publicIP: string;
  version: string;
  upgradeTime: number;
  observedUptime: string;
  trackedSubnets: string[];
  benched: string[];
};
const listPeers = async ({ client }: Node): Promise<PeerRow[]> =>
  ((await client.call('/ext/info', 'info.peers')) as unknown as { result: { peers: PeerRow[] } }).result.peers;

describe.skipIf(binary === undefined)('beside AvalancheGo', () => {
  let node: Node;
  const open: Peers[] = [];
  const sockets: PeerSocket[] = [];
  const probe = async (options?: { answersPings: boolean }) => {
    const one = await openProbe(node.endpoint, options);
    sockets.push(one.socket);
    return one;
  };
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(async () => {
    for (const socket of sockets) socket.close();
    await Promise.all(open.map((peers) => peers.close()));
    await node?.stop();
  });

  test('1 to 3: TLS, node ID, the handshake decodes, both signatures of the address are valid', async () => {
    const one = await probe();
    expect(nodeIdOfCertificate(one.socket.certificate!)).toBe(node.id);
    expect(await waitUntil(() => one.first('handshake') !== undefined)).toBe(true);
    const handshake = one.first('handshake')!;
    expect([handshake.networkId, handshake.client?.name, handshake.client?.minor]).toEqual([12345, 'avalanchego', 14]);
    const bytes = claimedAddressBytes({ ip: handshake.ip, port: handshake.port, timestamp: handshake.ipSigningTime });
    expect(await verifyPossessionSignature(node.publicKey, bytes, handshake.ipBlsSignature)).toBe(true);
    one.socket.close();
  });

  test('4: AvalancheGo lists this node, and this node lists AvalancheGo; either side may dial', async () => {
    const peers = createTestPeers({ beacons: [{ node: node.id, endpoint: node.endpoint }] });
    open.push(peers);
    const { port } = await peers.start();
    expect(await waitUntil(() => peers.network.peers().length === 1)).toBe(true);
    const [row] = peerRows(peers.network.peers(), peers.router, String);
    expect(row).toMatchObject({
      nodeID: nodeIdText(node.id),
      ip: `127.0.0.1:${node.endpoint.port}`,
      version: 'avalanchego/1.14.2',
      upgradeTime: 1607144400n,
      benched: [],
    });
    // AvalancheGo lists a peer when it has read its peer list.
    const theirs = await eventually(
      async () => (await listPeers(node)).find(({ nodeID }) => nodeID === nodeIdText(peers.identity.node)),
      (row) => row !== undefined,
    );
    expect(theirs).toMatchObject({
      publicIP: `127.0.0.1:${port}`,
      version: 'avalanchego/1.14.2',
      upgradeTime: 1607144400,
      observedUptime: '0',
      benched: [],
    });
    const uptime = ownUptime(peers.identity.node, peers.network.peers(), peers.network.stakes, 0.8);
    expect(uptime).toEqual({ weightedAverage: 50, rewardingStake: 50 });
    const state = networkState(peers.network, peers.network.stakes, BigInt(Date.now()) * 1_000_000n);
    expect([state.connectedPeers, state.sendFailRate, state.ingress]).toEqual([1, 0, undefined]);

    // A second AvalancheGo bootstraps from this node: it opens the connection. Its P-Chain waits for answers, which this node does not give.
    const folder = mkdtempSync(join(tmpdir(), 'serac-peers-'));
    const child = spawnAvalancheGo(binary!, folder, 0, true, beaconFlags(port, peers.identity.node));
    expect(await waitUntil(() => peers.network.peers().some(({ isInbound }) => isInbound), 40_000)).toBe(true);
    child.kill('SIGKILL');
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
    expect(await waitUntil(() => peers.network.peers().length === 1)).toBe(true);
  });

  test('4: what AvalancheGo refuses in a handshake, this node refuses too', async () => {
    const changes: readonly (readonly [string, Partial<MessageOfKind<'handshake'>>])[] = [
      ['network', { networkId: 1 }],
      ['clock', { myTime: BigInt(Math.floor(Date.now() / 1000) + 90) }],
      ['port', { port: 0 }],
      ['version', { client: { name: 'avalanchego', major: 1, minor: 13, patch: 9 } }],
      ['TLS signature', { ipTlsSignature: new Uint8Array(70) }],
      ['BLS signature', { ipBlsSignature: new Uint8Array(96) }],
      ['filter', { knownPeers: { filter: new Uint8Array(1), salt: new Uint8Array(0) } }],
    ];
    const ours = createTestPeers();
    open.push(ours);
    const own = await ours.start();
    for (const [name, change] of changes)
      for (const to of [node.endpoint, own]) {
        const one = await openProbe(to);
        one.send(one.handshake(change));
        expect([name, to === own, await waitUntil(() => one.closedAt() !== undefined, 5000)]).toEqual([name, to === own, true]);
        expect(one.first('peerList')).toBeUndefined();
      }
    const good = await openProbe(own);
    good.send(good.handshake());
    expect(await waitUntil(() => good.first('peerList') !== undefined)).toBe(true);
    good.socket.close();
  });

  test('6: a request for peers gets those that its filter does not contain', async () => {
    const second = await startNode(node);
    try {
      const one = await probe();
      one.send(one.handshake());
      one.send({ kind: 'peerList', peers: [] });
      const listed = () => one.received.filter((message) => message.kind === 'peerList').flatMap(({ peers }) => peers);
      const has = (id: NodeId) => listed().some(({ certificate }) => nodeIdOfCertificate(certificate) === id);
      expect(await waitUntil(() => has(second.id), 20_000)).toBe(true);
      const salt = new Uint8Array(32).fill(7);
      const filter = createBloomFilter(new Uint8Array(80).fill(3), 230);
      for (const peer of listed())
        filter.add(bloomHash(fromHex(claimGossipId(nodeIdOfCertificate(peer.certificate), peer.timestamp)), salt));
      const before = listed().length;
      one.send({ kind: 'getPeerList', knownPeers: { filter: filter.bytes(), salt }, allSubnets: false });
      await Bun.sleep(1000);
      expect(listed().length).toBe(before);
      one.send({ kind: 'getPeerList', knownPeers: { filter: fromHex('01000000000000000000'), salt }, allSubnets: false });
      expect(await waitUntil(() => listed().length > before)).toBe(true);
    } finally {
      await second.stop();
    }
  });

  test('5: answered pings keep a connection for 75 s; without pongs it is closed after 30 s', async () => {
    const peers = createTestPeers({ beacons: [{ node: node.id, endpoint: node.endpoint }] });
    open.push(peers);
    await peers.start();
    expect(await waitUntil(() => peers.network.peers().length === 1)).toBe(true);
    const silent = await probe({ answersPings: false });
    silent.send(silent.handshake());
    silent.send({ kind: 'peerList', peers: [] });
    const began = performance.now();
    expect(await waitUntil(() => silent.closedAt() !== undefined, 40_000)).toBe(true);
    expect(silent.closedAt()! - began).toBeGreaterThan(25_000);
    expect(await waitUntil(() => performance.now() - began > 76_000, 90_000)).toBe(true);
    expect([peers.network.peers().length, peers.network.counters.timesDisconnected]).toEqual([1, 0]);
    expect(peers.network.counters.roundTrips).toBeGreaterThanOrEqual(3);
  });
});
