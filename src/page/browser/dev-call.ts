import type { RpcAnswer } from '../source.ts';

/** Calls a method of `/ext/dev`. A refusal or a lost connection is an answer with an error. */
export async function callDev<T>(method: string, params: object = {}): Promise<RpcAnswer<T>> {
  try {
    const response = await fetch('/ext/dev', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    if (response.status !== 200) return { error: { message: `${response.status}: ${(await response.text()).slice(0, 200)}` } };
    return (await response.json()) as RpcAnswer<T>;
  } catch {
    return { error: { message: 'the node does not answer' } };
  }
}
