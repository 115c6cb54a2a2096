import { fromHex } from '../src/base/bytes/hex.ts';
import { createFrameReader, encodeFrame } from '../src/network/messages/frame.ts';
import { decodeMessage, type Message, type MessageOfKind } from '../src/network/messages/message.ts';
import { signAddress } from '../src/network/peers/peer-handshake.ts';
import type { Endpoint, PeerSocket } from '../src/network/peers/socket.ts';
import { createTestHandshake, createTestIdentity, tlsSocketsOf } from '../src/network/peers/test-peers.fixture.ts';

/** Opens a connection that sends what the test says and records what comes. It answers pings unless told not to. */
export async function openProbe(to: Endpoint, { answersPings = true, onMessage = (_: Message): void => {} } = {}) {
  const identity = createTestIdentity();
  const socket: PeerSocket = await tlsSocketsOf(identity).dial(to, 10_000);
  const received: Message[] = [];
  let closedAt: number | undefined;
  const reader = createFrameReader();
  const send = (message: Message) => socket.write(encodeFrame(message, { compress: false }), () => {});
  socket.start({
    data: (chunk) => {
      for (const bytes of reader.push(chunk)) {
        const message = decodeMessage(bytes);
        received.push(message);
        onMessage(message);
        if (message.kind === 'ping' && answersPings) send({ kind: 'pong' });
      }
    },
    closed: () => {
      closedAt = performance.now();
    },
  });
  const address = await signAddress(
    { ip: Uint8Array.of(127, 0, 0, 1), port: 9999, timestamp: BigInt(Math.floor(Date.now() / 1000)) },
    identity,
  );
  const handshake = (change: Partial<MessageOfKind<'handshake'>> = {}): MessageOfKind<'handshake'> =>
    createTestHandshake(address, { knownPeers: { filter: fromHex('01000000000000000000'), salt: new Uint8Array(32) }, ...change });
  const first = <K extends Message['kind']>(kind: K) => received.find((message) => message.kind === kind) as MessageOfKind<K> | undefined;
  return { identity, socket, received, send, handshake, first, closedAt: () => closedAt };
}
