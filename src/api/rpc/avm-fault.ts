import { Fault } from '../../base/fault.ts';

/** Errors of the AVM methods. The messages are AvalancheGo's: vms/avm/service.go. */
export type AvmFault =
  | { code: 'AVM_NIL_TX_ID' }
  | { code: 'AVM_NOT_FOUND'; what: 'tx' | 'block' | 'asset'; id: string }
  | { code: 'AVM_UNKNOWN_ASSET'; name: string }
  | { code: 'AVM_NOT_AN_ASSET'; txID: string }
  | { code: 'AVM_NO_ADDRESSES' }
  | { code: 'AVM_TOO_MANY_ADDRESSES'; got: number; max: number }
  | { code: 'AVM_UNKNOWN_CHAIN'; name: string }
  | { code: 'AVM_NO_SOURCE_CHAIN' }
  /** A joined node knows what other chains exported only through a trusted node. */
  | { code: 'AVM_EXPORTS_UNKNOWN'; chain: string }
  | { code: 'AVM_BAD_ADDRESS'; address: string; reason: string; expected?: string }
  | { code: 'AVM_BAD_CURSOR'; reason: string }
  | { code: 'AVM_ENCODING'; encoding: string }
  | { code: 'AVM_BALANCE_OVERFLOW'; assetID: string }
  /** Too many queries that take long are waiting. */
  | { code: 'AVM_BUSY'; max: number }
  | { code: 'AVM_BAD_TX_TEXT'; reason: string };
export class AvmError extends Fault<AvmFault> {}
