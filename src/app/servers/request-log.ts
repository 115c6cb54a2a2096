import type { Handler, HttpRequest } from '../../api/http/message.ts';
import type { Env } from '../platform/env.ts';

/** Wraps a handler so that it logs a line for every request at level `debug`. At lower levels returns the handler itself, at no cost. */
export function withRequestLog(handler: Handler, { log, clock }: Pick<Env, 'log' | 'clock'>): Handler {
  if (!log.isShown('debug')) return handler;
  return async (request) => {
    const startedAt = clock.monotonic();
    const response = await handler(request);
    log(formatLine(request, response.status, clock.monotonic() - startedAt), 'debug');
    return response;
  };
}

/** Leaves out the query and the headers, which may contain API keys. */
const formatLine = ({ method, path }: HttpRequest, status: number, milliseconds: number): string =>
  `${method} ${path.slice(0, maxPathLength)}: ${status} in ${milliseconds.toFixed(1)} ms`;

const maxPathLength = 200;
