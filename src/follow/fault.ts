import { Fault } from '../fault.ts';

/** Ids are in their text form, heights and numbers of networks as they are: a fault's data is shown to people. */
export type FollowFault =
  /** No answer, or one that says it cannot answer now. */
  | { code: 'FOLLOW_SILENT'; method: string; why: string }
  /** An answer that is not what was asked for. */
  | { code: 'FOLLOW_NONSENSE'; method: string; why: string }
  /** A proper answer that says no; the message is the node's own. `spentBy` spent an input of the transaction that was issued. */
  | { code: 'FOLLOW_REFUSED'; method: string; rpcCode: number; utxoID?: string; isSpent?: true; spentBy?: string }
  | { code: 'FOLLOW_OTHER_NETWORK'; what: 'network' | 'chain'; want: string; got: string }
  | { code: 'FOLLOW_BLOCK_CHANGED'; height: string; held: string; told: string }
  | { code: 'FOLLOW_BAD_BLOCK'; height: string; blockID: string; cause: string }
  /** What was asked for needs blocks that have not come in yet. */
  | { code: 'FOLLOW_BEHIND'; height: string; want: string }
  | { code: 'FOLLOW_STOPPED' };

export class FollowError extends Fault<FollowFault> {}

export const silent = (method: string, why: string) =>
  new FollowError(`the followed node does not answer ${method}: ${why}`, { code: 'FOLLOW_SILENT', method, why });

export const nonsense = (method: string, why: string) =>
  new FollowError(`the followed node answers ${method} with nonsense: ${why}`, { code: 'FOLLOW_NONSENSE', method, why });

export const stopped = () => new FollowError('following has been stopped', { code: 'FOLLOW_STOPPED' });

/** Whether the same question may well be answered a moment later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof FollowError && (error.fault.code === 'FOLLOW_SILENT' || error.fault.code === 'FOLLOW_NONSENSE');
