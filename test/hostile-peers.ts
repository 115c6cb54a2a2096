import net from 'node:net';
import { fromHex } from '../src/base/bytes/hex.ts';
import type { Id } from '../src/base/bytes/id.ts';
import { createFrameReader, encodeFrame } from '../src/network/messages/frame.ts';
import { decodeMessage, type Message } from '../src/network/messages/message.ts';
import { signAddress } from '../src/network/peers/peer-handshake.ts';
import type { Endpoint } from '../src/network/peers/socket.ts';
import { createTestHandshake, createTestIdentity, type TestIdentity, tlsSocketsOf } from '../src/network/peers/test-peers.fixture.ts';
import { claimedAddressBytes } from '../src/network/protocol/signed-ip.ts';
import { type HostileKind, type HostileName, hostileKinds } from './hostile-kinds.ts';
import { localChainParams } from './wallet-kit.ts';

/**
 * Hostile peers of one kind, as a process of their own, so that their memory is not the node's:
 * `bun test/hostile-peers.ts KIND COUNT IP:PORT`. It writes a line when all are connected, and one per second with the bytes sent.
 */

/** Writes that the socket has not taken: enough to keep the connection full. */
const maxWrites = 4;
const retryMs = 500;

const totals = { bytes: 0, connected: 0, closed: 0 };

/** All peers claim the same address with one BLS key, whose signature takes long. */
const claimed = { ip: Uint8Array.of(127, 0, 0, 1), port: 9999, timestamp: BigInt(Math.floor(Date.now() / 1000)) };
const { signer: slowSigner } = createTestIdentity();
const signatureOfAddress = slowSigner.signPossession(claimedAddressBytes(claimed));
const signer = { ...slowSigner, signPossession: () => signatureOfAddress };

const send = (write: (bytes: Uint8Array) => void, message: Message): void => write(encodeFrame(message, { compress: false }));

/** Sends frames again and again until the connection is closed. */
function keepSending(frames: readonly Uint8Array[], interval: number | undefined, write: (bytes: Uint8Array, taken: () => void) => void) {
  let at = 0;
  let isClosed = false;
  const next = (): void => {
    if (isClosed || frames.length === 0) return;
    const frame = frames[at++ % frames.length] as Uint8Array;
    write(frame, () => {
      totals.bytes += frame.length;
      if (interval === undefined) next();
      else setTimeout(next, interval);
    });
  };
  for (let i = 0; i < (interval === undefined ? maxWrites : 1); i++) next();
  return () => {
    isClosed = true;
  };
}

/** Opens one connection; resolves when it is closed. */
async function runPeer(
  kind: HostileKind,
  identity: TestIdentity,
  to: Endpoint,
  framesFor: (tip: Id) => readonly Uint8Array[],
): Promise<void> {
  const socket = await tlsSocketsOf(identity).dial(to, 30_000);
  const closed = Promise.withResolvers<void>();
  const reader = createFrameReader();
  const write = (bytes: Uint8Array): void => socket.write(bytes, () => {});
  let stop = (): void => {};
  let hasHandshake = false;
  let hasTip = false;
  const receive = (message: Message): void => {
    if (message.kind === 'ping') send(write, { kind: 'pong' });
    if (message.kind === 'peerList' && !hasHandshake) {
      hasHandshake = true;
      send(write, { kind: 'peerList', peers: [] });
      send(write, { kind: 'getAcceptedFrontier', chainId: localChainParams.blockchainID, requestId: 1, deadline: 10_000_000_000n });
    }
    if (message.kind === 'acceptedFrontier' && !hasTip) {
      hasTip = true;
      totals.connected++;
      if (!kind.reads) socket.pause();
      stop = keepSending(framesFor(message.containerId), kind.interval, (bytes, taken) => socket.write(bytes, taken));
    }
  };
  socket.start({
    data: (chunk) => {
      // The answers to a flood are not decoded: that would cost more than the flood.
      if (hasTip && kind.frames !== undefined) for (const bytes of reader.push(chunk)) bytes.length < 16 && receive(decodeMessage(bytes));
      else for (const bytes of reader.push(chunk)) receive(decodeMessage(bytes));
    },
    closed: () => closed.resolve(),
  });
  if (kind.upTo === 'peer') {
    const address = await signAddress(claimed, { privateKey: identity.privateKey, signer });
    const knownPeers = { filter: fromHex('01000000000000000000'), salt: new Uint8Array(32) };
    send(write, createTestHandshake(address, { knownPeers }));
  } else totals.connected++;
  await closed.promise;
  stop();
}

function runTcp(to: Endpoint): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = net.connect(to.port, to.ip, () => void totals.connected++);
  socket.on('error', () => {});
  socket.on('close', () => resolve());
  return promise;
}

const [name = '', count = '', address = ''] = process.argv.slice(2);
const kind: HostileKind = hostileKinds[name as HostileName];
const [ip = '', port = ''] = address.split(':');
const to = { ip, port: Number(port) };
let frames: readonly Uint8Array[] | undefined;
const framesFor = (tip: Id): readonly Uint8Array[] => {
  frames ??= kind.frames?.(tip) ?? [];
  return frames;
};

/** A peer that connects again whenever it is closed. */
async function persist(): Promise<never> {
  const identity = createTestIdentity();
  for (;;) {
    await (kind.upTo === 'tcp' ? runTcp(to) : runPeer(kind, identity, to, framesFor)).catch(() => {});
    totals.closed++;
    await Bun.sleep(retryMs);
  }
}

for (let i = 0; i < Number(count); i++) {
  void persist();
  await Bun.sleep(5);
}
while (totals.connected < Number(count)) await Bun.sleep(20);
console.log('connected');
for (;;) {
  await Bun.sleep(1000);
  console.log(JSON.stringify(totals));
}
