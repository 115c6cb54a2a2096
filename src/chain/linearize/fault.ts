import { Fault } from '../../base/fault.ts';

type LinearizeFault =
  /** A transaction of a vertex below the stop vertex is invalid here. */
  | { code: 'DAG_INVALID_TX'; txID: string; vertexID: string }
  /** Transactions spend outputs of transactions that no vertex has. */
  | { code: 'DAG_INCOMPLETE'; waiting: number };
export class LinearizeError extends Fault<LinearizeFault> {}
