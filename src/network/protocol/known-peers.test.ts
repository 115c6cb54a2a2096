import { describe, expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { decodeMessage, type MessageKind, type MessageOfKind } from '../messages/message.ts';
import { bloomCapacity, bloomHash, bloomSize, createBloomFilter, parseBloomFilter } from './bloom-filter.ts';
import { PeerError } from './fault.ts';
import { claimGossipId } from './signed-ip.ts';

const named = <K extends MessageKind>(name: string) =>
  decodeMessage(fromHex(vectors.entries.find((entry) => entry.name === name)!.hex).subarray(4)) as MessageOfKind<K>;

/** Whether the filter of a GetPeerList contains each peer of a list. */
function contained(request: string, peers: MessageOfKind<'peerList'>['peers']): boolean[] {
  const { filter, salt } = named<'getPeerList'>(request).knownPeers!;
  const parsed = parseBloomFilter(filter);
  return peers.map((peer) => {
    const id = claimGossipId(nodeIdOfCertificate(peer.certificate), peer.timestamp);
    return parsed.contains(bloomHash(fromHex(id), salt));
  });
}

describe('known peers, as AvalancheGo answered', () => {
  const { peers } = named<'peerList'>('peer_list_first_after_handshake');
  test('peers in the filter are left out of the answer, others are in it', () => {
    expect(peers.length).toBe(4);
    expect(contained('get_peer_list_empty_filter', peers)).toEqual([false, false, false, false]);
    expect(contained('get_peer_list_all_known', peers)).toEqual([true, true, true, true]);
    const answered = named<'peerList'>('peer_list_answer_two_known').peers;
    const isAnswered = peers.map((peer) => answered.some((other) => toHex(other.certificate) === toHex(peer.certificate)));
    expect(isAnswered.filter(Boolean).length).toBe(2);
    expect(contained('get_peer_list_two_known', peers)).toEqual(isAnswered.map((is) => !is));
  });
  test('a filter that AvalancheGo made contains validators that it knew', () => {
    const { filter } = named<'getPeerList'>('get_peer_list_from_avalanchego').knownPeers!;
    expect(filter.length).toBe(311);
    expect(contained('get_peer_list_from_avalanchego', peers).filter(Boolean).length).toBeGreaterThanOrEqual(3);
  });
});

describe('bloom filter', () => {
  test('hash of a key', () => {
    const key = Uint8Array.from({ length: 32 }, (_, index) => index);
    expect(bloomHash(key, Uint8Array.of(1, 2, 3))).toEqual({ high: 0xf6456e9c, low: 0x9aceefb9 });
  });
  test('sizes of the filters of peers and of transactions', () => {
    expect(bloomSize(128, 0.001)).toEqual({ hashes: 10, entryBytes: 230 });
    expect(bloomSize(8192, 0.01)).toEqual({ hashes: 7, entryBytes: 9815 });
    expect(bloomCapacity(10, 230, 0.01)).toBeGreaterThan(128);
  });
  test('what was added is contained, and few others are; bits are those of the plain formula', () => {
    const random = createRandom(3);
    const seeds = random.bytes(80);
    const filter = createBloomFilter(seeds, 230);
    const salt = random.bytes(32);
    const keys = Array.from({ length: 128 }, () => random.bytes(32));
    for (const key of keys) filter.add(bloomHash(key, salt));
    expect(filter.count()).toBeGreaterThan(125);
    const bytes = filter.bytes();
    const parsed = parseBloomFilter(bytes);
    for (const key of keys) expect([parsed.contains(bloomHash(key, salt)), filter.contains(bloomHash(key, salt))]).toEqual([true, true]);
    const others = Array.from({ length: 2000 }, () => parsed.contains(bloomHash(random.bytes(32), salt)));
    expect(others.filter(Boolean).length).toBeLessThan(30);
    expect(toHex(bytes.subarray(81))).toBe(
      toHex(
        plainEntries(
          keys.map((key) => bloomHash(key, salt)),
          seeds,
          230,
        ),
      ),
    );
    expect(filter.add(bloomHash(keys[0]!, salt))).toBe(false);
  });
  test('malformed filters', () => {
    expect(parseBloomFilter(fromHex('01000000000000000000')).contains({ high: 1, low: 2 })).toBe(false);
    for (const hex of ['', '00', '01', `11${'00'.repeat(137)}`, '010000000000000000'])
      expect(() => parseBloomFilter(fromHex(hex))).toThrow(PeerError);
  });
});

/** The entries by bigint arithmetic, as an oracle. */
function plainEntries(hashes: { high: number; low: number }[], seeds: Uint8Array, size: number): Uint8Array {
  const entries = new Uint8Array(size);
  const mask = 2n ** 64n - 1n;
  for (const { high, low } of hashes) {
    let hash = (BigInt(high) << 32n) | BigInt(low);
    for (let i = 0; i < seeds.length; i += 8) {
      hash = (((hash << 17n) | (hash >> 47n)) & mask) ^ BigInt(`0x${toHex(seeds.subarray(i, i + 8))}`);
      const bit = Number(hash % BigInt(8 * size));
      entries[bit >> 3]! |= 1 << (bit & 7);
    }
  }
  return entries;
}
