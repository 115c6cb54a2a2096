import { Fault } from '../fault.ts';

export type ClientFault =
  /** Nothing answers at the URL. */
  | { readonly code: 'NODE_UNREACHABLE'; readonly url: string }
  | { readonly code: 'NOT_FOUND'; readonly what: string }
  | { readonly code: 'FILE_UNREADABLE'; readonly file: string }
  | { readonly code: 'NODE_TIMEOUT'; readonly url: string; readonly milliseconds: number }
  /** Something answers, but not with JSON-RPC, or with an HTTP error. */
  | { readonly code: 'NODE_HTTP'; readonly url: string; readonly status: number }
  /** The method failed: `rpcCode` and `data` are those of the JSON-RPC error. */
  | { readonly code: 'RPC_ERROR'; readonly method: string; readonly rpcCode: number; readonly data: unknown };

export class ClientError extends Fault<ClientFault> {}
