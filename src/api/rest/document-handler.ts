import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { errorResponse, jsonHeaders } from './response.ts';

/** Stands for the origin of the caller in the text of a document. */
const originMark = 'http://serac.invalid';

/**
 * Serves a JSON document to GET and HEAD. It is built at the first request; each caller gets it with the origin at which it reached this
 * server.
 */
export function documentHandler(build: (origin: string) => object): Handler {
  let text: string | undefined;
  let last: { readonly origin: string; readonly response: HttpResponse } | undefined;
  return async (request) => {
    const { method, path } = request;
    if (method !== 'GET' && method !== 'HEAD') return errorResponse(`Cannot ${method.slice(0, 20)} ${path}`, { status: 404 }, jsonHeaders);
    const origin = requestOrigin(request);
    if (last?.origin === origin) return last.response;
    text ??= JSON.stringify(build(originMark));
    last = { origin, response: { status: 200, headers: jsonHeaders, body: Buffer.from(text.replaceAll(originMark, origin)) } };
    return last.response;
  };
}

/**
 * `http://host:port` as the caller reached this server, for URLs in responses; `https` if a proxy says that it ended TLS. `otherwise` is
 * returned for a Host header that does not look like a host name, which is not copied into a response.
 */
export function requestOrigin(request: Pick<HttpRequest, 'header'>, otherwise = 'http://localhost'): string {
  const host = request.header('host') ?? '';
  const scheme = request.header('x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https' ? 'https' : 'http';
  return /^[\w.:[\]-]{1,255}$/.test(host) ? `${scheme}://${host}` : otherwise;
}
