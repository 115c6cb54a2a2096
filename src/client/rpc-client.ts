import { ClientError } from './fault.ts';

/** Calls methods of a node. */
export type RpcClient = {
  readonly url: string;
  /** Calls a JSON-RPC method at a path such as `/ext/dev`. Throws a ClientError. */
  readonly call: (path: string, method: string, params?: object) => Promise<unknown>;
  /** Requests a path; throws a ClientError if nothing answers, but not for HTTP errors. */
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
        throw new ClientError(`${base} did not answer within ${timeout / 1000} s`, {
          code: 'NODE_TIMEOUT',
          url: base,
          milliseconds: timeout,
        });
      throw new ClientError(`no node answers at ${base}; start one with serac, or give its address with --url`, {
        code: 'NODE_UNREACHABLE',
        url: base,
      });
    }
  };

  const call = async (path: string, method: string, params: object = {}): Promise<unknown> => {
    const response = await request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, bigintText),
    });
    const text = await response.text();
    const answer = parseAnswer(text);
    if (answer === undefined)
      throw new ClientError(`${base}${path} answered with status ${response.status}${describe(text)}`, {
        code: 'NODE_HTTP',
        url: base + path,
        status: response.status,
      });
    if (answer.error == null) return answer.result;
    const { code, message, data } = answer.error;
    throw new ClientError(message, { code: 'RPC_ERROR', method, rpcCode: code, data });
  };

  return { url: base, call, request };
}

type Answer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | null;
};

function parseAnswer(text: string): Answer | undefined {
  try {
    const value = JSON.parse(quoteLargeNumbers(text));
    return typeof value === 'object' && value !== null && ('result' in value || value.error?.message !== undefined) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Turns integers of 16 and more digits into strings: as numbers they could be rounded. AvalancheGo writes amounts in transactions as numbers. */
const quoteLargeNumbers = (text: string): string =>
  /\d{16}/.test(text)
    ? text.replace(/("(?:[^"\\]|\\.)*")|(-?\d{16,})(?=\s*[,}\]])/g, (_, quoted, digits) => quoted ?? `"${digits}"`)
    : text;

/** Amounts are decimal strings in JSON: numbers above 2^53 would be rounded. */
const bigintText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

const describe = (text: string): string => (text.trim() === '' ? '' : `: ${text.trim().slice(0, 200)}`);
