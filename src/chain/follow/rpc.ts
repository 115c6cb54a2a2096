import { FollowError, invalidResponse, noResponse, stopped } from './fault.ts';
import type { Timing } from './timing.ts';
import type { Transport } from './transport.ts';

/**
 * A JSON-RPC 2.0 client of a node's HTTP API. remote.ts uses it for the node that this one follows (copies accepted blocks from), and
 * app/joined/joined-validators.ts for the nodes that are trusted to tell the validators.
 */
export type Rpc = {
  /**
   * Returns the result, which must be an object. Throws a `FollowError` with one of these codes:
   * FOLLOW_SILENT    the node does not answer, or not with status 200 (`noResponse`)
   * FOLLOW_NONSENSE  its answer is too long or not a response to this call (`invalidResponse`)
   * FOLLOW_REFUSED   its answer is a JSON-RPC error (`nodeError`)
   * FOLLOW_STOPPED   `close` was called (`stopped`)
   */
  readonly call: (path: string, method: string, params: object, limits?: CallLimits) => Promise<Readonly<Record<string, unknown>>>;
  /** Ends all calls that wait for an answer; later calls fail at once. */
  readonly close: () => void;
};

/** Largest response in bytes, and timeout in milliseconds. */
export type CallLimits = { readonly bytes?: number; readonly timeout?: number };

export type RpcDeps = {
  readonly transport: Transport;
  readonly timing: Pick<Timing, 'after'>;
  /** Default timeout of a call in milliseconds. */
  readonly timeout?: number;
};

const defaultTimeout = 10_000;
const defaultMaxBytes = 64 * 1024;

export function createRpc(url: string, { transport, timing, timeout = defaultTimeout }: RpcDeps): Rpc {
  const base = url.replace(/\/+$/, '');
  const pending = new Set<AbortController>();
  let isClosed = false;
  let lastID = 0;

  const post = async (path: string, method: string, body: string, maxBytes: number, callTimeout: number): Promise<string> => {
    if (isClosed) throw stopped();
    const abort = new AbortController();
    pending.add(abort);
    let isTimedOut = false;
    const cancel = timing.after(callTimeout, () => {
      isTimedOut = true;
      abort.abort();
    });
    try {
      const { status, text } = await transport({ url: base + path, body, maxBytes, signal: abort.signal });
      // A starting node has no routes yet (404), one that is bootstrapping answers 503, a proxy 502 or 504. All of them mean that the node cannot
      // answer now, so that callers try again: whatever the body says.
      if (status !== 200) throw noResponse(method, statusText(status));
      // The transport does not read a body that is longer than `maxBytes`.
      if (text === undefined) throw invalidResponse(method, `the response is longer than ${maxBytes} bytes`);
      return text;
    } catch (cause) {
      if (cause instanceof FollowError) throw cause;
      if (isClosed) throw stopped();
      throw noResponse(method, isTimedOut ? `no answer within ${Math.round(callTimeout)} ms` : describeFailure(cause));
    } finally {
      cancel();
      pending.delete(abort);
    }
  };

  return {
    call: async (path, method, params, { bytes = defaultMaxBytes, timeout: callTimeout = timeout } = {}) => {
      const id = ++lastID;
      const text = await post(path, method, JSON.stringify({ jsonrpc: '2.0', id, method, params }), bytes, callTimeout);
      return resultOf(method, id, text);
    },
    close: () => {
      isClosed = true;
      for (const abort of pending) abort.abort();
    },
  };
}

/** Runtimes describe these in words of their own, and Node behind "fetch failed". */
const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'unknown host',
};

function describeFailure(error: unknown): string {
  const { code, message, cause } = (error ?? {}) as {
    readonly code?: string;
    readonly message?: string;
    readonly cause?: { code?: string };
  };
  return failures[code ?? cause?.code ?? ''] ?? message ?? String(error);
}

const statusText = (status: number): string =>
  status >= 300 && status < 400 ? `HTTP status ${status}; redirects are not followed, give the final URL` : `HTTP status ${status}`;

/** Returns the result of a response, or throws. AvalancheGo writes numbers above 2^53 as strings, so JSON.parse loses no precision. */
function resultOf(method: string, id: number, text: string): Readonly<Record<string, unknown>> {
  const response = jsonOf(method, text);
  if (!isRecord(response) || response.jsonrpc !== '2.0' || response.id !== id)
    throw invalidResponse(method, 'it is not a response to this request');
  if (isRecord(response.error)) throw nodeError(method, response.error);
  if (!isRecord(response.result)) throw invalidResponse(method, 'it has neither a result nor an error');
  return response.result;
}

function jsonOf(method: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidResponse(method, 'it is not JSON');
  }
}

function nodeError(method: string, { code, message }: Record<string, unknown>): FollowError {
  if (typeof code !== 'number' || typeof message !== 'string') return invalidResponse(method, 'the error has no code and message');
  return new FollowError(message, { code: 'FOLLOW_REFUSED', method, rpcCode: code });
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
