import { randomBytes } from 'node:crypto';
import { toHex } from '../src/base/bytes/hex.ts';
import type { Id } from '../src/base/bytes/id.ts';
import { compressFrame, encodeFrame, plainFrame } from '../src/network/messages/frame.ts';
import { GossipItems, joinAppBytes, PullGossip, txGossipHandler } from '../src/network/messages/gossip.ts';
import { encodeMessage, type Message } from '../src/network/messages/message.ts';
import { localChainParams } from './wallet-kit.ts';

/** What hostile peers of one kind do, until they are stopped. */
export type HostileKind = {
  readonly summary: string;
  /** How far a connection goes before it sends. `peer`: it finishes the handshake and answers pings. */
  readonly upTo: 'tcp' | 'tls' | 'peer';
  /** Frames that are sent again and again; `tip` is the last accepted block of the node. None: the connection only stays open. */
  readonly frames?: (tip: Id) => readonly Uint8Array[];
  /** Whether it reads what the node sends. */
  readonly reads: boolean;
  /** Milliseconds between two writes; as fast as the node reads if undefined. */
  readonly interval?: number;
};

const chainId = localChainParams.blockchainID;
/** Nanoseconds. */
const deadline = 10_000_000_000n;
const randomId = (): Id => toHex(randomBytes(32)) as Id;
const repeat = <T>(count: number, create: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => create(i));
const plain = (message: Message): Uint8Array => encodeFrame(message, { compress: false });
/** Compressed, also where AvalancheGo does not compress. */
const compressed = (message: Message): Uint8Array => compressFrame(encodeMessage(message));
const request = (requestId: number) => ({ chainId, requestId, deadline });

/** A frame around bytes that are no message. */
const garbage = (length: number): Uint8Array => plainFrame(randomBytes(length));

/** Flooding peers: they finish the handshake, then send as fast as the node reads. */
const flood = (summary: string, frames: (tip: Id) => readonly Uint8Array[]): HostileKind => ({
  summary,
  upTo: 'peer',
  reads: true,
  frames,
});

export const hostileKinds = {
  getAccepted: flood('GetAccepted with 4,000 random IDs', () =>
    repeat(8, (i) => plain({ kind: 'getAccepted', ...request(i), containerIds: repeat(4000, randomId) })),
  ),
  getAcceptedZstd: flood('GetAccepted with 4,000 times the same ID, compressed to some bytes', (tip) =>
    repeat(8, (i) => compressed({ kind: 'getAccepted', ...request(i), containerIds: repeat(4000, () => tip) })),
  ),
  getAncestors: flood('GetAncestors of the last block', (tip) =>
    repeat(256, (i) => plain({ kind: 'getAncestors', ...request(i), containerId: tip, engineType: 2 })),
  ),
  get: flood('Get of the last block', (tip) => repeat(256, (i) => plain({ kind: 'get', ...request(i), containerId: tip }))),
  getAcceptedFrontier: flood('GetAcceptedFrontier', () => repeat(256, (i) => plain({ kind: 'getAcceptedFrontier', ...request(i) }))),
  pullQuery: flood('PullQuery of unknown blocks', () =>
    repeat(256, (i) => plain({ kind: 'pullQuery', ...request(i), containerId: randomId(), requestedHeight: 1n })),
  ),
  pushQuery: flood('PushQuery of 200 kB that are no block', () =>
    repeat(16, (i) => plain({ kind: 'pushQuery', ...request(i), container: randomBytes(200_000), requestedHeight: 1n })),
  ),
  appRequest: flood('AppRequest with a filter of 1 MB', () =>
    repeat(4, (i) => {
      const content = PullGossip.encode({ salt: randomBytes(32), filter: randomBytes(1_000_000) });
      return plain({ kind: 'appRequest', ...request(i), appBytes: joinAppBytes({ handler: txGossipHandler, content }) });
    }),
  ),
  appGossip: flood('AppGossip of transactions that cannot be decoded', () =>
    repeat(16, () => {
      const content = GossipItems.encode({ items: repeat(60, () => randomBytes(300)) });
      return plain({ kind: 'appGossip', chainId, appBytes: joinAppBytes({ handler: txGossipHandler, content }) });
    }),
  ),
  unsolicited: flood('Ancestors and Chits that nobody asked for', () => [
    ...repeat(4, (i) => plain({ kind: 'ancestors', chainId, requestId: i, containers: repeat(20, () => randomBytes(20_000)) })),
    ...repeat(64, (i) => {
      const id = randomId();
      return plain({ kind: 'chits', chainId, requestId: i, preferredId: id, acceptedId: id, preferredIdAtHeight: id, acceptedHeight: 9n });
    }),
  ]),
  zstdBomb: flood('AppGossip of 2 MB of zeros, compressed to 200 bytes', () => [
    compressed({ kind: 'appGossip', chainId, appBytes: new Uint8Array(2_000_000) }),
  ]),
  getPeerList: flood('GetPeerList with a filter of 500 kB', () => [
    plain({
      kind: 'getPeerList',
      knownPeers: { filter: Buffer.concat([Uint8Array.of(1), randomBytes(500_000)]), salt: randomBytes(32) },
      allSubnets: true,
    }),
  ]),
  ping: flood('pings', () => repeat(256, () => plain({ kind: 'ping', uptime: 100 }))),
  garbage: flood('frames that are no messages', () => repeat(16, (i) => garbage(i % 2 === 0 ? 50 : 50_000))),
  slowReader: {
    ...flood('GetAncestors of the last block; the answers are not read', (tip) =>
      repeat(256, (i) => plain({ kind: 'getAncestors', ...request(i), containerId: tip, engineType: 2 })),
    ),
    reads: false,
  },
  slowWriter: {
    summary: 'a frame of 2 MB is announced, and sent at 1 kB per second',
    upTo: 'peer',
    reads: true,
    frames: () => [Uint8Array.of(0, 0x1f, 0, 0), ...repeat(2000, () => new Uint8Array(100))],
    interval: 100,
  },
  silentTls: { summary: 'TLS connections without a handshake', upTo: 'tls', reads: true },
  halfOpen: { summary: 'TCP connections without TLS', upTo: 'tcp', reads: true },
} as const satisfies { readonly [name: string]: HostileKind };

export type HostileName = keyof typeof hostileKinds;
