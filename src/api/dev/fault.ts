import { Fault } from '../../base/fault.ts';

/** Errors of the `dev.*` methods. Amounts are in the smallest unit of the asset. */
export type DevFault =
  | { code: 'DEV_BAD_AMOUNT'; amount: string; reason: string }
  | { code: 'DEV_BAD_BYTES'; argument: string }
  | { code: 'DEV_BAD_TIME'; time: string; min?: string; max?: string }
  | { code: 'DEV_BAD_OWNERS'; reason: string }
  | { code: 'DEV_BAD_GROUPS'; groups: number; max: number }
  | { code: 'DEV_BAD_LABEL'; name: string; reason: string }
  | { code: 'DEV_NOT_AN_ACCOUNT'; account: string; accounts: number }
  | { code: 'DEV_INSUFFICIENT_FUNDS'; account?: number; address: string; assetID: string; have: string; need: string }
  | { code: 'DEV_TOO_MANY_INPUTS'; account?: number; max: number }
  | { code: 'DEV_NO_AMOUNTS'; assetID: string }
  | { code: 'DEV_CANNOT_MINT'; assetID: string; kind: string }
  | { code: 'DEV_UNKNOWN_ASSET'; asset: string; didYouMean: string | undefined }
  | { code: 'DEV_AMBIGUOUS_SYMBOL'; symbol: string; assetIDs: readonly string[] }
  | { code: 'DEV_UNKNOWN_OUTPUT'; utxoID: string }
  | { code: 'DEV_WRONG_OUTPUT'; utxoID: string; kind: string; expected: string }
  | { code: 'DEV_WRONG_CHAIN'; chain: string }
  /** `waiting`: outputs that wait for the address but cannot be imported now. */
  | { code: 'DEV_NOTHING_TO_IMPORT'; account?: number; address: string; waiting: number }
  | { code: 'DEV_TX_DROPPED'; txID: string }
  /** `cause` is the store's error code, such as STORE_FULL. */
  | { code: 'DEV_NOT_STORED'; txID: string; cause: string }
  | { code: 'DEV_TOO_MANY_BLOCKS'; blocks: string; max: number }
  | { code: 'DEV_BAD_DEPTH'; depth: number; max: number }
  | { code: 'DEV_NO_FILLER_FUNDS'; address: string; need: string }
  | { code: 'DEV_NOT_MINED' }
  | { code: 'DEV_TIP_CHANGED'; height: string }
  | { code: 'DEV_NOT_PENDING'; txID: string }
  | { code: 'DEV_NOT_DECODABLE'; tx: string; block: string; utxo: string }
  | { code: 'DEV_UNKNOWN_TX'; txID: string; max: number }
  | { code: 'DEV_UNKNOWN_METHOD'; method: string; didYouMean?: string }
  | { code: 'DEV_NO_PEERS' }
  | { code: 'DEV_PEER_DELAY' }
  | { code: 'DEV_NO_CALL'; number: number; max: number }
  | { code: 'DEV_LIMIT'; what: string; max: number }
  | { code: 'DEV_BALANCE_TOO_HIGH'; balance: string; wanted: string }
  /** An error that `dev.failNext` ordered. */
  | { code: 'DEV_ORDERED_FAILURE'; method: string };
export class DevError extends Fault<DevFault> {}
