import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { MessageOfKind } from '../messages/message.ts';
import type { BlockIssuer } from './block-issuer.ts';
import { engineLimits } from './engine-parameters.ts';
import { createQueueLimit } from './queue-limit.ts';

type Query = MessageOfKind<'pullQuery'> | MessageOfKind<'pushQuery'>;

type AnswerParts = {
  readonly timers: Timers;
  readonly issuer: Pick<BlockIssuer, 'isPreparing' | 'afterPrepared'>;
  /** Runs work in the order of the engine's events. */
  readonly post: (work: () => void) => void;
  readonly sendChits: (node: NodeId, requestId: number, requestedHeight: bigint) => void;
  readonly hasStake: (node: NodeId) => boolean;
};

/**
 * Answers queries: at once, or after the blocks that are being prepared. Otherwise this node would vote for its old preference in many polls
 * while it does not yet know the other block, and several such nodes keep a network undecided for so long that nodes may decide
 * differently. AvalancheGo answers nothing while it verifies. What exceeds the limits is answered at once.
 */
export function createQueryAnswers({ timers, issuer, post, sendChits, hasStake }: AnswerParts) {
  const limit = createQueueLimit(engineLimits.waitingAnswers, hasStake);
  return (node: NodeId, { requestId, requestedHeight }: Query) => {
    const end = issuer.isPreparing() ? limit.admit(node, 0) : undefined;
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
    issuer.afterPrepared(send);
  };
}
