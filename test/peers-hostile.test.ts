import { afterEach, describe, expect, test } from 'bun:test';
import net from 'node:net';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { fromHex } from '../src/base/bytes/hex.ts';
import type { NodeId } from '../src/base/bytes/node-id.ts';
import { createFrameReader, encodeFrame } from '../src/network/messages/frame.ts';
import { decodeMessage, encodeMessage, type Message } from '../src/network/messages/message.ts';
import { createMemoryNet } from '../src/network/peers/memory-sockets.fixture.ts';
import type { NetworkOptions } from '../src/network/peers/network-flags.ts';
import { signAddress } from '../src/network/peers/peer-handshake.ts';
import type { Peers } from '../src/network/peers/peers.ts';
import type { Endpoint, PeerSocket, PeerSockets } from '../src/network/peers/socket.ts';
import {
  createRecorder,
  createTestHandshake,
  createTestIdentity,
  createTestPeers,
  type TestIdentity,
  testChain,
  tlsSocketsOf,
  waitUntil,
} from '../src/network/peers/test-peers.fixture.ts';
import vectors from '../vectors/p2p.json' with { type: 'json' };
import { recordFigure } from './figure.ts';
import { createRandom, mutate } from './random.ts';

/** Peers that break the rules: each is closed or ignored, and costs neither memory nor the other peers. */

/** Mutated frames of one test; 10^6 take some minutes. */
const rounds = Number(process.env.SERAC_HOSTILE_FRAMES ?? 10_000);

