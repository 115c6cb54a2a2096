import { describe, expect, test } from 'bun:test';
import { fromHex } from '../../base/bytes/hex.ts';
import { endpointText, ipText, isPublicIp, parseIp, remoteText } from '../../base/bytes/ip-address.ts';
import { type NodeId, parseNodeId } from '../../base/bytes/node-id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { signStaking } from '../identity/staking-certificate.ts';
import { bloomHash, parseBloomFilter } from '../protocol/bloom-filter.ts';
import { claimedAddressBytes, claimGossipId } from '../protocol/signed-ip.ts';
import { createAddressBook, createKnownAddresses, type NodeAddress } from './address-book.ts';
import { listFirstPeers, parseBeacons, sampleFirstPeers } from './beacons.ts';
import { createDialer } from './dialer.ts';
import { createCounters } from './network-counters.ts';
import { defaultNetworkOptions } from './network-flags.ts';
import type { Endpoint } from './socket.ts';
import { createTestIdentity, realTiming, type TestIdentity } from './test-peers.fixture.ts';

const addressOf = (identity: TestIdentity, timestamp: bigint, port = 9651): NodeAddress => {
  const address = { ip: Uint8Array.of(10, 0, 0, 1), port, timestamp };
  const signature = signStaking(identity.privateKey, claimedAddressBytes(address));
  return { ...address, node: identity.node, certificate: identity.certificate, signature };
};
const claimOf = ({ certificate, ip, port, timestamp, signature }: NodeAddress) => ({
  certificate,
  ip,
  port,
  timestamp,
  signature,
  txId: new Uint8Array(32),
});

test('texts of IP addresses', () => {
  for (const text of ['127.0.0.1', '1.2.3.4', '2001:db8::1', '::1', '::', 'fe80::1:2']) expect(ipText(parseIp(text)!)).toBe(text);
  expect(ipText(parseIp('::ffff:127.0.0.1')!)).toBe('127.0.0.1');
  expect([parseIp(''), parseIp('1.2.3'), parseIp('host'), parseIp('fe80::1%eth0')]).toEqual([undefined, undefined, undefined, undefined]);
  expect([endpointText('::1', 5), endpointText('1.2.3.4', 5), remoteText('::ffff:1.2.3.4')]).toEqual(['[::1]:5', '1.2.3.4:5', '1.2.3.4']);
  const isPublic = (text: string) => isPublicIp(parseIp(text)!);
  expect(['8.8.8.8', '2001:4860::1', '172.32.0.1'].map(isPublic)).toEqual([true, true, true]);
  for (const text of [
    '127.0.0.1',
    '10.1.1.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.1.1',
    '224.0.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '::1',
    'fe80::1',
    'fc00::1',
    'ff02::1',
  ])
    expect([text, isPublic(text)]).toEqual([text, false]);
});

describe('known addresses', () => {
  const identities = Array.from({ length: 5 }, createTestIdentity);
  test('the newest counts; the filter contains it; requesters get what they do not know', () => {
    const known = createKnownAddresses(realTiming);
    const [first, second] = identities as [TestIdentity, TestIdentity];
    expect([
      known.add(addressOf(first, 5n)),
      known.add(addressOf(first, 5n)),
      known.add(addressOf(first, 4n)),
      known.add(addressOf(second, 9n)),
    ]).toEqual([true, false, false, true]);
    const contains = (node: NodeId, timestamp: bigint) => {
      const { filter, salt } = known.filter();
      return parseBloomFilter(filter).contains(bloomHash(fromHex(claimGossipId(node, timestamp)), salt));
    };
    expect([contains(first.node, 5n), contains(second.node, 9n), contains(second.node, 10n)]).toEqual([true, true, false]);
    const all = identities.map((identity) => addressOf(identity, identity === second ? 9n : 5n));
    const { filter, salt } = known.filter();
    const unknown = known.selectUnknown(all, { filter: parseBloomFilter(filter), salt }, 15);
    expect(unknown.map(({ node }) => node).sort()).toEqual(
      identities
        .slice(2)
        .map(({ node }) => node)
        .sort(),
    );
    expect(known.selectUnknown(all, undefined, 2).length).toBe(2);
    known.reset((node) => node === first.node);
    expect([known.count(), contains(first.node, 5n), contains(second.node, 9n)]).toEqual([1, true, false]);
  });
  test('a node that signs ever newer addresses does not fill the filter', () => {
    const known = createKnownAddresses(realTiming);
    const [one] = identities as [TestIdentity];
    const signed = addressOf(one, 0n);
    for (let time = 1n; time < 1000n; time++) known.add({ ...signed, timestamp: time });
    const bits = (known.filter().filter as Uint8Array)
      .subarray(81)
      .reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    expect(bits).toBeLessThanOrEqual(20);
    expect(known.filterState().count).toBe(2);
  });
});

