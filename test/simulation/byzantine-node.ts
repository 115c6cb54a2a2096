import type { EngineBlock } from '../../src/avm/vm.ts';
import { type Id, idOf } from '../../src/base/bytes/id.ts';
import type { NodeId } from '../../src/base/bytes/node-id.ts';
import { every } from '../../src/base/timing/timers.ts';
import type { ChainMessage, Transport } from '../../src/network/protocol/transport.ts';
import type { Random } from '../random.ts';
import type { EventLoop } from './event-loop.ts';
import type { Network } from './network.ts';
import { chainId } from './world.ts';

/** What a byzantine node does with a query, one of these at random. */
const voteKinds = ['silence', 'opposite', 'opposite', 'random', 'unknown', 'old'] as const;

type ByzantineParts = {
  readonly id: NodeId;
  readonly loop: EventLoop;
  readonly network: Network;
  readonly random: Random;
  readonly peers: readonly NodeId[];
  /** All blocks that honest nodes know and have not decided, and the preferred and last accepted block of one of them: it sees everything. */
  readonly undecided: () => readonly Id[];
  readonly preferenceOf: (node: NodeId) => Id | undefined;
  readonly lastAccepted: () => EngineBlock;
  readonly blockBytes: (id: Id) => Uint8Array | undefined;
  /** Two different valid blocks on a parent, or undefined if there is no transaction to fill them. */
  readonly forge: (parent: EngineBlock) => readonly [EngineBlock, EngineBlock] | undefined;
  /** Bytes that look like a block and are not valid. */
  readonly junk: () => Uint8Array;
};

/**
 * A node that lies: it votes against what the asker prefers, for unknown blocks or for old ones, says nothing, sends wrong blocks, and proposes
 * different blocks to different peers.
 */
export function startByzantineNode(parts: ByzantineParts): void {
  const { id, loop, network, random, peers } = parts;
  const transport: Transport = network.transportOf(id);
  const own = new Map<Id, Uint8Array>();
  let requestId = 1;

  const voteFor = (asker: NodeId): Id | undefined => {
    const undecided = parts.undecided();
    const preferred = parts.preferenceOf(asker);
    const others = undecided.filter((block) => block !== preferred);
    switch (random.pick(voteKinds)) {
      case 'silence':
        return undefined;
      case 'opposite':
        return others.length > 0 ? random.pick(others) : preferred;
      case 'random':
        return undecided.length > 0 ? random.pick(undecided) : preferred;
      case 'unknown':
        return idOf(random.bytes(8));
      case 'old':
        return parts.lastAccepted().parentID;
    }
  };
  const answer = (from: NodeId, message: ChainMessage): void => {
    if (message.kind === 'pullQuery' || message.kind === 'pushQuery') {
      const vote = voteFor(from);
      if (vote === undefined) return;
      const last = parts.lastAccepted();
      const acceptedHeight = random.below(20) === 0 ? 1_000_000n : last.height;
      const ids = { preferredId: vote, preferredIdAtHeight: random.below(2) === 0 ? vote : last.id, acceptedId: last.id };
      transport.send({ kind: 'chits', chainId, requestId: message.requestId, ...ids, acceptedHeight }, [from]);
    } else if (message.kind === 'get') {
      const container = random.below(4) === 0 ? parts.junk() : (own.get(message.containerId) ?? parts.blockBytes(message.containerId));
      if (container !== undefined) transport.send({ kind: 'put', chainId, requestId: message.requestId, container }, [from]);
    } else if (message.kind === 'getAncestors') {
      const containers = random.below(2) === 0 ? [] : [parts.junk()];
      transport.send({ kind: 'ancestors', chainId, requestId: message.requestId, containers }, [from]);
    } else if (message.kind === 'getAcceptedFrontier') {
      transport.send({ kind: 'acceptedFrontier', chainId, requestId: message.requestId, containerId: idOf(random.bytes(8)) }, [from]);
    } else if (message.kind === 'getAccepted') {
      transport.send({ kind: 'accepted', chainId, requestId: message.requestId, containerIds: message.containerIds }, [from]);
    }
  };
  const push = (bytes: Uint8Array, to: readonly NodeId[]): void => {
    const requestedHeight = parts.lastAccepted().height + 1n;
    transport.request({ kind: 'pushQuery', chainId, requestId: requestId++, deadline: 0n, container: bytes, requestedHeight }, to);
  };
  const attack = (): void => {
    const kind = random.below(3);
    if (kind === 0) push(parts.junk(), peers);
    const forged = kind === 1 ? parts.forge(parts.lastAccepted()) : undefined;
    if (forged === undefined) return;
    const [a, b] = forged;
    for (const block of forged) own.set(block.id, block.bytes);
    const half = peers.filter(() => random.below(2) === 0);
    push(a.bytes, half);
    push(
      b.bytes,
      peers.filter((peer) => !half.includes(peer)),
    );
  };

  every(loop.timers, 1500 + random.below(1000), attack);
  network.start(id, { receive: answer, failed: () => {}, connected: () => {}, disconnected: () => {} });
}
