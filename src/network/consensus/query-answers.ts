import type { Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { MessageOfKind } from '../messages/message.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { Consensus } from '../snowman/consensus.ts';
import type { BlockIssuer } from './block-issuer.ts';
import type { Decisions } from './decisions.ts';
import type { EngineCounters } from './engine-counters.ts';
import { engineLimits } from './engine-parameters.ts';
import { createQueueLimit } from './queue-limit.ts';

type Query = MessageOfKind<'pullQuery'> | MessageOfKind<'pushQuery'>;

/**
 * Answers the queries of peers with Chits: at once, or after the blocks that are being preverified. Otherwise this node would vote for its old
 * preference in many polls while it does not yet know the other block, and several such nodes keep a network undecided for so long that nodes may
 * decide differently. AvalancheGo answers nothing while it verifies. What exceeds the limits is answered at once.
 */
export function createQueryAnswers(
  { chainId, transport, timers }: ChainLink,
  {
    vm,
    consensus,
    decisions,
    issuer,
    counters,
    hasStake,
    post,
  }: {
    readonly vm: Pick<Vm, 'blockIdAtHeight'>;
    readonly consensus: Pick<Consensus, 'preference' | 'preferenceAtHeight'>;
    readonly decisions: Pick<Decisions, 'stored'>;
    readonly issuer: Pick<BlockIssuer, 'isPreverifying' | 'afterPreverified'>;
    readonly counters: Pick<EngineCounters, 'missingAccepted'>;
    readonly hasStake: (node: NodeId) => boolean;
    /** Runs work in the order of the engine's events. */
    readonly post: (work: () => void) => void;
  },
) {
  const limit = createQueueLimit(engineLimits.waitingAnswers, hasStake);

  /** The preferred block at a height, which is the accepted one up to the last that is stored. Only verified blocks are named. */
  const preferredAt = (height: bigint): Id => {
    const stored = decisions.stored();
    if (height === stored.height) return stored.id;
    if (height > stored.height) return consensus.preferenceAtHeight(height) ?? consensus.preference();
    const accepted = vm.blockIdAtHeight(height);
    if (accepted === undefined) counters.missingAccepted++;
    return accepted ?? stored.id;
  };
  /** AvalancheGo: snow/engine/snowman/engine.go, sendChits. */
  const sendChits = (node: NodeId, requestId: number, requestedHeight: bigint): void => {
    const stored = decisions.stored();
    transport.send(
      {
        kind: 'chits',
        chainId,
        requestId,
        preferredId: consensus.preference(),
        preferredIdAtHeight: preferredAt(requestedHeight),
        acceptedId: stored.id,
        acceptedHeight: stored.height,
      },
      [node],
    );
  };

  // Only the numbers of a query are held: the query itself would keep its block in memory.
  return (node: NodeId, { requestId, requestedHeight }: Query) => {
    const end = issuer.isPreverifying() ? limit.admit(node, 0) : undefined;
    if (end === undefined) return sendChits(node, requestId, requestedHeight);
    let isAnswered = false;
    const send = (): void => {
      if (isAnswered) return;
      isAnswered = true;
      cancel();
      end();
      sendChits(node, requestId, requestedHeight);
    };
    const cancel = timers.after(engineLimits.answerWait, () => post(send));
    issuer.afterPreverified(send);
  };
}
