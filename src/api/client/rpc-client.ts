import { SeracError } from './fault.ts';
import { fetchNode } from './node-fetch.ts';
import { formatCall, readResult } from './rpc-answer.ts';
import { readChunks } from './server-sent-events.ts';

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
  /** The text of a response. Throws a SeracError if it does not end in time, or is longer than any answer of a node. */
  readonly readText: (response: Response) => Promise<string>;
};

export type RpcClientOptions = {
  readonly url: string;
  /** The token of `--dev-token`, for nodes on other machines. */
  readonly token?: string | undefined;
  /** An API key of the server. */
  readonly apiKey?: string | undefined;
  /** Milliseconds until a call fails. */
  readonly timeout?: number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

export function createRpcClient({ url, token, apiKey, timeout = 30_000, fetch = fetchNode }: RpcClientOptions): RpcClient {
  const base = url.replace(/\/+$/, '');
  const secrets: Record<string, string> = {};
  if (token !== undefined) secrets.authorization = `Bearer ${token}`;
  if (apiKey !== undefined) secrets['x-service-api-key'] = apiKey;

  const timeoutError = (): SeracError =>
    new SeracError(`${base} did not answer within ${timeout / 1000} s`, { code: 'NODE_TIMEOUT', url: base, milliseconds: timeout });

  const readText = async (response: Response): Promise<string> => {
    const decoder = new TextDecoder();
    let text = '';
    let size = 0;
    try {
      for await (const chunk of response.body === null ? [] : readChunks(response.body)) {
        size += chunk.length;
        if (size > maxAnswerBytes)
          throw new SeracError(`${base} sends more than ${maxAnswerBytes / 1024 / 1024} MiB in one answer; it is not a node, or broken`, {
            code: 'NODE_TOO_LONG',
            url: base,
            maxBytes: maxAnswerBytes,
          });
        text += decoder.decode(chunk, { stream: true });
      }
      return text + decoder.decode();
    } catch (error) {
      if (error instanceof SeracError) throw error;
      if (isTimeout(error)) throw timeoutError();
      throw new SeracError(`${base} closed the connection in the middle of an answer`, { code: 'NODE_UNREACHABLE', url: base });
    }
  };

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...secrets, ...(init.headers as Record<string, string> | undefined) };
    try {
      return await fetch(base + path, { signal: AbortSignal.timeout(timeout), ...init, headers });
    } catch (error) {
      if (isTimeout(error)) throw timeoutError();
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
    const text = await readText(response);
    const toError = () =>
      new SeracError(`${base}${path} answered with status ${response.status}${describe(text)}`, {
        code: 'NODE_HTTP',
        url: base + path,
        status: response.status,
      });
    return readResult(text, method, toError);
  };

  return { url: base, call, request, readText };
}

/** The longest answer of a node is a page of the largest outputs; it is far shorter. */
const maxAnswerBytes = 64 * 1024 * 1024;

const isTimeout = (error: unknown): boolean => (error as { name?: string }).name === 'TimeoutError';

const describe = (text: string): string => (text.trim() === '' ? '' : `: ${text.trim().slice(0, 200)}`);
