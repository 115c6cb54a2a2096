import { Fault, isFault } from '../../base/fault.ts';

/** Why a call of the client failed; `SeracError` has one with a message. */
export type SeracFault =
  /** Nothing answers at the URL. */
  | { readonly code: 'NODE_UNREACHABLE'; readonly url: string }
  | { readonly code: 'NOT_FOUND'; readonly what: string }
  | { readonly code: 'FILE_UNREADABLE'; readonly file: string }
  | { readonly code: 'NODE_TIMEOUT'; readonly url: string; readonly milliseconds: number }
  /** The answer is longer than any answer of a node. */
  | { readonly code: 'NODE_TOO_LONG'; readonly url: string; readonly maxBytes: number }
  /** Something answers, but not with JSON-RPC, or with an HTTP error. */
  | { readonly code: 'NODE_HTTP'; readonly url: string; readonly status: number }
  /** The node answers, but not at the routes of the Data API. */
  | { readonly code: 'NODE_NO_DATA_API'; readonly url: string }
  /** The node in this process was closed. */
  | { readonly code: 'NODE_CLOSED' }
  /** The result of a method does not have the documented form. */
  | { readonly code: 'NODE_BAD_RESULT'; readonly path: string; readonly expected: string }
  /** The event stream was ended by the node before the caller ended it. */
  | { readonly code: 'EVENTS_CLOSED'; readonly reason: string; readonly lastEventId: string | undefined }
  /** The node no longer has the events after the requested one. */
  | { readonly code: 'EVENTS_LOST'; readonly reason: string; readonly lastEventId: string | undefined }
  /** A parameter that cannot be sent, such as a number that is not an exact integer. */
  | { readonly code: 'BAD_PARAMETER'; readonly parameter: string; readonly expected: string }
  | { readonly code: 'UNKNOWN_SERVICE'; readonly method: string }
  /** The method failed: `rpcCode` and `data` are those of the JSON-RPC error. */
  | { readonly code: 'RPC_ERROR'; readonly method: string; readonly rpcCode: number; readonly data: unknown };

/**
 * An error of a call to a node, in this process or over HTTP. For programs that use the library every error that Serac throws on purpose is one:
 * `instanceof` holds for the faults of all modules and of all entry points, as ES module and CommonJS.
 */
export class SeracError extends Fault<SeracFault> {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isFault(value);
  }

  /** The stable code of the cause, from docs/reference/errors.md, such as `DEV_BAD_AMOUNT`; `RPC_ERROR` if the node gives none, as AvalancheGo does. */
  override get code(): string {
    const { data } = this;
    return isObject(data) && typeof data.code === 'string' ? data.code : this.fault.code;
  }

  /** The method that the node refused, such as `dev.send`; undefined if no method was reached. */
  get method(): string | undefined {
    return 'method' in this.fault ? this.fault.method : undefined;
  }

  /** Facts about the cause: `data` of the JSON-RPC error if the node refused a method. `isSeracError` gives it the type of the code. */
  override get data(): unknown {
    return this.fault.code === 'RPC_ERROR' ? this.fault.data : this.fault;
  }
}

const isObject = (value: unknown): value is { readonly code?: unknown } => typeof value === 'object' && value !== null;
