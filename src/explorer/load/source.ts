import type { MethodJson, MethodName } from '../../api/contract/answers.ts';
import { Fault } from '../../base/fault.ts';

/** Where a page reads from: the documented routes of this server, in process on the server and over HTTP in the browser. */
export type Source = {
  /** Sends a GET request and parses the answer as JSON. */
  readonly get: <T>(path: string) => Promise<Answer<T>>;
  /** Sends a POST request with a JSON body and parses the answer as JSON. */
  readonly post: <T>(path: string, body: object) => Promise<Answer<T>>;
  /** Sends a GET request and returns the answer as text. */
  readonly getText: (path: string) => Promise<Answer<string>>;
  /** Calls a JSON-RPC method. */
  readonly call: <T>(path: string, method: string, params?: object) => Promise<Answer<RpcAnswer<T>>>;
};

/** `body` has the type T if the status is 200. */
type Answer<T> = { readonly status: number; readonly body: T };
export type RpcAnswer<T> = {
  readonly result?: T;
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string } | null };
};

/** An answer that a page cannot be built without was not 200. */
type SourceFault = { code: 'PAGE_SOURCE_FAILED'; status: number; path: string };
export class SourceError extends Fault<SourceFault> {}

/** Returns the body of a GET request, or of a POST request with the body `sent`; throws a `SourceError` with the server's reason if the status is not 200. */
export async function read<T>(source: Source, path: string, sent?: object): Promise<T> {
  const { status, body } = await (sent === undefined ? source.get<T>(path) : source.post<T>(path, sent));
  if (status === 200) return body;
  throw new SourceError(reasonOf(body) ?? 'no reason was given', { code: 'PAGE_SOURCE_FAILED', status, path });
}

/** Like `read`, but undefined if the answer is 404 or 400: the requested thing does not exist. */
export async function readIfFound<T>(source: Source, path: string): Promise<T | undefined> {
  const { status, body } = await source.get<T>(path);
  if (status === 404 || status === 400) return undefined;
  if (status === 200) return body;
  throw new SourceError(reasonOf(body) ?? 'no reason was given', { code: 'PAGE_SOURCE_FAILED', status, path });
}

/** Returns the result of a JSON-RPC method, undefined if the call was refused or failed. */
export async function callIfAllowed<M extends MethodName>(
  source: Source,
  path: string,
  method: M,
  params: object = {},
): Promise<MethodJson<M> | undefined> {
  const { status, body } = await source.call<MethodJson<M>>(path, method, params);
  return status === 200 ? body.result : undefined;
}

function reasonOf(body: unknown): string | undefined {
  const { message } = (body ?? {}) as { message?: unknown };
  return Array.isArray(message) ? message.join('; ') : typeof message === 'string' ? message : undefined;
}
