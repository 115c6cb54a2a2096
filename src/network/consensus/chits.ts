import type { Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Consensus } from '../snowman/consensus.ts';
import type { BlockRef } from '../snowman/consensus-block.ts';

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
export function chitsAt(
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
