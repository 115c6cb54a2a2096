import type { AvmReads } from '../../api/rpc/avm.ts';
import type { RpcOptions } from '../../api/rpc/json-rpc.ts';
import type { RefusedCall } from '../../api/rpc/refused-call.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { BlockSummary } from '../output/block-summary.ts';
import type { LineLimit } from '../output/limit-lines.ts';
import { createBlockSummary } from '../output/summarize-block.ts';
import type { ReaderPoolOptions } from '../processes/reader-pool.ts';

/** Receives what a person watching the node sees. */
type NodeObserver = {
  readonly onBlock: (summary: BlockSummary) => void;
  readonly onRevert: (chain: string, height: bigint, snapshot: string) => void;
  readonly refused: LineLimit<RefusedCall>;
};

/** Passes accepted blocks and refused calls to an observer; without one it costs nothing. */
export type NodeFeed = {
  readonly observe: (observer: NodeObserver) => void;
  readonly onRefused: NonNullable<RpcOptions['onRefused']>;
  readonly onReaderRefused: NonNullable<ReaderPoolOptions['onRefused']>;
};

type FedChain = { readonly id: Id; readonly alias: string; readonly reads: AvmReads; readonly isCatchingUp: () => boolean };

export function createNodeFeed(events: EventBus, chains: () => readonly FedChain[]): NodeFeed {
  let observer: NodeObserver | undefined;
  return {
    observe: (added) => {
      observer = added;
      const summaries = new Map(chains().map((chain) => [chain.id, { ...chain, summarize: createBlockSummary(chain.alias, chain.reads) }]));
      events.subscribe('accepted', ({ chainID, stored }) => {
        const chain = summaries.get(chainID);
        // While a follower catches up, its progress bar is shown instead.
        if (chain !== undefined && !chain.isCatchingUp()) added.onBlock(chain.summarize(stored));
      });
      events.subscribe('reverted', ({ chainID, height, snapshot }) =>
        added.onRevert(summaries.get(chainID)?.alias ?? '', height, snapshot),
      );
    },
    onRefused: (method, describe) => observer?.refused.add(method, describe),
    onReaderRefused: (message) => {
      if (message.reader === 'refused') observer?.refused.add(message.call.method, () => message.call);
      else observer?.refused.addCounts(message.counts);
    },
  };
}