const open: { close: () => unknown }[] = [];
const keep = <T extends { close: () => unknown }>(one: T): T => {
  open.push(one);
  return one;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

/** Signed addresses: a BLS signature takes long. */
const addresses = new Map<TestIdentity, ReturnType<typeof signAddress>>();
const addressOf = (identity: TestIdentity) => {
  const address =
    addresses.get(identity) ?? signAddress({ ip: Uint8Array.of(127, 0, 0, 1), port: 9999, timestamp: 1_700_000_000n }, identity);
  addresses.set(identity, address);
  return address;
};

/** A connection that finished the handshake, unless `isSilent`. */
async function openHostile(sockets: PeerSockets, identity: TestIdentity, to: Endpoint, { isSilent = false } = {}) {
  const socket = keep(await sockets.dial(to, 10_000));
  const received: Message[] = [];
  let isClosed = false;
  const reader = createFrameReader();
  const write = (bytes: Uint8Array) => socket.write(bytes, () => {});
  const send = (message: Message) => write(encodeFrame(message, { compress: false }));
  socket.start({
    data: (chunk) => void received.push(...reader.push(chunk).map((bytes) => decodeMessage(bytes))),
    closed: () => {
      isClosed = true;
    },
  });
  const address = await addressOf(identity);
  if (!isSilent) {
    send(createTestHandshake(address));
    await waitUntil(() => received.some(({ kind }) => kind === 'peerList'));
    send({ kind: 'peerList', peers: [] });
  }
  return { socket: socket as PeerSocket, received, write, send, isClosed: () => isClosed };
}

/** A node under test with one well-behaved peer. */
async function openVictim(options: Partial<NetworkOptions> = {}, sockets?: (identity: TestIdentity) => PeerSockets) {
  const common = { ...(sockets === undefined ? {} : { sockets }) };
  const victim = keep(createTestPeers({ ...common, options }));
  const endpoint = await victim.start();
  const friend = keep(createTestPeers({ ...common, beacons: [{ node: victim.identity.node, endpoint }] }));
  await friend.start();
  const chain = createRecorder();
  friend.addChain(testChain, chain.handler);
  victim.addChain(testChain, {
    ...chain.handler,
    receive: (from, message) =>
      void (
        'deadline' in message &&
        victim.transport.send({ kind: 'accepted', chainId: testChain, requestId: message.requestId, containerIds: [] }, [from])
      ),
    failed: () => {},
  });
  expect(await waitUntil(() => friend.network.peers().length === 1 && victim.network.peers().length === 1)).toBe(true);
  let requestId = 0;
  /** Asks the victim something and returns how long the answer took, in milliseconds. */
  const ask = async (): Promise<number> => {
    const began = performance.now();
    const before = chain.received.length;
    friend.transport.request({ kind: 'getAccepted', chainId: testChain, requestId: requestId++, deadline: 0n, containerIds: [] }, [
      victim.identity.node,
    ]);
    expect(await waitUntil(() => chain.received.length > before, 40_000)).toBe(true);
    return performance.now() - began;
  };
  return { victim, endpoint, ask };
}

const isPeer = (peers: Peers, node: NodeId): boolean => peers.network.isConnected(node);
const closedFor = (peers: Peers) => Object.fromEntries(peers.network.counters.closed);

test(
  `${rounds} mutated frames: the node keeps serving its other peer, and holds nothing afterwards`,
  async () => {
    const memory = createMemoryNet();
    const { victim, endpoint, ask } = await openVictim(
      { cpuOtherNode: 1000, cpuOthers: 1000, bandwidthRefill: 1e12, bandwidthBurst: 1e12 },
      (identity) => memory.socketsFor(identity.certificate),
    );
    const samples = vectors.entries.filter(({ kind }) => kind === 'frame').map(({ hex }) => fromHex(hex));
    const messages = samples.map((frame) => decodeMessage(frame.subarray(4)));
    const plain = messages.map((message) => encodeMessage(message));
    const ofChains = messages.filter((message) => 'chainId' in message).map((message) => encodeMessage(message));
    const framed = (message: Uint8Array) => {
      const frame = Buffer.alloc(4 + message.length);
      frame.writeUInt32BE(message.length);
      frame.set(message, 4);
      return frame;
    };
    const random = createRandom(77);
    const identity = createTestIdentity();
    let hostile: Awaited<ReturnType<typeof openHostile>> | undefined;
    let connections = 0;
    for (let round = 0; round < rounds; round++) {
      if (hostile === undefined || hostile.isClosed()) {
        await waitUntil(() => !isPeer(victim, identity.node));
        hostile = await openHostile(memory.socketsFor(identity.certificate), identity, endpoint);
        connections++;
      }
      // Most mutations keep the length right, so that they reach the decoder; some break the frame, and with it the connection.
      const pool = round % 100 === 0 ? plain : ofChains;
      const bytes = round % 500 === 0 ? mutate(random, random.pick(samples), samples) : framed(mutate(random, random.pick(pool), plain));
      hostile.write(bytes);
      if (round % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
      if (round % Math.ceil(rounds / 20) === 0) await ask();
    }
    hostile?.socket.close();
    expect(connections).toBeGreaterThan(1);
    expect(await waitUntil(() => victim.network.limits.inbound.granted() === 0 && !isPeer(victim, identity.node))).toBe(true);
    expect(victim.network.counters.failedToParse).toBeGreaterThan(rounds / 10);
    expect(victim.network.limits.inbound.remaining().atLarge).toBe(6 * 2 ** 20);
    await ask();
  },
  120_000 + rounds,
);

describe('connections that never become peers', () => {
  // Seconds, so that a busy machine finishes TLS in them; the tests wait and take no CPU time.
  const options = { readHandshakeTimeout: 2000, pingTimeout: 3000, pingFrequency: 500 };
  test('half-open TCP, TLS 1.2, no certificate, and silence after TLS', async () => {
    const victim = keep(createTestPeers({ options }));
    const endpoint = await victim.start();
    const raw = net.connect(endpoint.port, '127.0.0.1');
    let isRawClosed = false;
    raw.on('close', () => {
      isRawClosed = true;
    });
    raw.on('error', () => {});
    const bare = keepSocket(tls.connect({ host: '127.0.0.1', port: endpoint.port, rejectUnauthorized: false, minVersion: 'TLSv1.3' }));
    const old = keepSocket(tls.connect({ host: '127.0.0.1', port: endpoint.port, rejectUnauthorized: false, maxVersion: 'TLSv1.2' }));
    const identity = createTestIdentity();
    const hostile = await openHostile(tlsSocketsOf(identity), identity, endpoint, { isSilent: true });
    expect(await waitUntil(() => isRawClosed && bare.isClosed() && old.isClosed() && hostile.isClosed(), 60_000)).toBe(true);
    expect(closedFor(victim)).toMatchObject({ 'no certificate': 1 });
    expect(victim.network.connectingCount()).toBe(0);
    raw.destroy();
  });

  test('a certificate that AvalancheGo does not accept', async () => {
    const memory = createMemoryNet();
    const victim = keep(createTestPeers({ sockets: (identity) => memory.socketsFor(identity.certificate) }));
    await memory.socketsFor(new Uint8Array(300)).dial(await victim.start(), 1000);
    expect(await waitUntil(() => victim.network.counters.closed.get('bad certificate') === 1)).toBe(true);
    expect([victim.network.counters.tlsRejected, victim.network.connectingCount()]).toEqual([1, 0]);
  });

  test('a peer that is slow with its bytes, or only sends pings before its handshake, is closed', async () => {
    const victim = keep(createTestPeers({ options }));
    const endpoint = await victim.start();
    const [identity, other] = [createTestIdentity(), createTestIdentity()];
    const slow = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    const pinging = await openHostile(tlsSocketsOf(other), other, endpoint, { isSilent: true });
    // A frame of 1000 bytes is announced, and one byte comes per 50 ms.
    slow.write(Uint8Array.of(0, 0, 3, 0xe8));
    const timer = setInterval(() => {
      slow.write(Uint8Array.of(1));
      pinging.send({ kind: 'ping', uptime: 0 });
    }, 50);
    expect(await waitUntil(() => slow.isClosed() && pinging.isClosed(), 60_000)).toBe(true);
    clearInterval(timer);
    expect(closedFor(victim)).toMatchObject({ 'read timeout': 1, 'handshake timeout': 1 });
  });

  function keepSocket(socket: tls.TLSSocket) {
    let isClosed = false;
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
    });
    open.push({ close: () => socket.destroy() });
    return { isClosed: () => isClosed };
  }
});

