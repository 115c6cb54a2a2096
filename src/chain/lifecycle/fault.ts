import { Fault } from '../../base/fault.ts';

export type ChainFault =
  | { code: 'MEMPOOL_DUPLICATE'; txID: string }
  | { code: 'MEMPOOL_TX_TOO_LARGE'; txID: string; size: number; max: number }
  | { code: 'MEMPOOL_FULL'; txID: string; size: number; available: number }
  | { code: 'MEMPOOL_DROPPED_BY_CALLER'; txID: string }
  | { code: 'MEMPOOL_CONFLICT'; txID: string; utxoID: string; spentBy: string }
  | { code: 'BLOCK_MERKLE_ROOT'; merkleRoot: string }
  | { code: 'BLOCK_TOO_FAR_AHEAD'; time: bigint; now: bigint }
  | { code: 'BLOCK_EMPTY' }
  | { code: 'BLOCK_BAD_TX'; txID: string; cause: string }
  | { code: 'BLOCK_PARENT_UNKNOWN'; parentID: string }
  | { code: 'BLOCK_HEIGHT'; want: bigint; got: bigint }
  | { code: 'BLOCK_EARLIER_THAN_PARENT'; time: bigint; parentTime: bigint }
  | { code: 'BLOCK_CONFLICTING_TXS' }
  | { code: 'BLOCK_CONFLICTS_WITH_ANCESTOR' }
  | { code: 'BLOCK_NOT_PROCESSING'; blockID: string }
  /** `cause` is the store's error code, such as STORE_FULL. */
  | { code: 'BLOCK_NOT_STORED'; cause: string; height: bigint }
  | { code: 'CHAIN_NOT_SYNCED' }
  | { code: 'WALLET_QUEUE_FULL'; txID: string; txs: number; maxTxs: number; size: number; available: number }
  | { code: 'IMPERSONATION_FULL'; max: number };
export class ChainError extends Fault<ChainFault> {}

/** Whether the error says that the transaction is in the mempool already. */
export const isDuplicate = (error: unknown): boolean => error instanceof ChainError && error.fault.code === 'MEMPOOL_DUPLICATE';

export const wrongHeightError = (want: bigint, got: bigint) =>
  new ChainError(`block has incorrect height: expected height ${want}, got ${got}`, { code: 'BLOCK_HEIGHT', want, got });
