import { ok } from 'node:assert';
import { parseBlock } from '../../src/avm/tx/block.ts';
import { parseTx } from '../../src/avm/tx/tx.ts';
import { fromHex } from '../../src/base/bytes/hex.ts';
import { type Id, zeroId } from '../../src/base/bytes/id.ts';
import { Fault } from '../../src/base/fault.ts';
import { createTestTimers, flush, nodeId } from '../../src/network/consensus/engine.fixture.ts';
import { defaultEngineParameters } from '../../src/network/consensus/engine-parameters.ts';
import { defaultGossipParameters } from '../../src/network/gossip/gossip-parameters.ts';
import { startJoinedChain } from '../../src/network/joined-chain/joined-chain.ts';
import { MessageError } from '../../src/network/messages/fault.ts';
import { createFrameReader, plainFrame } from '../../src/network/messages/frame.ts';
import { GossipItems, joinAppBytes, PullGossip, txGossipHandler } from '../../src/network/messages/gossip.ts';
import { decodeMessage, encodeMessage, type Message } from '../../src/network/messages/message.ts';
import { createProposer, openOuterChain, testClock } from '../../src/network/outer-chain/outer-chain.fixture.ts';
import { isResponseKind, responseKinds } from '../../src/network/peers/router.ts';
import { parseOuterBlock } from '../../src/network/proposervm/outer-block.ts';
import type { ChainMessage, RequestMessage, Transport } from '../../src/network/protocol/transport.ts';
import outerChain from '../../vectors/outer-chain.json' with { type: 'json' };
import p2p from '../../vectors/p2p.json' with { type: 'json' };
import vectors from '../../vectors/vectors.json' with { type: 'json' };
import { createRandom } from '../random.ts';
import { type FuzzTarget, type OpenedTarget, orRefused } from './target.ts';

/* Messages of peers: framing and protobuf, and what a chain on a network does with them. */

const frames = p2p.entries.filter(({ kind }) => kind === 'frame').map(({ hex }) => fromHex(hex));

const messageTarget: FuzzTarget = {
  name: 'message',
  seeds: () => {
    const captured = frames.map((frame) => frame.subarray(4)).filter(({ length }) => length < 2000);
    // Without their compression, so that mutations reach the fields.
    return [
      ...captured.slice(0, 10),
      ...captured.map((bytes) => encodeMessage(decodeMessage(bytes))).filter(({ length }) => length < 3000),
    ];
  },
  open: () => ({
    run: (input) => {
      const message = orRefused([MessageError], () => decodeMessage(input));
      if (message === undefined) return;
      const again = encodeMessage(message);
      ok(encodeMessage(decodeMessage(again)).equals(again), 'decodes to another message');
      // A stream that is cut anywhere has the same frames.
      const reader = createFrameReader();
      const cut = again.length >> 1;
      const frame = Buffer.concat([plainFrame(again), plainFrame(again)]);
      const read = [...reader.push(frame.subarray(0, cut)), ...reader.push(Uint8Array.from(frame.subarray(cut)))];
      ok(read.length === 2 && read.every((one) => again.equals(one)), 'frames are cut wrongly');
    },
  }),
};

const streamTarget: FuzzTarget = {
  name: 'frames',
  seeds: () => frames.filter(({ length }) => length < 2000).slice(0, 12),
  open: () => ({
    run: (input) => {
      const [whole, parts] = [createFrameReader(), createFrameReader()];
      const all = orRefused([MessageError], () => whole.push(Uint8Array.from(input)));
      const cut = orRefused([MessageError], () => {
        const messages: Uint8Array[] = [];
        for (let at = 0, size = 1; at < input.length; at += size, size = (size * 3) % 1009)
          messages.push(...parts.push(Uint8Array.from(input.subarray(at, at + size))));
        return messages;
      });
      ok((all === undefined) === (cut === undefined), 'the same bytes in other pieces are refused');
      ok(
        all?.length === cut?.length && (all ?? []).every((one, i) => Buffer.from(one).equals(cut?.[i] as Uint8Array)),
        'frames are cut wrongly',
      );
      ok(whole.pending() <= input.length);
    },
  }),
};

const blocks = outerChain.blocks.map(fromHex);
const ids = blocks.map((bytes) => parseOuterBlock(bytes).id);
const innerGenesis = parseBlock(parseOuterBlock(blocks[0] as Uint8Array).inner).parentID;
const peers = [nodeId(1), nodeId(2)];

