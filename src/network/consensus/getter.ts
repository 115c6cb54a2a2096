import type { Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { unlessFault } from '../../base/fault.ts';
import type { VertexStore } from '../../ledger/vertices/vertex-store.ts';
import { engineTypes } from '../messages/message-table.ts';
import type { ChainLink, ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import { createRequestServer, type SlowRequest } from './request-server.ts';

/**
 * Answers what peers ask about accepted blocks and vertices, also while this node bootstraps. joined-chain.ts offers it each message before the
 * engine. AvalancheGo: snow/engine/snowman/getter.
 */
export type Getter = ReturnType<typeof createGetter>;

/** Limits of what peers get. AvalancheGo: `--bootstrap-ancestors-max-containers-sent`, `--bootstrap-max-time-get-ancestors`. */
export type ServedLimits = {
  /** Blocks in one answer with ancestors, and milliseconds of work on it. */
  readonly blocks: number;
  readonly milliseconds: number;
  /** Milliseconds that a request may wait. AvalancheGo: `--network-maximum-inbound-timeout`. */
  readonly maxWait: number;
};

export const defaultServedLimits: ServedLimits = { blocks: 2000, milliseconds: 50, maxWait: 10_000 };

/** Bytes of blocks in one answer. AvalancheGo: utils/constants/networking.go, MaxContainersLen. */
export const maxAncestorBytes = 1_677_721;

/** Bytes of an ID in memory: 64 hex digits and what a string and its place in a list take. */
const idSize = 100;

/** Bytes that AvalancheGo counts for the length of each block. */
const lengthSize = 4;

export function createGetter(
  { chainId, transport, timers }: Pick<ChainLink, 'chainId' | 'transport' | 'timers'>,
  vm: Vm,
  {
    served = defaultServedLimits,
    stakers,
    vertices,
  }: {
    readonly served?: ServedLimits;
    /** Validators of the P-Chain are served first; none without sybil protection. */
    readonly stakers?: () => ValidatorSet;
    /** What the chain was before linearization. Until it is linearized, only this is served. */
    readonly vertices?: Pick<VertexStore, 'vertex' | 'bytes' | 'isLinearized'>;
  } = {},
) {
  const server = createRequestServer(timers, (node) => stakers?.().has(node) === true);
  let [blocks, answers] = [0, 0];

  /** Answers with a container and its ancestors. `whenUnknown`: a vertex that is not here gets no answer, as from AvalancheGo. */
  const ancestors = (to: NodeId, requestId: number, walk: () => Iterable<Uint8Array>, whenUnknown: 'answer' | 'silence'): SlowRequest =>
    function* (worked) {
      const containers: Uint8Array[] = [];
      let size = 0;
      for (const bytes of walk()) {
        size += bytes.length + lengthSize;
        if (containers.length > 0 && size > maxAncestorBytes) break;
        containers.push(bytes);
        if (containers.length >= served.blocks || worked() >= served.milliseconds) break;
        yield;
      }
      if (containers.length === 0 && whenUnknown === 'silence') return;
      blocks += containers.length;
      answers++;
      transport.send({ kind: 'ancestors', chainId, requestId, containers }, [to]);
    };
  const accepted = (to: NodeId, requestId: number, ids: readonly Id[]): SlowRequest =>
    function* () {
      const containerIds: Id[] = [];
      for (const id of new Set(ids)) {
        if (isAccepted(vm, id)) containerIds.push(id);
        yield;
      }
      transport.send({ kind: 'accepted', chainId, requestId, containerIds }, [to]);
    };
  const isLinearized = (): boolean => vertices?.isLinearized() !== false;
  const deadlineOf = (nanoseconds: bigint): number =>
    timers.now() + (nanoseconds === 0n ? served.maxWait : Math.min(served.maxWait, Number(nanoseconds / 1_000_000n)));

  return {
    /** Returns whether the message is a request for accepted blocks or vertices, which this getter answers. */
    receive: (from: NodeId, message: ChainMessage, hold?: HoldBytes): boolean => {
      switch (message.kind) {
        case 'getAcceptedFrontier':
          if (!isLinearized()) return true;
          transport.send({ kind: 'acceptedFrontier', chainId, requestId: message.requestId, containerId: vm.lastAccepted() }, [from]);
          return true;
        case 'getAccepted':
          if (!isLinearized()) return true;
          server.add(
            from,
            deadlineOf(message.deadline),
            idSize * (1 + message.containerIds.length),
            accepted(from, message.requestId, message.containerIds),
            hold,
          );
          return true;
        case 'getAncestors': {
          const { requestId, containerId } = message;
          const request =
            message.engineType !== engineTypes.dag
              ? ancestors(from, requestId, () => walkBack(vm, containerId), 'answer')
              : vertices && ancestors(from, requestId, () => walkVertices(vertices, containerId), 'silence');
          if (request !== undefined) server.add(from, deadlineOf(message.deadline), idSize, request, hold);
          return true;
        }
        case 'get': {
          // A damaged block: the store has noted it, and the peer gets no answer.
          const container = unlessFault(() => vm.blockBytes(message.containerId));
          if (container !== undefined) transport.send({ kind: 'put', chainId, requestId: message.requestId, container }, [from]);
          return true;
        }
        case 'getAcceptedStateSummary':
          // This chain has no state sync: only an empty question has an answer.
          if (message.heights.length === 0)
            transport.send({ kind: 'acceptedStateSummary', chainId, requestId: message.requestId, summaryIds: [] }, [from]);
          return true;
        case 'getStateSummaryFrontier':
          return true;
        default:
          return false;
      }
    },
    disconnected: server.disconnected,
    stop: server.stop,
    /** Blocks and vertices sent in Ancestors, and how many such answers. */
    served: () => ({ blocks, answers }),
  };
}

/** The bytes of a block and its ancestors, accepted ones by height, which needs no decoding of the block; down to the first one of the chain. */
function* walkBack(vm: Vm, start: Id): Generator<Uint8Array> {
  let block = vm.block(start);
  // Processing blocks are few and have to be decoded for their parents.
  for (; block !== undefined && vm.blockIdAtHeight(block.height) !== block.id; block = vm.block(block.parentID)) yield block.bytes;
  if (block === undefined) return;
  for (let height = block.height; height >= 0n; height--) {
    const id = vm.blockIdAtHeight(height);
    const bytes = id === undefined ? undefined : vm.blockBytes(id);
    if (bytes === undefined) return;
    yield bytes;
  }
}

function isAccepted(vm: Vm, id: Id): boolean {
  const block = vm.block(id);
  return block !== undefined && vm.blockIdAtHeight(block.height) === id;
}

/** The bytes of a vertex and its ancestors, breadth-first; none if the vertex is unknown. AvalancheGo: snow/engine/avalanche/getter. */
function* walkVertices(vertices: Pick<VertexStore, 'vertex' | 'bytes'>, start: Id): Generator<Uint8Array> {
  const queue = [start];
  const seen = new Set(queue);
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] as Id;
    const [vertex, bytes] = [vertices.vertex(id), vertices.bytes(id)];
    if (vertex === undefined || bytes === undefined) continue;
    yield bytes;
    for (const parent of vertex.parentIDs) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      queue.push(parent);
    }
  }
}
