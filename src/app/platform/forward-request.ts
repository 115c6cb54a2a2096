import type { Handler, HttpRequest } from '../../api/http/message.ts';

/** Limit of a forwarded body in bytes; the process that receives it has its own. */
const maxBody = 2 ** 40;

/** Returns a handler that sends a request to a port of this machine and streams both bodies. Of the headers, only `Authorization` of the request and the content type of the response are forwarded. */
export const createForwarder =
  (port: number): Handler =>
  async (request) => {
    const { method, path, query } = request;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const response = await fetch(`http://127.0.0.1:${port}${path}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: { authorization: request.header('authorization') ?? '' },
      ...(hasBody && { body: (await readBody(request)) as BodyInit, duplex: 'half' }),
    });
    const headers = { 'content-type': response.headers.get('content-type') ?? 'text/plain; charset=utf-8' };
    return {
      status: response.status,
      headers,
      body: '',
      ...(response.body !== null && { stream: response.body as AsyncIterable<Uint8Array> }),
    };
  };

async function readBody(request: HttpRequest): Promise<ReadableStream<Uint8Array> | Uint8Array> {
  const chunks = request.bodyStream?.(maxBody)[Symbol.asyncIterator]();
  if (chunks === undefined) return request.body(maxBody);
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return?.(undefined)),
  });
}