/** What peers say, as frames. IDs of requests and of the chain are set when they are received. */
function chainSeeds(): Uint8Array[] {
  const link = { chainId: zeroId, requestId: 0, deadline: 10_000_000_000n };
  const reply = { chainId: zeroId, requestId: 0 };
  const [first, second] = ids as [Id, Id];
  const [b1, b2, b3] = blocks as [Uint8Array, Uint8Array, Uint8Array];
  const tx = fromHex((vectors.txs[0] as { signedHexNC: string }).signedHexNC.slice(2));
  const gossip = GossipItems.encode({ items: [tx, parseTx(tx).bytes.subarray(0, 60)] });
  const pull = PullGossip.encode({ salt: new Uint8Array(32), filter: fromHex('01000000000000000000') });
  const app = (content: Uint8Array) => joinAppBytes({ handler: txGossipHandler, content });
  const chits = (id: Id, height: bigint): Message => ({
    kind: 'chits',
    ...reply,
    preferredId: id,
    acceptedId: id,
    preferredIdAtHeight: id,
    acceptedHeight: height,
  });
  const conversations: readonly (readonly Message[])[] = [
    [{ kind: 'pushQuery', ...link, container: b1, requestedHeight: 1n }, chits(first, 1n), chits(first, 1n)],
    [{ kind: 'pushQuery', ...link, container: b2, requestedHeight: 2n }, { kind: 'put', ...reply, container: b1 }, chits(second, 2n)],
    [
      { kind: 'pullQuery', ...link, containerId: first, requestedHeight: 1n },
      { kind: 'put', ...reply, container: b1 },
    ],
    [
      { kind: 'acceptedFrontier', ...reply, containerId: second },
      { kind: 'accepted', ...reply, containerIds: [second] },
      { kind: 'ancestors', ...reply, containers: [b2, b1] },
    ],
    [
      { kind: 'acceptedFrontier', ...reply, containerId: first },
      { kind: 'accepted', ...reply, containerIds: [first, second] },
      { kind: 'ancestors', ...reply, containers: [b3] },
    ],
    [
      { kind: 'getAncestors', ...link, containerId: innerGenesis, engineType: 2 },
      { kind: 'get', ...link, containerId: innerGenesis },
    ],
    [
      { kind: 'getAccepted', ...link, containerIds: [first, innerGenesis] },
      { kind: 'getAcceptedFrontier', ...link },
    ],
    [
      { kind: 'getStateSummaryFrontier', ...link },
      { kind: 'getAcceptedStateSummary', ...link, heights: [1n, 2n] },
    ],
    [
      { kind: 'appGossip', chainId: zeroId, appBytes: app(gossip) },
      { kind: 'appRequest', ...link, appBytes: app(pull) },
    ],
    [
      { kind: 'appResponse', ...reply, appBytes: gossip },
      { kind: 'appError', ...reply, errorCode: -1, errorMessage: 'no' },
    ],
  ];
  return [0, 1].flatMap((mode) =>
    conversations.map((messages) => Buffer.concat([Uint8Array.of(mode), ...messages.map((message) => plainFrame(encodeMessage(message)))])),
  );
}

const proposer = createProposer();

/** A new chain for each input. The first byte says whether it asks its peers for the tip first; then frames of both in turn. */
async function converse(input: Uint8Array): Promise<void> {
  const timers = createTestTimers();
  const clock = testClock();
  const opened = openOuterChain(clock, { proposer });
  const pending: { readonly message: RequestMessage; readonly to: (typeof peers)[number] }[] = [];
  const transport: Transport = {
    self: nodeId(9),
    send: (_, to) => to,
    request: (message, to) => void pending.push(...to.map((one) => ({ message, to: one }))),
  };
  const unexpected: unknown[] = [];
  const expectFault = (error: unknown): void => void (error instanceof Fault || unexpected.push(error));
  const set = new Map(peers.map((peer) => [peer, 10n] as const));
  const chain = startJoinedChain({
    chainId: opened.state.id,
    vm: opened.vm,
    pool: {
      has: (id) => opened.chain.mempool.get(id) !== undefined,
      add: (bytes) => {
        try {
          opened.chain.issue(parseTx(bytes));
          return true;
        } catch (error) {
          expectFault(error);
          return false;
        }
      },
      items: () => opened.chain.mempool.all(),
      count: () => opened.chain.mempool.size().txs,
    },
    transport,
    validators: { current: () => set },
    beacons: () => ((input[0] ?? 0) % 2 === 0 ? new Map() : set),
    stakers: () => set,
    timers,
    unixMilliseconds: timers.now,
    randomBytes: createRandom(1).bytes,
    engineParameters: { ...defaultEngineParameters, k: 2, alphaPreference: 2, alphaConfidence: 2, beta: 1 },
    gossipParameters: defaultGossipParameters,
    events: { onBootstrapped: () => {}, onWarning: expectFault, onFatal: expectFault },
  });
  try {
    for (const peer of peers) chain.handler.connected(peer);
    await flush();
    const messages = orRefused([MessageError], () => createFrameReader().push(Uint8Array.from(input.subarray(1)))) ?? [];
    for (const [at, bytes] of messages.slice(0, 12).entries()) {
      const message = orRefused([MessageError], () => decodeMessage(bytes));
      if (message !== undefined && 'chainId' in message) receive(message, peers[at % 2] as (typeof peers)[number]);
      await flush();
      timers.advance(300);
      await flush();
    }
    timers.advance(5000);
    await flush();
    if (unexpected.length > 0) throw unexpected[0];
  } finally {
    chain.stop();
    opened.close();
  }

  /** A response belongs to a request that waits for its kind, or is dropped as the router does. */
  function receive(message: ChainMessage, from: (typeof peers)[number]): void {
    const chainId = opened.state.id;
    if (!isResponseKind(message.kind) && message.kind !== 'appError') {
      chain.handler.receive(from, { ...message, chainId });
      return;
    }
    const at = pending.findIndex(({ message: asked }) => responseKinds[asked.kind] === message.kind || message.kind === 'appError');
    const [request] = at < 0 ? [] : pending.splice(at, 1);
    if (request === undefined) return;
    chain.handler.receive(request.to, { ...message, chainId, requestId: request.message.requestId } as ChainMessage);
  }
}

const chainTarget: FuzzTarget = {
  name: 'chain-messages',
  testRounds: 5,
  seeds: chainSeeds,
  maxCpu: 400,
  maxRetained: 24_000_000,
  open: (): OpenedTarget => ({ run: converse }),
};

export const messageTargets: readonly FuzzTarget[] = [messageTarget, streamTarget, chainTarget];
