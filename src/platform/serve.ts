import { Fault } from '../fault.ts';
import type { Handler, HttpResponse } from '../http/message.ts';
import { type BodyBudget, createBodyBudget } from './body-budget.ts';

export type ServeOptions = {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly handler: Handler;
  /** The most bytes of bodies that are held at once, over all connections; see `splitBudget`. */
  readonly maxBodies: number;
  /**
   * Paths whose small bodies are read before the handler is called, so that it can answer without a promise, which would cost more than the
   * call. On all other paths nothing of a body is read before the handler asks for it.
   */
  readonly readsAhead?: (path: string) => boolean;
  /** Milliseconds within which a body that is not read ahead must arrive. AvalancheGo: config/config.go, 30 s. */
  readonly bodyTimeout?: number;
  /** Seconds without a byte after which a connection is closed. */
  readonly idleTimeout: number;
  /** Milliseconds that a running request has to end once the server closes. */
  readonly grace?: number;
  /** Several processes share the port, the system spreads connections over them. */
  readonly reusePort?: boolean;
  /** A socket file to listen on instead of host and port. */
  readonly unix?: string;
};

export type Server = {
  readonly host: string;
  readonly port: number;
  /** Takes no more connections, lets running requests end (for as long as `grace` allows), then closes what is left. */
  close(): Promise<void>;
};

export type Serve = (options: ServeOptions) => Promise<Server>;

/** Milliseconds that a running request has to end once the server closes, unless said otherwise. */
export const usualGrace = 500;

/** Default of `bodyTimeout`, in milliseconds. */
export const usualBodyTimeout = 30_000;

/** Bodies up to this many bytes are small: twice the text of the largest transaction. */
export const smallBody = 262_144;

/**
 * Half for small bodies, charged at their announced size before they arrive; half for all others, charged as they arrive.
 * Callers who announce bodies and do not send them can only use up the first half; small bodies are then read and charged like large ones.
 */
export const splitBudget = (maxBodies: number): { readonly small: BodyBudget; readonly large: BodyBudget } => ({
  small: createBodyBudget(maxBodies / 2),
  large: createBodyBudget(maxBodies / 2),
});

/** For a handler that breaks its word and throws. */
export const broken: HttpResponse = { status: 500, headers: {}, body: '' };

/** Splits a request target, or a whole URL, without reading it: whatever it holds, nothing is thrown. */
export function splitTarget(target: string): { path: string; query: string } {
  const scheme = target.charCodeAt(0) === slash ? -1 : target.indexOf('://');
  const start = scheme < 0 ? 0 : target.indexOf('/', scheme + 3);
  if (start < 0) return { path: '/', query: '' };
  const mark = target.indexOf('?', start);
  if (mark < 0) return { path: target.slice(start), query: '' };
  return { path: target.slice(start, mark), query: target.slice(mark + 1) };
}

const slash = 0x2f;

export type ServeFault =
  | { code: 'PORT_TAKEN'; host: string; port: number }
  | { code: 'LISTEN_FAILED'; host: string; port: number; reason: string }
  | { code: 'BODY_TOO_LARGE'; max: number }
  | { code: 'BODY_FRAGMENTED' }
  | { code: 'BODY_OVER_BUDGET' }
  | { code: 'BODY_TIMEOUT' }
  | { code: 'BODY_BROKEN_OFF' };

export class ServeError extends Fault<ServeFault> {}

export const bodyTooLarge = (max: number) => new ServeError(`request body exceeds ${max} bytes`, { code: 'BODY_TOO_LARGE', max });

export const bodyFragmented = () => new ServeError('request body comes in too many small chunks', { code: 'BODY_FRAGMENTED' });

export const bodyOverBudget = () =>
  new ServeError('the server is reading too many request bodies at once; try again', { code: 'BODY_OVER_BUDGET' });

export const bodyTimedOut = () => new ServeError('request body did not arrive in time', { code: 'BODY_TIMEOUT' });

export const bodyBrokenOff = () => new ServeError('request body ended early', { code: 'BODY_BROKEN_OFF' });

/** What the system said when it did not let us listen, as a fault. */
export function listenError(cause: unknown, { host, port, unix }: ServeOptions): ServeError {
  const reason = (cause as { code?: unknown } | null)?.code;
  const where = unix ?? `${host}:${port}`;
  if (reason === 'EADDRINUSE') return new ServeError(`${where} is already in use`, { code: 'PORT_TAKEN', host, port });
  const known = typeof reason === 'string' ? reason : 'unknown';
  return new ServeError(`cannot listen on ${where}: ${known}`, { code: 'LISTEN_FAILED', host, port, reason: known });
}
