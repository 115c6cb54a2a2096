import { Fault } from '../../base/fault.ts';

export type StateFault =
  | { code: 'STATE_UNKNOWN_CHAIN'; chainID: string }
  | { code: 'STATE_OTHER_GENESIS'; chainID: string; stored: string; wanted: string }
  | { code: 'STATE_EMPTY'; chainID: string }
  | { code: 'STATE_NOT_EMPTY'; chainID: string }
  | { code: 'STATE_WRONG_PARENT'; blockID: string; parentID: string; lastAccepted: string }
  | { code: 'STATE_WRONG_TXS'; blockID: string }
  | { code: 'STATE_MISSING_UTXO'; utxoID: string }
  | { code: 'STATE_BALANCE_BELOW_ZERO'; address: string; assetID: string }
  | { code: 'STATE_DAMAGED'; row: string }
  | { code: 'STATE_BEHIND'; chainID: string; height: number; accepted: number }
  | { code: 'STATE_DUPLICATE_PUT'; utxoID: string }
  | { code: 'STATE_DUPLICATE_REMOVE'; utxoID: string };

export class StateError extends Fault<StateFault> {}

/** The error for a stored row that does not match its own ID or checksum. */
export const damagedRow = (row: string): StateError =>
  new StateError(`the database is damaged: ${row} does not match its id; run serac check`, { code: 'STATE_DAMAGED', row });
