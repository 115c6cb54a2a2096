import type { Id } from '../base/bytes/id.ts';
import type { UtxoRef } from './tx/input.ts';
import type { Tx } from './tx/tx.ts';
import type { Utxo } from './tx/utxo.ts';

/** What the verification rules need of an asset: the feature extensions (fxs) listed by the transaction that created it. */
export type Asset = { readonly id: Id; readonly fxs: readonly number[] };

/**
 * The ledger that a transaction is verified against. It is the accepted state, or a stack of diffs of unaccepted blocks on top of it. So
 * several blocks can be verified before they are accepted.
 */
export type View = {
  /** An unspent output by the transaction that created it and its index. */
  readonly utxo: (ref: UtxoRef) => Utxo | undefined;
  /** `'not-an-asset'`: the transaction exists but does not create an asset; undefined: the transaction does not exist. */
  readonly asset: (id: Id) => Asset | 'not-an-asset' | undefined;
  /**
   * An output that another chain exported to this one. Always from the accepted state: blocks check conflicting imports themselves.
   * `'unknown'` (only when following a node): the network accepted the import, so the output existed, but its content is not known.
   */
  readonly atomic: (sourceChain: Id, utxoID: Id) => Utxo | 'unknown' | undefined;
  readonly tx: (id: Id) => Tx | undefined;
};

export const assetOf = (tx: Tx): Asset | 'not-an-asset' =>
  tx.unsigned.kind === 'CreateAssetTx' ? { id: tx.id, fxs: tx.unsigned.initialStates.map((state) => state.fxIndex) } : 'not-an-asset';
