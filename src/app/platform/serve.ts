import type { Handler, HttpResponse } from '../../api/http/message.ts';
import type { IpRange } from '../../base/bytes/ip-address.ts';
import { Fault } from '../../base/fault.ts';
import { type BodyBudget, createBodyBudget } from './body-budget.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { UnreadOptions } from './unread-responses.ts';

export type ServeOptions = {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly handler: Handler;
  /** The most bytes of request bodies in memory, over all connections; see `createBodyBudgets`. */
  readonly maxBodyMemory: number;
  /**
   * Whether small bodies of a path are read in one piece and without a copy, which is faster. Their memory is reserved before they arrive. On all
   * other paths a body is read in chunks.
   */
  readonly readsBodyWhole?: (path: string) => boolean;
  /** Timeout in milliseconds of a whole body, or of each chunk of a streamed one; then 408, and the connection is closed. AvalancheGo: config/config.go, 30 s. */
  readonly bodyTimeout?: number;
  /** Limits of what waits for clients that do not read; default `defaultUnread`. */
  readonly unread?: UnreadOptions;
  /** Seconds without traffic after which a connection is closed. */
  readonly idleTimeout: number;
  /** Milliseconds for running requests to finish after `close` was called. */
  readonly grace?: number;
  /** Several processes share the port; the operating system distributes connections. */
  readonly reusePort?: boolean;
  /** How many connections there may be; undefined: any number. */
  readonly connectionLimit?: ConnectionLimit | undefined;
  /** Addresses of proxies, which have the connections of many clients. */
  readonly trustedProxies?: readonly IpRange[];
  /** A socket file to listen on instead of host and port. */
  readonly unix?: string;
};

export type Server = {
  readonly host: string;
  readonly port: number;
  /** Accepts no more connections, waits for running requests (up to `grace`), then closes the remaining connections. */
  close(): Promise<void>;
};

export type Serve = (options: ServeOptions) => Promise<Server>;

/** Default of `grace`, in milliseconds. */
export const defaultGrace = 500;

/** Default of `bodyTimeout`, in milliseconds. */
export const defaultBodyTimeout = 30_000;

/** The largest size of a small body, in bytes: twice the hex text of the largest transaction. */
export const maxSmallBody = 262_144;

/**
 * Splits the memory for bodies in two budgets: one for small bodies, taken by Content-Length before they arrive; one for all others, taken as
 * they arrive. Clients that announce bodies without sending them can exhaust only the first; small bodies then use the second.
 */
export const createBodyBudgets = (maxBodyMemory: number): { readonly small: BodyBudget; readonly large: BodyBudget } => ({
  small: createBodyBudget(maxBodyMemory / 2),
  large: createBodyBudget(maxBodyMemory / 2),
});

/** The response if a handler throws, which it should not. */
export const handlerErrorResponse: HttpResponse = { status: 500, headers: {}, body: '' };

/** The response if a client asks for a WebSocket and the upgrade is not possible. */
export const upgradeFailedResponse: HttpResponse = {
  status: 400,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'this is not a valid WebSocket request\n',
};

/** The response in place of a large one while too many of them wait for their clients. Pages can read it if they could read that one. */
export const refuseLarge = ({ headers }: HttpResponse): HttpResponse => ({
  status: 503,
  headers: {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:access-control-.*|vary)$/i.test(name))),
    'content-type': 'text/plain; charset=utf-8',
    'retry-after': '1',
  },
  body: 'too many large responses wait for clients to read them; try again\n',
});

/** Splits a request target or a URL into path and query, without validation: it never throws. */
export function splitTarget(target: string): { path: string; query: string } {
  const scheme = target.charCodeAt(0) === slash ? -1 : target.indexOf('://');
  const start = scheme < 0 ? 0 : target.indexOf('/', scheme + 3);
  if (start < 0) return { path: '/', query: '' };
  const mark = target.indexOf('?', start);
  if (mark < 0) return { path: target.slice(start), query: '' };
  return { path: target.slice(start, mark), query: target.slice(mark + 1) };
}

const slash = 0x2f;

type ServeFault =
  | { code: 'PORT_TAKEN'; host: string; port: number }
  | { code: 'LISTEN_FAILED'; host: string; port: number; reason: string }
  | { code: 'BODY_TOO_LARGE'; max: number }
  | { code: 'BODY_FRAGMENTED' }
  | { code: 'BODY_OVER_BUDGET' }
  | { code: 'BODY_TIMEOUT' }
  | { code: 'BODY_BROKEN_OFF' }
  | { code: 'RESPONSE_UNREAD' };

export class ServeError extends Fault<ServeFault> {}

export const bodyTooLargeError = (max: number) => new ServeError(`request body exceeds ${max} bytes`, { code: 'BODY_TOO_LARGE', max });

export const bodyFragmentedError = () => new ServeError('request body arrives in too many small chunks', { code: 'BODY_FRAGMENTED' });

export const bodyOverBudgetError = () =>
  new ServeError('the server is reading too many request bodies at once; try again', { code: 'BODY_OVER_BUDGET' });

export const bodyTimeoutError = () => new ServeError('request body did not arrive in time', { code: 'BODY_TIMEOUT' });

export const bodyCutShortError = () => new ServeError('request body ended early', { code: 'BODY_BROKEN_OFF' });

/** Reads chunks until the end. `next` rejects if the body ends early; it must settle within `timeout` milliseconds. */
export async function* streamChunks(next: () => Promise<Uint8Array | undefined>, max: number, timeout: number): AsyncGenerator<Uint8Array> {
  for (let size = 0; ; ) {
    const chunk = await withTimeout(next(), timeout);
    if (chunk === undefined) return;
    size += chunk.length;
    if (size > max) throw bodyTooLargeError(max);
    yield chunk;
  }
}

async function withTimeout<T>(work: Promise<T>, timeout: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(bodyTimeoutError()), timeout);
  try {
    return await Promise.race([work.catch(() => Promise.reject(bodyCutShortError())), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Converts the error of a failed listen to a fault. */
export function toListenError(cause: unknown, { host, port, unix }: ServeOptions): ServeError {
  const reason = (cause as { code?: unknown } | null)?.code;
  const where = unix ?? `${host}:${port}`;
  if (reason === 'EADDRINUSE')
    return new ServeError(`${where} is already in use; choose another port (0 picks a free one) or stop the program that listens there`, {
      code: 'PORT_TAKEN',
      host,
      port,
    });
  const errorCode = typeof reason === 'string' ? reason : 'unknown';
  return new ServeError(`cannot listen on ${where}: ${errorCode}`, { code: 'LISTEN_FAILED', host, port, reason: errorCode });
}
