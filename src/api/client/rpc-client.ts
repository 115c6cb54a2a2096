import { SeracError } from './fault.ts';
import { formatCall, readResult } from './rpc-answer.ts';

/** Calls methods of a node. */
export type RpcClient = {
  readonly url: string;
  /**
   * Calls a JSON-RPC method at a path such as `/ext/dev`. A bigint in the parameters is sent as a decimal string; an integer in the result that
   * a number cannot hold is a bigint. Throws a SeracError.
   */
  readonly call: (path: string, method: string, params?: object) => Promise<unknown>;
  /** Requests a path; throws a SeracError if nothing answers, but not for HTTP errors. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
};

export type RpcClientOptions = {
  readonly url: string;
  /** The token of `--dev-token`, for nodes on other machines. */
  readonly token?: string | undefined;
  /** Milliseconds until a call fails. */
  readonly timeout?: number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

export function createRpcClient({ url, token, timeout = 30_000, fetch = globalThis.fetch }: RpcClientOptions): RpcClient {
  const base = url.replace(/\/+$/, '');
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...authorization, ...(init.headers as Record<string, string> | undefined) };
    try {
      return await fetch(base + path, { signal: AbortSignal.timeout(timeout), ...init, headers });
    } catch (error) {
      if ((error as { name?: string }).name === 'TimeoutError')
        throw new SeracError(`${base} did not answer within ${timeout / 1000} s`, {
          code: 'NODE_TIMEOUT',
          url: base,
          milliseconds: timeout,
        });
      throw new SeracError(`no node answers at ${base}; start one with serac, or give its address with --url`, {
        code: 'NODE_UNREACHABLE',
        url: base,
      });
    }
  };

  const call = async (path: string, method: string, params: object = {}): Promise<unknown> => {
    const response = await request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: formatCall(method, params),
    });
    const text = await response.text();
    const toError = () =>
      new SeracError(`${base}${path} answered with status ${response.status}${describe(text)}`, {
        code: 'NODE_HTTP',
        url: base + path,
        status: response.status,
      });
    return readResult(text, method, toError);
  };

  return { url: base, call, request };
}

const describe = (text: string): string => (text.trim() === '' ? '' : `: ${text.trim().slice(0, 200)}`);