describe('peer lists', () => {
  const own = createTestIdentity();
  const wanted = createTestIdentity();
  const stranger = createTestIdentity();
  const now = realTiming.unixSeconds();
  const open = () => {
    const dialled: [NodeId, Endpoint][] = [];
    const foreign: string[] = [];
    const counters = createCounters();
    const book = createAddressBook({
      self: own.node,
      timing: realTiming,
      options: defaultNetworkOptions,
      counters,
      isWanted: (node) => node === wanted.node,
      own: () => ({
        ip: Uint8Array.of(10, 0, 0, 9),
        port: 1,
        timestamp: now - 100n,
        tlsSignature: new Uint8Array(0),
        blsSignature: new Uint8Array(0),
      }),
      connected: () => [],
      dial: (node, endpoint) => void dialled.push([node, endpoint]),
      foreignClaim: (address) => void foreign.push(address),
    });
    return { book, dialled, foreign, counters };
  };
  test('a wanted node is dialled at its newest address; others are ignored', () => {
    const { book, dialled, counters } = open();
    book.learn([claimOf(addressOf(wanted, now)), claimOf(addressOf(wanted, now)), claimOf(addressOf(stranger, now))]);
    book.learn([claimOf(addressOf(wanted, now - 5n, 1))]);
    expect(dialled).toEqual([[wanted.node, { ip: '10.0.0.1', port: 9651 }]]);
    expect(counters.uselessPeerListBytes).toBeGreaterThan(800);
  });
  test('lies are refused', () => {
    const { book, dialled } = open();
    const good = claimOf(addressOf(wanted, now));
    const codes = [
      { ...good, port: 9652 },
      { ...good, port: 65_536 },
      { ...good, ip: new Uint8Array(5) },
      { ...good, certificate: new Uint8Array(9) },
      { ...good, signature: claimOf(addressOf(stranger, now)).signature },
      claimOf(addressOf(wanted, now + 120n)),
    ].map((claim) => {
      try {
        book.learn([claim]);
        return 'none';
      } catch (error) {
        return (error as { fault: { code: string } }).fault.code;
      }
    });
    expect(codes).toEqual(['PEER_BAD_CLAIM', 'PEER_BAD_CLAIM', 'PEER_BAD_IP', 'PEER_BAD_CLAIM', 'PEER_BAD_CLAIM', 'PEER_BAD_CLAIM']);
    expect(dialled).toEqual([]);
  });
  test('a later address with the key of this node is one of another process; an earlier one is its own', () => {
    const { book, foreign } = open();
    book.learn([claimOf(addressOf(own, now - 200n)), { ...claimOf(addressOf(own, now)), signature: new Uint8Array(70) }]);
    expect(foreign).toEqual([]);
    book.learn([claimOf(addressOf(own, now))]);
    expect(foreign).toEqual(['10.0.0.1:9651']);
  });
});

test('dialling: at once, then with growing delays up to a minute, until the node is not wanted', async () => {
  const { timing, pass } = createVirtualTiming();
  const attempts: number[] = [];
  let [isWanted, isCutOff] = [true, false];
  const node = 'aa'.repeat(20) as NodeId;
  const dialer = createDialer({
    sockets: {
      dial: () => {
        attempts.push(timing.now());
        return Promise.reject('refused');
      },
    },
    timing: { ...timing, cpuTime: () => 0, unixSeconds: timing.unix, randomBytes: (length) => new Uint8Array(length).fill(128) },
    options: defaultNetworkOptions,
    log: () => {},
    isWanted: () => isWanted,
    isOpen: () => false,
    isCutOff: () => isCutOff,
    opened: () => undefined,
  });
  dialer.track(node, { ip: '127.0.0.1', port: 1 });
  await pass(600_000);
  const delays = attempts.slice(1).map((time, i) => time - (attempts[i] as number));
  expect(attempts[0]).toBe(0);
  expect(delays[0]).toBeGreaterThanOrEqual(1000);
  expect(delays[0]).toBeLessThan(2001);
  for (const [i, delay] of delays.slice(1).entries()) expect(delay).toBeGreaterThanOrEqual(Math.min(45_000, delays[i] as number));
  expect(Math.max(...delays)).toBeLessThanOrEqual(60_000);
  // A node that too little of the stake is connected to comes back within seconds of its peers.
  isCutOff = true;
  await pass(60_000);
  attempts.length = 0;
  await pass(60_000);
  expect(attempts.length).toBeGreaterThanOrEqual(14);
  isWanted = false;
  await pass(70_000);
  expect(dialer.count()).toBe(0);
});

test('bootstrap nodes', () => {
  const id = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
  const node = parseNodeId(id);
  expect(parseBeacons('', '')).toEqual([]);
  expect(parseBeacons('127.0.0.1:9651, [::1]:1', `${id},${id}`)).toEqual([
    { node, endpoint: { ip: '127.0.0.1', port: 9651 } },
    { node, endpoint: { ip: '::1', port: 1 } },
  ]);
  for (const [ips, ids, text] of [
    ['127.0.0.1:9651', '', 'expected the number of bootstrapIPs (1) to match the number of bootstrapIDs (0)'],
    ['127.0.0.1', id, '--bootstrap-ips: "127.0.0.1" is not'],
    ['host:9651', id, '--bootstrap-ips: "host:9651" is not'],
    ['127.0.0.1:70000', id, '--bootstrap-ips'],
    ['127.0.0.1:1', 'NodeID-x', '--bootstrap-ids: "NodeID-x" is not'],
  ] as const)
    expect(() => parseBeacons(ips, ids)).toThrow(text);
});

test('five of the built-in first peers are dialled, at random; the others are spare', () => {
  const builtIn = listFirstPeers(1);
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const dialled = new Set<string>();
  for (let start = 0; start < 300; start++) {
    const sampled = sampleFirstPeers(builtIn, random);
    expect([sampled.dialled.length, new Set([...sampled.dialled, ...sampled.spare]).size]).toEqual([5, builtIn.length]);
    for (const { node } of sampled.dialled) dialled.add(node);
  }
  // The chance that one of 24 is never among five in 300 starts is below 10^-28.
  expect(dialled.size).toBe(builtIn.length);
  expect(sampleFirstPeers([], random)).toEqual({ dialled: [], spare: [] });
});