describe('peers that finished the handshake', () => {
  const frameOf = (hex: string) => {
    const message = fromHex(hex);
    return Buffer.concat([Uint8Array.of(0, 0, message.length >> 8, message.length & 0xff), message]);
  };
  test('each rule whose violation closes the connection', async () => {
    const { victim, endpoint, ask } = await openVictim();
    const claim = {
      certificate: new Uint8Array(20),
      ip: Uint8Array.of(1, 2, 3, 4),
      port: 1,
      timestamp: 1n,
      signature: new Uint8Array(3),
      txId: new Uint8Array(0),
    };
    const violations: readonly (readonly [string, string, (one: Awaited<ReturnType<typeof openHostile>>) => void])[] = [
      ['oversize frame', 'bad frame', (one) => one.write(Uint8Array.of(0, 0x20, 0, 1))],
      ['uptime above 100', 'bad message', (one) => one.send({ kind: 'ping', uptime: 101 })],
      ['pong without ping', 'unexpected pong', (one) => one.send({ kind: 'pong' })],
      ['second handshake', 'bad handshake', (one) => one.write(frameOf('6a00'))],
      [
        'request for peers without a filter',
        'bad message',
        (one) => one.send({ kind: 'getPeerList', knownPeers: undefined, allSubnets: false }),
      ],
      ['bad certificate in a peer list', 'bad peer list', (one) => one.send({ kind: 'peerList', peers: [claim] })],
      ['too many peers in a list', 'bad message', (one) => one.send({ kind: 'peerList', peers: new Array(1025).fill(claim) })],
    ];
    for (const [name, reason, violate] of violations) {
      const identity = createTestIdentity();
      const one = await openHostile(tlsSocketsOf(identity), identity, endpoint);
      expect([name, await waitUntil(() => isPeer(victim, identity.node))]).toEqual([name, true]);
      const before = victim.network.counters.closed.get(reason as 'bad frame') ?? 0;
      violate(one);
      expect([name, await waitUntil(() => one.isClosed() && !isPeer(victim, identity.node))]).toEqual([name, true]);
      expect([name, victim.network.counters.closed.get(reason as 'bad frame')]).toEqual([name, before + 1]);
    }
    await ask();
  });

  test('what is ignored: empty frames, garbage, unknown messages, zstd bombs, unknown chains, responses nobody asked for', async () => {
    const { victim, endpoint, ask } = await openVictim();
    const identity = createTestIdentity();
    const one = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    const bomb = Bun.zstdCompressSync(Buffer.alloc(100_000_000));
    const length = bomb.length;
    const compressed = Buffer.concat([Uint8Array.of(0x12, (length & 0x7f) | 0x80, length >> 7), bomb]);
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 50; i++) {
      one.write(Buffer.concat([Uint8Array.of(0, 0, compressed.length >> 8, compressed.length & 0xff), compressed]));
      for (const hex of ['', 'ffffff', 'a206020000', '0a00']) one.write(frameOf(hex));
      one.send({ kind: 'get', chainId: 'cd'.repeat(32) as typeof testChain, requestId: i, deadline: 1000n, containerId: testChain });
      one.send({ kind: 'put', chainId: testChain, requestId: i, container: new Uint8Array(100) });
      one.send({ kind: 'getAccepted', chainId: testChain, requestId: i, deadline: 0n, containerIds: [] });
    }
    expect(await waitUntil(() => victim.network.counters.failedToParse >= 250)).toBe(true);
    await ask();
    expect(isPeer(victim, identity.node)).toBe(true);
    expect(one.received.some(({ kind }) => kind === 'accepted')).toBe(false);
    recordFigure({ name: 'growth during zstd bombs', unit: 'MB', value: (process.memoryUsage().rss - before) / 1e6, limit: 150 });
  });

  test('a flood is slowed down to its bandwidth, and the other peer is served', async () => {
    const { victim, endpoint, ask } = await openVictim();
    const identity = createTestIdentity();
    const flooding = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    expect(await waitUntil(() => isPeer(victim, identity.node))).toBe(true);
    const frame = encodeFrame({ kind: 'appGossip', chainId: testChain, appBytes: new Uint8Array(100_000) }, { compress: false });
    const before = process.memoryUsage().rss;
    const began = performance.now();
    let slowest = 0;
    for (let i = 0; i < 400; i++) {
      flooding.write(frame);
      if (i % 40 === 39) slowest = Math.max(slowest, await ask());
    }
    await Bun.sleep(500);
    const bytes = victim.network.counters.received.get('appGossip')?.bytes ?? 0;
    const seconds = (performance.now() - began) / 1000;
    // 40 MB were sent; 2 MiB and 512 KiB per second may be read.
    expect(bytes).toBeLessThan(2 * 2 ** 20 + (seconds + 1) * 512 * 1024);
    expect(bytes).toBeGreaterThan(10 ** 6);
    recordFigure({ name: 'answers to a peer during a flood of another', unit: 'ms', value: slowest, limit: 3000 });
    // The sender is this process too: it holds the 40 MB that the node does not read.
    recordFigure({ name: 'growth during a flood of a peer', unit: 'MB', value: (process.memoryUsage().rss - before) / 1e6, limit: 250 });
    expect(
      victim.network
        .peers()
        .find(({ node }) => node === identity.node)
        ?.throttledBy(),
    ).toBe('bandwidth');
  });

  test('a few bytes that claim to be megabytes cost a peer without stake these megabytes, though they cannot be decompressed', async () => {
    const victim = keep(createTestPeers({ haveStake: false, options: { cpuOtherNode: 1000, cpuOthers: 1000 } }));
    const identity = createTestIdentity();
    const one = await openHostile(tlsSocketsOf(identity), identity, await victim.start());
    expect(await waitUntil(() => isPeer(victim, identity.node))).toBe(true);
    const broken = zlib.zstdCompressSync(Buffer.alloc(2_000_000), { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } });
    broken[broken.length - 1] = (broken.at(-1) as number) ^ 1;
    const compressed = Buffer.concat([Uint8Array.of(0x12, broken.length), broken]);
    expect(compressed.length).toBeLessThan(128);
    for (let i = 0; i < 20; i++) one.write(frameOf(compressed.toString('hex')));
    expect(await waitUntil(() => victim.network.peers()[0]?.throttledBy() === 'bandwidth')).toBe(true);
    expect(victim.network.counters.failedToParse).toBeLessThan(10);
  });

  test('the bytes of a request count until it is answered: the peer is not read beyond its share, the other one is', async () => {
    const { victim, endpoint, ask } = await openVictim({ inboundNodeBytes: 300_000, inboundValidatorBytes: 0 });
    const held: (() => void)[] = [];
    const otherChain = 'cd'.repeat(32) as typeof testChain;
    victim.addChain(otherChain, { ...createRecorder().handler, receive: (_from, _message, hold) => void (hold && held.push(hold())) });
    const identity = createTestIdentity();
    const one = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    expect(await waitUntil(() => isPeer(victim, identity.node))).toBe(true);
    // 136 kB each: two fit into the share of a peer.
    const containerIds = new Array(4000).fill(testChain);
    for (let i = 0; i < 6; i++) one.send({ kind: 'getAccepted', chainId: otherChain, requestId: i, deadline: 1000n, containerIds });
    expect(await waitUntil(() => held.length === 2)).toBe(true);
    await ask();
    await Bun.sleep(200);
    expect([held.length, victim.network.limits.inbound.granted()]).toEqual([2, 2]);
    for (let answered = 0; answered < 6; answered++) {
      expect(await waitUntil(() => held.length > answered)).toBe(true);
      held[answered]?.();
    }
    expect(await waitUntil(() => victim.network.limits.inbound.granted() === 0)).toBe(true);
  });

  test('a peer that leaves while it is slowed down is noticed before all it sent is read', async () => {
    // Nodes do not ask peers without stake for addresses, so that nothing else is sent to it.
    const options = { bandwidthRefill: 10_000, bandwidthBurst: 200_000, pingTimeout: 200_000 };
    const victim = keep(createTestPeers({ haveStake: false, options }));
    const endpoint = await victim.start();
    victim.addChain(testChain, createRecorder().handler);
    const identity = createTestIdentity();
    const one = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    expect(await waitUntil(() => isPeer(victim, identity.node))).toBe(true);
    // Reading this takes 100 s; the next ping, which would tell too, comes after 22.
    const frame = encodeFrame({ kind: 'appGossip', chainId: testChain, appBytes: new Uint8Array(100_000) }, { compress: false });
    let written = 0;
    for (let i = 0; i < 12; i++) one.socket.write(frame, () => void written++);
    expect(await waitUntil(() => written === 12)).toBe(true);
    one.socket.close();
    expect(await waitUntil(() => !isPeer(victim, identity.node), 15_000)).toBe(true);
  });

  test('decompressed bytes count as bandwidth of a peer without stake', async () => {
    const victim = keep(createTestPeers({ haveStake: false }));
    const endpoint = await victim.start();
    victim.addChain(testChain, createRecorder().handler);
    const identity = createTestIdentity();
    const one = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    expect(await waitUntil(() => isPeer(victim, identity.node))).toBe(true);
    const bomb = encodeFrame({ kind: 'appGossip', chainId: testChain, appBytes: new Uint8Array(2_000_000) }, { compress: true });
    expect(bomb.length).toBeLessThan(1000);
    for (let i = 0; i < 40; i++) one.write(bomb);
    const throttledBy = () =>
      victim.network
        .peers()
        .find(({ node }) => node === identity.node)
        ?.throttledBy();
    expect(await waitUntil(() => throttledBy() === 'bandwidth')).toBe(true);
    // 2 MiB at once, then 512 KiB per second.
    expect(victim.network.counters.received.get('appGossip')?.messages).toBeLessThanOrEqual(3);
  });

  test('a peer that never reads loses messages, and is closed when its socket takes nothing', async () => {
    const options = { pingTimeout: 1500, pingFrequency: 300 };
    const { victim, endpoint, ask } = await openVictim(options);
    const identity = createTestIdentity();
    const deaf = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    expect(await waitUntil(() => isPeer(victim, identity.node))).toBe(true);
    deaf.socket.pause();
    const message = { kind: 'appGossip', chainId: testChain, appBytes: createRandom(5).bytes(500_000) } as const;
    let dropped = 0;
    const keepAlive = setInterval(() => deaf.send({ kind: 'ping', uptime: 1 }), 100);
    for (let i = 0; i < 200; i++) {
      if (victim.transport.send(message, [identity.node]).length === 0) dropped++;
      if (i % 20 === 0) await Bun.sleep(5);
    }
    expect(dropped).toBeGreaterThan(50);
    const { outbound } = victim.network.limits;
    expect(64 * 2 ** 20 - outbound.remaining().atLarge - outbound.remaining().validators).toBeLessThan(32 * 2 ** 20);
    expect(await waitUntil(() => !isPeer(victim, identity.node), 15_000)).toBe(true);
    clearInterval(keepAlive);
    expect(closedFor(victim)).toMatchObject({ 'write timeout': 1 });
    expect(outbound.remaining()).toEqual({ atLarge: 32 * 2 ** 20, validators: 32 * 2 ** 20 });
    await ask();
  });

  test('requests for peers are answered ten times at once, then once per second', async () => {
    const { victim, endpoint } = await openVictim();
    const identity = createTestIdentity();
    const one = await openHostile(tlsSocketsOf(identity), identity, endpoint);
    expect(await waitUntil(() => isPeer(victim, identity.node))).toBe(true);
    const before = one.received.filter(({ kind }) => kind === 'peerList').length;
    for (let i = 0; i < 500; i++)
      one.send({ kind: 'getPeerList', knownPeers: { filter: fromHex('01000000000000000000'), salt: new Uint8Array(0) }, allSubnets: true });
    await Bun.sleep(500);
    const answers = one.received.filter(({ kind }) => kind === 'peerList').length - before;
    expect(answers).toBeGreaterThanOrEqual(10);
    expect(answers).toBeLessThanOrEqual(13);
  });
});
