import type { Id } from '../bytes/id.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';

/** What an asset is to the rules: which feature extensions its creating transaction listed. */
export type Asset = { readonly id: Id; readonly fxs: readonly number[] };

/**
 * The ledger as a transaction sees it. The accepted state is one, a block under verification stacks a diff on its parent's:
 * so blocks can be judged before they are accepted, several at once.
 */
export type View = {
  readonly utxo: (id: Id) => Utxo | undefined;
  /** `'not-an-asset'`: the transaction exists but creates none; undefined: there is no such transaction. */
  readonly asset: (id: Id) => Asset | 'not-an-asset' | undefined;
  /**
   * What another chain put into the memory it shares with this one. Always the accepted state: blocks check their own conflicts.
   * `'unknown'`: it was there, or the network would not have accepted the import, but nobody could say what it was (a follower's view).
   */
  readonly atomic: (sourceChain: Id, utxoID: Id) => Utxo | 'unknown' | undefined;
  readonly tx: (id: Id) => Tx | undefined;
};

export const assetOf = (tx: Tx): Asset | 'not-an-asset' =>
  tx.unsigned.kind === 'CreateAssetTx' ? { id: tx.id, fxs: tx.unsigned.initialStates.map((state) => state.fxIndex) } : 'not-an-asset';
