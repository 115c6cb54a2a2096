import type { Block } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { Recovery } from '../recovery/recovery.ts';
import type { Ledger } from './ledger.ts';
import type { TxVerifier } from './tx-verifier.ts';

/** Fetches the outputs that a transaction consumes and this node does not have; undefined if there are none. `isWaiting`: whether a transaction waits for a block. */
export type FetchInputs = (tx: Tx, isWaiting: (id: Id) => boolean) => Promise<void> | undefined;

/** What a chain is created from: chain.ts passes it to the intake of transactions and to the undecided blocks. */
export type ChainDeps = {
  readonly ledger: Ledger;
  readonly verifier: TxVerifier;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** See api/differences.ts. */
  readonly differences: { readonly retryRefused: boolean; readonly skipFailedWalletTx: boolean };
  /**
   * For a node that does not run the chains that export to this one, so that it cannot know their outputs: a block of another node may import an
   * output that is not known here and was not imported before. Only the signatures of such an import are verified.
   */
  readonly acceptUnknownImports?: boolean;
  readonly fetchInputs?: FetchInputs;
  readonly recoverAhead?: Recovery['recoverAhead'];
  /** Whether the clock can be set back by `dev.*` methods: a block may then have its parent's time, however far that is ahead of the clock. */
  readonly isClockAdjustable?: boolean;
  /** Returns the time that was set for the next block; undefined: the time of the clock. Called once per block with transactions. */
  readonly takeNextBlockTime?: () => bigint | undefined;
  /** The transactions of a block that were accepted without a valid signature, because their owners are impersonated. They are stored with the block. */
  readonly impersonatedTxs?: (block: Block) => readonly Id[];
  /** Called when a transaction has passed verification on the last accepted state. */
  readonly onVerified?: (tx: Tx) => void;
  /** Called when a transaction has entered the mempool. */
  readonly onPooled?: (tx: Tx) => void;
  /** Called when a transaction has left the mempool other than with an accepted block. */
  readonly onDropped?: (tx: Tx, reason: AnyFault) => void;
  /** Called when commits begin to fail and when they succeed again. */
  readonly onCommitState?: () => void;
};
