import type { Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { MessageKind } from '../messages/message.ts';
import type { ChainLink, ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { Consensus } from '../snowman/consensus.ts';
import type { BlockRef } from '../snowman/consensus-block.ts';
import type { createBlockIntake } from './block-intake.ts';
import type { BlockIssuer } from './block-issuer.ts';
import type { EngineCounters } from './counters.ts';
import type { Decisions } from './decisions.ts';
import { engineLimits } from './engine-parameters.ts';
import { createQueryAnswers } from './query-answers.ts';
import { createQueueLimit } from './queue-limit.ts';
import type { VoteIntake } from './vote-intake.ts';

/** What an engine does with the messages of peers. */
export type EngineMessages = {
  readonly receive: (from: NodeId, message: ChainMessage, hold?: HoldBytes) => void;
  /** A peer did not answer a request of this node. */
  readonly failed: (from: NodeId, requestId: number, response: MessageKind) => void;
  /** Gives back what queries that wait hold. */
  readonly close: () => void;
};

type EngineMessageParts = ChainLink & {
  readonly vm: Pick<Vm, 'blockIdAtHeight'>;
  readonly consensus: Consensus;
  readonly decisions: Pick<Decisions, 'stored'>;
  readonly issuer: BlockIssuer;
  readonly blocks: ReturnType<typeof createBlockIntake>;
  readonly votes: Pick<VoteIntake, 'chits' | 'failed'>;
  readonly counters: Pick<EngineCounters, 'missingAccepted'>;
  readonly hasStake: (node: NodeId) => boolean;
  readonly queue: EngineQueue;
};

/** Runs work in the order of the engine's events. */
type EngineQueue = {
  /** Afterwards finished polls are applied. */
  readonly post: (work: () => void) => void;
  /** The same, when nothing else waits: for queries of peers without stake. */
  readonly postLast: (work: () => void) => void;
  /** The same as `post`, without applying polls. */
  readonly postAlone: (work: () => void) => void;
  /** Whether such work runs during the call. */
  readonly isIdle: () => boolean;
};

/** Answers queries, and passes blocks and votes on in the order of their arrival; those of peers without stake after all others. */
export function createEngineMessages(parts: EngineMessageParts): EngineMessages {
  const { chainId, transport, timers, vm, consensus, decisions, issuer, blocks, votes, counters, hasStake } = parts;
  const { post, postLast, postAlone, isIdle } = parts.queue;
  const limit = createQueueLimit(engineLimits.queries, hasStake);

  const acceptedId: Vm['blockIdAtHeight'] = (height) => {
    const id = vm.blockIdAtHeight(height);
    if (id === undefined) counters.missingAccepted++;
    return id;
  };
  const sendChits = (node: NodeId, requestId: number, requestedHeight: bigint): void => {
    transport.send({ kind: 'chits', chainId, requestId, ...chitsAt(requestedHeight, consensus, decisions.stored(), acceptedId) }, [node]);
  };
  const answer = createQueryAnswers({ timers, issuer, post: postAlone, sendChits, hasStake });
  const query = (from: NodeId, end: () => void, work: () => void) =>
    (hasStake(from) ? post : postLast)(() => {
      end();
      work();
    });

  return {
    receive: (from, message, hold) => {
      switch (message.kind) {
        case 'pullQuery': {
          answer(from, message);
          const end = limit.admit(from, 0);
          return end && query(from, end, () => issuer.issueById(from, message.containerId, 'push_gossip'));
        }
        case 'pushQuery': {
          answer(from, message);
          const end = limit.admit(from, message.container.length, hold);
          if (end === undefined) return;
          // A view of a message keeps all that arrived with it in memory, so what waits is copied. What cannot be decoded is then never copied.
          const bytes = isIdle() ? message.container : new Uint8Array(message.container);
          return query(from, end, () => blocks.push(from, bytes));
        }
        case 'chits': {
          const { requestId, preferredId, preferredIdAtHeight, acceptedId: id, acceptedHeight: height } = message;
          return post(() => votes.chits(from, requestId, preferredId, preferredIdAtHeight, { id, height }));
        }
        case 'put': {
          const bytes = new Uint8Array(message.container);
          return post(() => blocks.put(from, message.requestId, bytes));
        }
      }
    },
    failed: (from, requestId, response) => {
      if (response === 'chits') post(() => votes.failed(from, requestId));
      else if (response === 'put') post(() => blocks.getFailed(from, requestId));
    },
    close: limit.clear,
  };
}

type ChitIds = {
  readonly preferredId: Id;
  readonly preferredIdAtHeight: Id;
  readonly acceptedId: Id;
  readonly acceptedHeight: bigint;
};

/**
 * The answer to a query: the preferred tip, the preferred or accepted block at the requested height, and the last block that is accepted and
 * stored. Only verified blocks are named. AvalancheGo: snow/engine/snowman/engine.go, sendChits.
 */
function chitsAt(
  requestedHeight: bigint,
  consensus: Pick<Consensus, 'preference' | 'preferenceAtHeight'>,
  stored: BlockRef,
  blockIdAtHeight: Vm['blockIdAtHeight'],
): ChitIds {
  const preferredId = consensus.preference();
  const atHeight = (): Id => {
    if (requestedHeight === stored.height) return stored.id;
    if (requestedHeight < stored.height) return blockIdAtHeight(requestedHeight) ?? stored.id;
    return consensus.preferenceAtHeight(requestedHeight) ?? preferredId;
  };
  return { preferredId, preferredIdAtHeight: atHeight(), acceptedId: stored.id, acceptedHeight: stored.height };
}
