import type { Id } from '../../base/bytes/id.ts';

export type BlockRef = { readonly id: Id; readonly height: bigint };

/** A block as consensus sees it. Its height is one above that of its parent. */
export type ConsensusBlock = BlockRef & { readonly parentID: Id };
