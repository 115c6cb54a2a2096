import { idOf } from '../../base/bytes/id.ts';
import type { Mutex } from '../../base/timing/slots.ts';
import type { FollowLedger } from './ledger.ts';
import { blockChanged } from './node-identity.ts';
import type { Remote } from './remote.ts';
import type { BlockPosition } from './verify-blocks.ts';

/** How a stored chain goes back when the followed node has replaced its last blocks, as only a developer's chain does. */
export type KeptStates = {
  /** The height of the oldest block whose state is kept. */
  readonly lowestHeight: () => bigint;
  /** Restores the state after a block at or above it. */
  readonly revertTo: (height: bigint) => Promise<void>;
};

/** Goes back to the last block that the node has too, and returns it; returns `at` if the node still has that one. */
export type GoBack = (at: BlockPosition) => Promise<BlockPosition>;

/** The node must have been identified before: one of another network has none of the blocks. Throws FOLLOW_BLOCK_CHANGED if no kept block is the node's. */
export function createReorgCheck({
  remote,
  ledger,
  keptStates,
  lockWrites,
}: {
  readonly remote: Pick<Remote, 'blockAt'>;
  readonly ledger: Pick<FollowLedger, 'blockAt' | 'lastAccepted'>;
  readonly keptStates: KeptStates;
  readonly lockWrites: Mutex;
}): GoBack {
  /** The IDs of the block that is stored at a height up to the last one, and of the node's. */
  const compare = async (height: bigint) => ({
    held: idOf((await ledger.blockAt(height)) as Uint8Array),
    told: (await remote.blockAt(height))?.id,
  });
  return async (at) => {
    if ((await remote.blockAt(at.height))?.id === at.id) return at;
    let common = keptStates.lowestHeight();
    const { held, told } = await compare(common);
    if (told !== held) throw blockChanged(common, held, told);
    // A block names its parent, so all blocks below a common one are common.
    for (let replaced = at.height; replaced - common > 1n; ) {
      const middle = (common + replaced) / 2n;
      const ids = await compare(middle);
      if (ids.told === ids.held) common = middle;
      else replaced = middle;
    }
    await lockWrites(() => keptStates.revertTo(common));
    return ledger.lastAccepted();
  };
}
