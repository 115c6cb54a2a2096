import { Fault } from '../../base/fault.ts';

/** Fault data is shown to users: ids as CB58 text, heights and network ids as decimal numbers. */
export type FollowFault =
  /** No response, or an HTTP status other than 200. */
  | { code: 'FOLLOW_SILENT'; method: string; why: string }
  /** A response that is malformed or not for the request. */
  | { code: 'FOLLOW_NONSENSE'; method: string; why: string }
  /** A JSON-RPC error of the node, with the node's message. `spentBy` is the transaction that spent an input of the issued one. */
  | { code: 'FOLLOW_REFUSED'; method: string; rpcCode: number; utxoID?: string; isSpent?: true; spentBy?: string }
  | { code: 'FOLLOW_OTHER_NETWORK'; what: 'network' | 'chain'; want: string; got: string }
  /** `told`: the node's block; left out if the node has none at this height any more. */
  | { code: 'FOLLOW_BLOCK_CHANGED'; height: string; held: string; told?: string }
  | { code: 'FOLLOW_BAD_BLOCK'; height: string; blockID: string; cause: string }
  /** The request needs blocks that have not been fetched yet. */
  | { code: 'FOLLOW_BEHIND'; height: string; want: string }
  | { code: 'FOLLOW_STOPPED' };

export class FollowError extends Fault<FollowFault> {}

export const noResponse = (method: string, why: string) =>
  new FollowError(`the followed node does not answer ${method}: ${why}`, { code: 'FOLLOW_SILENT', method, why });

export const invalidResponse = (method: string, why: string) =>
  new FollowError(`the followed node gave an invalid response to ${method}: ${why}`, { code: 'FOLLOW_NONSENSE', method, why });

export const stopped = () => new FollowError('following has been stopped', { code: 'FOLLOW_STOPPED' });

/** Adds what to do about a replaced block to its error. */
export const addReorgRemedy = (error: unknown, remedy: string | undefined): unknown =>
  remedy !== undefined && error instanceof FollowError && error.fault.code === 'FOLLOW_BLOCK_CHANGED'
    ? new FollowError(`${error.message}; ${remedy}`, error.fault)
    : error;

/** Whether a retry of the same request may succeed soon. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof FollowError && (error.fault.code === 'FOLLOW_SILENT' || error.fault.code === 'FOLLOW_NONSENSE');
