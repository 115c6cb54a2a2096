import type { Handler, HttpRequest, HttpResponse } from '../api/http/message.ts';
import type { KeepAlive } from './keep-alive.ts';

/** A request to a node in this process. */
export type LocalRequest = {
  readonly method: string;
  /** With its query, if any: `/v1/networks/local`. */
  readonly target: string;
  /** By name, in any case. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Uint8Array;
};

/** Calls the handler of a node without a socket. Like a relayed request it has no remote address, so it counts as one from this machine. */
export function callHandler(handler: Handler, { method, target, headers = {}, body = noBody }: LocalRequest): Promise<HttpResponse> {
  const mark = target.indexOf('?');
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const request: HttpRequest = {
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    header: (name) => (name === 'host' ? 'localhost' : (named.get(name) ?? null)),
    body: async () => body,
  };
  return handler(request);
}

/** Converts a response to the standard class; a stream is read as the caller reads the body, who keeps the process running meanwhile. */
export function toStandardResponse({ status, headers, body, stream }: HttpResponse, { during }: KeepAlive): Response {
  const content = stream === undefined ? asBody(body) : toReadable(body, stream[Symbol.asyncIterator](), during);
  return new Response(stream === undefined && body.length === 0 ? null : content, { status, headers: { ...headers } });
}

function toReadable(first: string | Uint8Array, rest: AsyncIterator<Uint8Array>, during: KeepAlive['during']): ReadableStream<Uint8Array> {
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start: (controller) => {
      if (first.length > 0) controller.enqueue(typeof first === 'string' ? new TextEncoder().encode(first) : first);
    },
    pull: async (controller) => {
      const next = await during(rest.next());
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => void (await rest.return?.()),
  };
  // Reads nothing ahead: an unread response would keep the process running.
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}

/** The types of Response exclude bytes in shared memory, which no response has. */
const asBody = (body: string | Uint8Array): string | Uint8Array<ArrayBuffer> => body as string | Uint8Array<ArrayBuffer>;

const noBody = new Uint8Array(0);
