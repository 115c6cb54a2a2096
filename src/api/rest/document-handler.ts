import type { Handler, HttpResponse } from '../http/message.ts';
import { errorResponse, jsonHeaders } from './response.ts';

/** Serves a JSON document to GET and HEAD. It is built at the first request. */
export function documentHandler(build: () => object): Handler {
  let response: HttpResponse | undefined;
  return ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') return errorResponse(`Cannot ${method.slice(0, 20)} ${path}`, { status: 404 }, jsonHeaders);
    response ??= { status: 200, headers: jsonHeaders, body: Buffer.from(JSON.stringify(build())) };
    return response;
  };
}
