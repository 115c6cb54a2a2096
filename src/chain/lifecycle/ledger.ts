import type { UtxoRef } from '../../avm/tx/input.ts';
import type { View } from '../../avm/view.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Accept } from './accept.ts';

/** The accepted state, as far as the chain needs it. */
export type Ledger = View & {
  readonly lastAccepted: () => { readonly id: Id; readonly height: bigint; readonly time: bigint };
  readonly block: (id: Id) => Uint8Array | undefined;
  readonly blockIdAt: (height: bigint) => Id | undefined;
  readonly hasTx: (id: Id) => boolean;
  /** Whether an output has been spent, on this chain or in the memory shared with another chain. */
  readonly wasConsumed: (ref: UtxoRef) => boolean;
  /** Whether an output of another chain was imported. */
  readonly wasImported: (utxoID: Id) => boolean;
  /** The transaction that spent an output, if known. */
  readonly consumerOf: (ref: UtxoRef) => Id | undefined;
  /** Nothing else adds blocks. */
  readonly accept: Accept;
};

/**
 * `Rejected`: the transaction was refused or dropped and has not been issued again since. `Unknown`: it was never seen, or so long ago that its
 * rejection is forgotten.
 */
export type TxStatus = 'Accepted' | 'Processing' | 'Rejected' | 'Unknown';

/** The status of a transaction; of a rejected one also why. */
export type TxReport = { readonly status: TxStatus; readonly reason?: string };
