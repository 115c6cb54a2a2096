import type { Handler, HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { ownHeaders } from '../../api/http/own-headers.ts';
import type { Pause } from '../../base/timing/long-work.ts';
import type { Source } from './source.ts';

/** Headers of the page's request that its own requests carry too: who calls, from where, with which key, and what height it has seen. */
const passedHeaders = new Set(['host', 'origin', 'authorization', 'x-forwarded-for', 'x-forwarded-proto', ...ownHeaders]);

/**
 * Reads from this server's own routes in process, on behalf of the caller of a page: API keys, rate limits and access to `/ext/dev` are those
 * of the caller. Pauses before and after each request: a page sends up to ten, whose answers have up to 500 kB.
 */
export function createLocalSource(handler: Handler, caller: HttpRequest, pause: Pause): Source {
  const send = async (method: string, target: string, body?: object) => {
    await pause();
    const response = await sendLocal(handler, caller, method, target, body);
    await pause();
    return parse(response);
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    getText: async (path) => {
      const { status, body } = await sendLocal(handler, caller, 'GET', path);
      return { status, body: textOf(body) };
    },
    call: (path, method, params = {}) => send('POST', path, { jsonrpc: '2.0', id: 1, method, params }),
  };
}

/** Sends a request to this server in process. */
export function sendLocal(handler: Handler, caller: HttpRequest, method: string, target: string, body?: object): Promise<HttpResponse> {
  const at = target.indexOf('?');
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body));
  return handler({
    method,
    path: at < 0 ? target : target.slice(0, at),
    query: at < 0 ? '' : target.slice(at + 1),
    header: (name) =>
      name === 'content-type' && body !== undefined ? 'application/json' : passedHeaders.has(name) ? caller.header(name) : null,
    // Only a request from a socket has a remote address; others were checked by another process.
    remoteAddress: caller.remoteAddress,
    headerNames: caller.headerNames,
    body: async () => bytes,
  });
}

function parse({ status, body }: HttpResponse): { status: number; body: never } {
  const text = textOf(body);
  try {
    return { status, body: JSON.parse(text) as never };
  } catch {
    return { status: status === 200 ? 502 : status, body: { message: text.slice(0, 200) } as never };
  }
}

const textOf = (body: HttpResponse['body']): string =>
  typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
