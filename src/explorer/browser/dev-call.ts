import { webhooksPath } from '../load/load-webhooks.ts';
import type { RpcAnswer } from '../load/source.ts';
import { devHeaders, rpcHeaders } from './payload.ts';

/** Calls a method of the Node RPC or of `/ext/dev`. A refusal or a lost connection is an answer with an error. */
export async function call<T>(path: string, method: string, params: object = {}): Promise<RpcAnswer<T>> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: rpcHeaders(path),
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    if (response.status !== 200) return { error: { message: `${response.status}: ${(await response.text()).slice(0, 200)}` } };
    return (await response.json()) as RpcAnswer<T>;
  } catch {
    return { error: { message: 'the node does not answer' } };
  }
}

/** Replaces the state of all chains with a state file. */
export async function loadState(file: Blob): Promise<RpcAnswer<{ readonly height: string }>> {
  try {
    const response = await fetch('/ext/dev/state', { method: 'PUT', body: file, headers: devHeaders() });
    const text = await response.text();
    return response.ok ? { result: JSON.parse(text) as { height: string } } : { error: { message: text.slice(0, 200) } };
  } catch {
    return { error: { message: 'the node does not answer' } };
  }
}

/** Fetches the state file: a link cannot send the token. */
export async function fetchState(): Promise<RpcAnswer<Blob>> {
  try {
    const response = await fetch('/ext/dev/state', { headers: devHeaders() });
    return response.ok ? { result: await response.blob() } : { error: { message: (await response.text()).slice(0, 200) } };
  } catch {
    return { error: { message: 'the node does not answer' } };
  }
}

/** Sends a request as it was sent before, with the token of this tab where it is needed. Returns the status and the beginning of the answer. */
export async function sendRequest(method: string, path: string, body: string | undefined): Promise<{ status: number; text: string }> {
  const headers = path.startsWith('/ext/dev') || path.startsWith(webhooksPath) ? devHeaders() : {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  try {
    const response = await fetch(path, { method, headers, body: body ?? null });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    return { status: response.status, text: isStream ? '(a stream)' : (await response.text()).slice(0, 20_000) };
  } catch {
    return { status: 0, text: 'the node does not answer' };
  }
}

/** Calls a route of webhooks. */
export async function callWebhook<T>(method: string, path: string, body?: object): Promise<RpcAnswer<T>> {
  const headers = devHeaders();
  if (body !== undefined) headers['content-type'] = 'application/json';
  try {
    const response = await fetch(`${webhooksPath}${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    const answer = (await response.json()) as T & { readonly message?: string | readonly string[] };
    return response.ok ? { result: answer } : { error: { message: [answer.message].flat().join('; ') } };
  } catch {
    return { error: { message: 'the server does not answer' } };
  }
}
