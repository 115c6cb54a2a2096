import { fetchDirectly } from '../../api/client/node-fetch.ts';
import type { Handler, HttpRequest } from '../../api/http/message.ts';

/** Limit of a forwarded body in bytes; the process that receives it has its own. */
const maxBody = 2 ** 40;

/** Headers that belong to one connection, or that `fetch` has made untrue by decoding the body. */
const droppedHeaders = /^(?:connection|keep-alive|transfer-encoding|content-length|content-encoding|date)$/;

/** Returns a handler that sends a request to a port of this machine and streams both bodies. Of the headers of the request, only `Authorization` is forwarded. */
export const createForwarder =
  (port: number): Handler =>
  async (request) => {
    const { method, path, query } = request;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    // `duplex` is missing in the types of Bun; Node sends no stream without it.
    const init: RequestInit & { readonly duplex: 'half' } = {
      method,
      redirect: 'manual',
      headers: { authorization: request.header('authorization') ?? '' },
      body: hasBody ? ((await readBody(request)) as BodyInit) : undefined,
      duplex: 'half',
    };
    const response = await fetchDirectly(`http://127.0.0.1:${port}${path}${query === '' ? '' : `?${query}`}`, init);
    return {
      status: response.status,
      headers: Object.fromEntries([...response.headers].filter(([name]) => !droppedHeaders.test(name))),
      body: '',
      stream: (response.body as AsyncIterable<Uint8Array> | null) ?? undefined,
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
