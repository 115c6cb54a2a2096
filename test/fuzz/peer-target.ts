import { ok } from 'node:assert';
import { fromHex } from '../../src/base/bytes/hex.ts';
import { createFrameReader, encodeFrame, plainFrame } from '../../src/network/messages/frame.ts';
import { decodeMessage, encodeMessage, type Message } from '../../src/network/messages/message.ts';
import { createMemoryNet } from '../../src/network/peers/memory-sockets.fixture.ts';
import { signAddress } from '../../src/network/peers/peer-handshake.ts';
import {
  createRecorder,
  createTestHandshake,
  createTestIdentity,
  createTestPeers,
  realTiming,
  testChain,
} from '../../src/network/peers/test-peers.fixture.ts';
import type { FuzzTarget, OpenedTarget } from './target.ts';

/* Bytes on a connection of a peer, in memory: before its handshake, or after a valid one (first byte). Whatever is sent, the node stays. */

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits for a condition, two seconds and two thousand turns of the event loop: beside other programs a process may get no turn for seconds. */
async function until(isMet: () => boolean): Promise<boolean> {
  const end = performance.now() + 2000;
  for (let turns = 0; !isMet() && (turns < 2000 || performance.now() < end); turns++) await nextTurn();
  return isMet();
}

async function openPeer(): Promise<OpenedTarget> {
  const net = createMemoryNet();
  const node = createTestPeers({
    sockets: (identity) => net.socketsFor(identity.certificate),
    options: { inboundCooldown: 0, inboundConnectionsPerSecond: 1e9 },
  });
  const endpoint = await node.start();
  const recorder = createRecorder();
  node.addChain(testChain, recorder.handler);
  const client = createTestIdentity();
  const timestamp = realTiming.unixSeconds();
  const address = await signAddress({ ip: Uint8Array.of(127, 0, 0, 1), port: 9999, timestamp }, client);
  const knownPeers = { filter: fromHex('01000000000000000000'), salt: new Uint8Array(32) };

  return {
    run: async (input) => {
      const socket = await net.socketsFor(client.certificate).dial(endpoint, 1000);
      let isClosed = false;
      let received = 0;
      const reader = createFrameReader();
      socket.start({
        data: (chunk) => {
          for (const bytes of reader.push(Uint8Array.from(chunk))) {
            decodeMessage(bytes);
            received++;
          }
        },
        closed: () => {
          isClosed = true;
        },
      });
      const send = (bytes: Uint8Array) => socket.write(bytes, () => {});
      const greets = (input[0] ?? 0) % 2 === 0;
      if (greets) {
        send(encodeFrame(createTestHandshake(address, { knownPeers }), { compress: false }));
        send(encodeFrame({ kind: 'peerList', peers: [] }, { compress: false }));
        await until(() => received >= 2 || isClosed);
        ok(received >= 2, 'the node does not answer a handshake');
      }
      send(input.subarray(1));
      for (let turn = 0; turn < 6 && !isClosed; turn++) await nextTurn();
      socket.close();
      for (let turn = 0; turn < 4; turn++) await nextTurn();
      ok(await until(() => node.network.peers().length === 0), 'a closed connection stays');
      recorder.received.length = 0;
      recorder.failures.length = 0;
      node.log.length = 0;
    },
    close: () => node.close(),
  };
}

const seeds = (): Uint8Array[] => {
  const claim = {
    certificate: new Uint8Array(40),
    ip: Uint8Array.of(127, 0, 0, 1),
    port: 1,
    timestamp: 1n,
    signature: new Uint8Array(8),
    txId: new Uint8Array(32),
  };
  const messages: readonly Message[] = [
    { kind: 'ping', uptime: 90 },
    { kind: 'pong' },
    { kind: 'getPeerList', knownPeers: { filter: fromHex('01000000000000000000'), salt: new Uint8Array(32) }, allSubnets: false },
    { kind: 'peerList', peers: [claim] },
    { kind: 'pullQuery', chainId: testChain, requestId: 1, deadline: 10n ** 9n, containerId: testChain, requestedHeight: 1n },
    {
      kind: 'chits',
      chainId: testChain,
      requestId: 1,
      preferredId: testChain,
      acceptedId: testChain,
      preferredIdAtHeight: testChain,
      acceptedHeight: 1n,
    },
    { kind: 'appGossip', chainId: testChain, appBytes: Uint8Array.of(0, 1, 2) },
    createTestHandshake({
      ip: Uint8Array.of(127, 0, 0, 1),
      port: 1,
      timestamp: 1n,
      tlsSignature: new Uint8Array(70),
      blsSignature: new Uint8Array(96),
    }),
  ];
  return messages.flatMap((message) => [0, 1].map((mode) => Buffer.concat([Uint8Array.of(mode), plainFrame(encodeMessage(message))])));
};

export const peerTarget: FuzzTarget = {
  name: 'peer-connection',
  testRounds: 5,
  seeds,
  maxCpu: 250,
  maxRetained: 16_000_000,
  open: openPeer,
};
