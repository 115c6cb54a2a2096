import type { Id } from '../bytes/id.ts';
import type { Diff } from '../state/diff.ts';
import type { Asset } from '../state/view.ts';
import type { Block } from '../tx/block.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';

/** Where followed blocks are kept: a node's own SQLite state, or an index in PostgreSQL. One writer at a time. */
export type FollowLedger = {
  readonly lastAccepted: () => Promise<{ readonly id: Id; readonly height: bigint; readonly time: bigint }>;
  readonly blockAt: (height: bigint) => Promise<Uint8Array | undefined>;
  /** What is held of these: unspent outputs of this chain, assets. What is missing from the answer is not held (or spent). */
  readonly load: (wanted: { readonly utxos: readonly Id[]; readonly assets: readonly Id[] }) => Promise<Held>;
  /** Verified blocks in order, all of them in one transaction. */
  readonly commit: (blocks: readonly FollowedBlock[]) => Promise<void>;
  /** Unspent outputs older than the history that blocks tell; those already held, spent or not, are passed over. */
  readonly addOlder: (utxos: readonly Utxo[]) => Promise<void>;
};

export type Held = {
  readonly utxos: ReadonlyMap<Id, Utxo>;
  readonly assets: ReadonlyMap<Id, Asset | 'not-an-asset'>;
  /** Those of the outputs wanted that were here and are consumed: nobody needs to look for them elsewhere. */
  readonly spent?: ReadonlySet<Id>;
};

export type FollowedBlock = {
  readonly block: Block;
  readonly diff: Pick<Diff, 'applied' | 'consumed'>;
  /**
   * Outputs it consumes that are older than history: stored before the block, made at height 0. One that is already held and unspent is
   * passed over; one that is held and spent would be consumed twice, and nothing of the blocks is kept.
   */
  readonly older: readonly Utxo[];
  /** Outputs of other chains that its imports consume, by id, as far as they could be learned. */
  readonly imported: ReadonlyMap<Id, Utxo>;
  /** Transactions older than history that created assets it names: what they are called is told nowhere else. */
  readonly olderAssets?: readonly Tx[];
};
