import { parseBlock } from '../src/avm/tx/block.ts';
import type { Id } from '../src/base/bytes/id.ts';
import type { MessageOfKind } from '../src/network/messages/message.ts';
import type { Endpoint } from '../src/network/peers/socket.ts';
import { waitUntil } from '../src/network/peers/test-peers.fixture.ts';
import { parseOuterBlock } from '../src/network/proposervm/outer-block.ts';
import { openProbe } from './peer-probe.ts';
import { localChainParams } from './wallet-kit.ts';

const chainId = localChainParams.blockchainID;
/** Nanoseconds. */
const deadline = 5_000_000_000n;

type Response = MessageOfKind<'chits' | 'put' | 'acceptedFrontier'>;

/**
 * A peer of one node on a local network without sybil protection: it answers the node's queries with one vote, and sends blocks. It has half of the
 * weight, so the node decides nothing without it.
 */
export async function openBlockPeer(to: Endpoint) {
  let vote: Id | undefined;
  let accepted: { readonly id: Id; readonly height: bigint } | undefined;
  const blocks = new Map<Id, Uint8Array>();
  let requestId = 1000;
  const probe = await openProbe(to, {
    onMessage: (message) => {
      if (!('chainId' in message) || message.chainId !== chainId || accepted === undefined) return;
      const preferredId = vote ?? accepted.id;
      if (message.kind === 'pullQuery' || message.kind === 'pushQuery')
        probe.send({
          kind: 'chits',
          chainId,
          requestId: message.requestId,
          preferredId,
          acceptedId: accepted.id,
          preferredIdAtHeight: preferredId,
          acceptedHeight: accepted.height,
        });
      const container = message.kind === 'get' ? blocks.get(message.containerId) : undefined;
      if (message.kind === 'get' && container !== undefined) probe.send({ kind: 'put', chainId, requestId: message.requestId, container });
    },
  });
  const answer = async <K extends Response['kind']>(kind: K, id: number): Promise<MessageOfKind<K>> => {
    const find = () => probe.received.find((message) => message.kind === kind && (message as Response).requestId === id);
    if (!(await waitUntil(() => find() !== undefined, 10_000))) throw new Error(`no ${kind} from the node`);
    return find() as MessageOfKind<K>;
  };
  const readTip = async () => {
    const id = requestId++;
    probe.send({ kind: 'getAcceptedFrontier', chainId, requestId: id, deadline });
    const { containerId } = await answer('acceptedFrontier', id);
    const putId = requestId++;
    probe.send({ kind: 'get', chainId, requestId: putId, deadline, containerId });
    const outer = parseOuterBlock((await answer('put', putId)).container);
    const inner = parseBlock(outer.inner);
    accepted = { id: outer.id, height: inner.height };
    return { outer, inner };
  };
  probe.send(probe.handshake());
  if (!(await waitUntil(() => probe.first('handshake') !== undefined, 10_000))) throw new Error('no handshake from the node');
  probe.send({ kind: 'peerList', peers: [] });
  if (!(await waitUntil(() => probe.first('peerList') !== undefined, 10_000))) throw new Error('no peer list from the node');

  return {
    identity: probe.identity,
    /** Reads the last accepted block of the node. From then on the peer answers queries with it. */
    readTip,
    /** Sends a block. Returns the block that the node preferred before it read this one. */
    push: async (container: Uint8Array, requestedHeight: bigint): Promise<Id> => {
      const id = requestId++;
      probe.send({ kind: 'pushQuery', chainId, requestId: id, deadline, container, requestedHeight });
      return (await answer('chits', id)).preferredId;
    },
    /** Asks which block the node prefers. */
    preference: async (): Promise<Id> => {
      const id = requestId++;
      const { id: containerId, height } = accepted as { id: Id; height: bigint };
      probe.send({ kind: 'pullQuery', chainId, requestId: id, deadline, containerId, requestedHeight: height + 1n });
      return (await answer('chits', id)).preferredId;
    },
    voteFor: (id: Id, bytes: Uint8Array): void => {
      vote = id;
      blocks.set(id, bytes);
    },
    isConnected: () => probe.closedAt() === undefined,
    close: () => probe.socket.close(),
  };
}

export type BlockPeer = Awaited<ReturnType<typeof openBlockPeer>>;
