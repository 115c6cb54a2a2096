import { SeracError } from '../api/client/fault.ts';
import { formatCall, readResult } from '../api/client/rpc-answer.ts';
import type { Handler } from '../api/http/message.ts';
import { callHandler } from './local-request.ts';

/** Calls a method of the Node RPC at a path without a socket, and returns its result as JSON. Throws a SeracError. */
export async function callMethod(handler: Handler, path: string, method: string, params: object): Promise<unknown> {
  const { status, body } = await callHandler(handler, {
    method: 'POST',
    target: path,
    headers: jsonHeaders,
    body: new TextEncoder().encode(formatCall(method, params)),
  });
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return readResult(text, method, () => refusal(path, status, text));
}

/** Opens the event stream without a socket: chunks of server-sent events. */
export async function openLocalEvents(handler: Handler, query: string): Promise<AsyncIterable<Uint8Array>> {
  const { status, body, stream } = await callHandler(handler, { method: 'GET', target: `/ext/events?${query}` });
  if (status === 200 && stream !== undefined) return stream;
  throw refusal('/ext/events', status, typeof body === 'string' ? body : new TextDecoder().decode(body));
}

const jsonHeaders = { 'content-type': 'application/json' };

const refusal = (path: string, status: number, text: string) =>
  new SeracError(`${path} answered with status ${status}: ${text.trim().slice(0, 300)}`, { code: 'NODE_HTTP', url: path, status });
