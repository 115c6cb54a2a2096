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
 * `Rejected`: no node will ever accept the transaction: an accepted one spent its input, or rules that no state can change refuse it. `Unknown`: it
 * was never seen, or was refused or dropped and may be accepted if it is issued again.
 */
export type TxStatus = 'Accepted' | 'Processing' | 'Rejected' | 'Unknown';

/** The status of a transaction; of one that was refused or dropped also why, with the code of the error. */
export type ExplainedStatus = { readonly status: TxStatus; readonly reason?: string; readonly code?: string };
