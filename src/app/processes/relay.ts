import type { Handler, HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { Fault } from '../../base/fault.ts';
import type { BusyFault } from '../advice/known-faults.ts';
import type { Channel } from '../platform/node-processes.ts';
import {
  decodeRequests,
  decodeResponses,
  encodeRequests,
  encodeResponses,
  type NumberedRequest,
  type NumberedResponse,
  type RelayedRequest,
} from './relay-text.ts';

export type Relay = (request: RelayedRequest) => Promise<HttpResponse>;

export type RelayTimers = {
  readonly soon: (run: () => void) => void;
  readonly after: (ms: number, run: () => void) => () => void;
};

/** The reader's end. `setHung` with a reason rejects all requests, including pending ones, until it is called with undefined. */
type RelayClient = Relay & { readonly setHung: (reason: string | undefined) => void };

/** The most pending requests, and the timeout of a request in milliseconds. Beyond either, requests are rejected as busy. */
const maxPending = 16_384;
const relayTimeout = 30_000;

export function createRelayClient(channel: Channel, { soon, after }: RelayTimers): RelayClient {
  const pending = new Map<number, PendingRequest>();
  let lastId = 0;
  let hungReason: string | undefined;
  const send = batchSends(soon, (all: readonly NumberedRequest[]) => channel.send(encodeRequests(all)));
  channel.onMessage((message) => {
    for (const { id, status, headers, body } of decodeResponses(message) ?? []) {
      const request = pending.get(id);
      pending.delete(id);
      request?.cancel();
      request?.done({ status, headers, body });
    }
  });
  const relay: Relay = (request) =>
    new Promise((resolve, reject) => {
      if (hungReason !== undefined || pending.size >= maxPending) return reject(relayBusyError(hungReason));
      const id = ++lastId;
      const cancel = after(relayTimeout, () => {
        pending.delete(id);
        reject(relayBusyError(`has not answered for ${relayTimeout / 1000} s`, 'passedOn'));
      });
      pending.set(id, { done: resolve, fail: reject, cancel });
      send({ id, ...request });
    });
  const setHung = (reason: string | undefined): void => {
    hungReason = reason;
    if (reason === undefined) return;
    for (const { cancel, fail } of pending.values()) {
      cancel();
      fail(relayBusyError(reason, 'passedOn'));
    }
    pending.clear();
  };
  return Object.assign(relay, { setHung });
}

type PendingRequest = {
  readonly done: (response: HttpResponse) => void;
  readonly fail: (error: RelayError) => void;
  readonly cancel: () => void;
};

/** What the writer's end of a relay needs. */
type RelayServerEnv = {
  readonly soon: RelayTimers['soon'];
  /** Called with the errors of the handler. Their requests are answered with status 500. */
  readonly logError: (error: unknown) => void;
};

/** The writer's end: passes requests to the handler as if they came from this machine. */
export function serveRelay(channel: Channel, handler: Handler, { soon, logError }: RelayServerEnv): void {
  const send = batchSends(soon, (all: readonly NumberedResponse[]) => channel.send(encodeResponses(all)));
  const respond = async (request: NumberedRequest): Promise<void> => {
    const { status, headers, body, stream } = await handler(toHttpRequest(request));
    // A response is sent between processes as one message, so it cannot be a stream.
    if (stream === undefined) send({ id: request.id, status, headers, body });
    else send({ id: request.id, status: 501, headers: {}, body: 'only the writer process can serve a stream\n' });
  };
  channel.onMessage((message) => {
    for (const request of decodeRequests(message) ?? [])
      respond(request).catch((error: unknown) => {
        logError(error);
        send({ id: request.id, status: 500, headers: {}, body: 'internal error\n' });
      });
  });
}

/** Collects the values of one turn of the event loop and sends them together, since the cost is mostly per message. */
function batchSends<T>(soon: RelayTimers['soon'], send: (all: readonly T[]) => void): (one: T) => void {
  let all: T[] = [];
  return (one) => {
    if (all.push(one) > 1) return;
    soon(() => {
      const sent = all;
      all = [];
      send(sent);
    });
  };
}

/** The reader process has already checked host and origin. */
const toHttpRequest = ({ method, path, query, contentType, body }: RelayedRequest): HttpRequest => ({
  method,
  path,
  query,
  header: (name) => (name === 'content-type' ? contentType : name === 'host' ? 'localhost' : null),
  body: async () => body,
});

/** `passedOn`: the writer has the call, and may still carry it out. Who then sends a `dev.send` again may pay twice. */
const relayBusyError = (reason = 'has too many calls waiting', progress: 'notSent' | 'passedOn' = 'notSent') =>
  new RelayError(
    `the writer process of the node ${reason}; ${progress === 'notSent' ? 'try again' : 'the call may still take effect: look before you send it again'}`,
    { code: 'RELAY_BUSY' },
  );

/** The body of a relayed response as JSON. Throws unless the status is 200. */
export function relayedJson({ status, body }: HttpResponse): unknown {
  if (status !== 200) throw relayFailedError(status);
  return JSON.parse(Buffer.from(body as string).toString('utf8'));
}

export const relayFailedError = (status: number) =>
  new RelayError(`the writer process of the node answered with status ${status}; its log says why`, { code: 'RELAY_FAILED', status });

type RelayFault = BusyFault | { code: 'RELAY_FAILED'; status: number } | { code: 'RELAY_WRONG_PROCESS' };
export class RelayError extends Fault<RelayFault> {}
