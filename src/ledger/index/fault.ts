import { Fault } from '../../base/fault.ts';

type IndexFault =
  | { code: 'INDEX_NEWER_SCHEMA'; part: string; stored: number; known: number }
  | { code: 'INDEX_OTHER_NETWORK'; stored: number; wanted: number }
  | { code: 'INDEX_OTHER_GENESIS'; chainID: string; stored: string; wanted: string }
  | { code: 'INDEX_NOT_MADE'; part: string }
  | { code: 'INDEX_EMPTY'; chainID: string }
  | { code: 'INDEX_BEHIND'; chainID: string; height: number; wanted: number }
  | { code: 'INDEX_WRONG_PARENT'; blockID: string; parentID: string; lastAccepted: string }
  | { code: 'INDEX_MISSING_OUTPUT'; utxoID: string }
  | { code: 'INDEX_SPENT_TWICE'; utxoID: string }
  | { code: 'INDEX_DETACHED_RANGE'; table: string; from: number; to: number }
  | { code: 'INDEX_WAITING_WRITE' };

/** An error of the history index: a database that cannot be used, or blocks that do not fit the rows in it. */
export class IndexError extends Fault<IndexFault> {}
