import type { Block } from '../../avm/tx/block.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Asset } from '../../avm/view.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Diff } from '../../ledger/state/diff.ts';

/** Where followed blocks are stored: the SQLite state of this node, or an index in PostgreSQL. One writer at a time. */
export type FollowLedger = {
  readonly lastAccepted: () => Promise<{ readonly id: Id; readonly height: bigint; readonly time: bigint }>;
  readonly blockAt: (height: bigint) => Promise<Uint8Array | undefined>;
  /** Loads unspent outputs of this chain and assets. Outputs that are not stored or spent are missing from the result. */
  readonly load: (requested: { readonly utxos: readonly UtxoRef[]; readonly assets: readonly Id[] }) => Promise<LoadedState>;
  /** Stores verified blocks in order, in one database transaction. */
  readonly commit: (blocks: readonly FollowedBlock[]) => Promise<void>;
  /** Stores unspent outputs from before linearization; skips those already stored, spent or not. */
  readonly addPreLinearizationUtxos: (utxos: readonly Utxo[]) => Promise<void>;
  /** Records for which addresses all outputs from before linearization are stored. Undefined if the ledger keeps no records. */
  readonly backfilledAddresses?: {
    readonly has: (address: Address) => Promise<boolean>;
    readonly add: (address: Address) => Promise<void>;
  };
};

type LoadedState = {
  readonly utxos: ReadonlyMap<Id, Utxo>;
  readonly assets: ReadonlyMap<Id, Asset | 'not-an-asset'>;
  /** The requested outputs that are stored as spent, so that they need not be looked up on the node. */
  readonly spent?: ReadonlySet<Id>;
};

export type FollowedBlock = {
  readonly block: Block;
  readonly diff: Pick<Diff, 'applied' | 'consumed'>;
  /**
   * Pre-linearization outputs that it consumes; they are stored before the block, as created at height 0. One that is already stored as
   * unspent is skipped. One that is stored as spent would be spent twice: then the whole commit fails.
   */
  readonly preLinearizationUtxos: readonly Utxo[];
  /** Outputs of other chains that its imports consume, by id, as far as they are known. */
  readonly imported: ReadonlyMap<Id, Utxo>;
  /** Pre-linearization CreateAssetTxs of assets it refers to: the only source of their names. */
  readonly preLinearizationAssets?: readonly Tx[];
};
