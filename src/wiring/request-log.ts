import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import type { Env } from './env.ts';

/** The same handler, with a line for every request at level `debug`. At quieter levels it is the very handler: a request costs no more. */
export function withRequestLog(handler: Handler, { log, clock }: Pick<Env, 'log' | 'clock'>): Handler {
  if (!log.shows('debug')) return handler;
  return (request) => {
    const began = clock.monotonic();
    const answered = (response: HttpResponse): HttpResponse => {
      log(lineOf(request, response.status, clock.monotonic() - began), 'debug');
      return response;
    };
    const response = handler(request);
    return response instanceof Promise ? response.then(answered) : answered(response);
  };
}

/** Neither query nor headers: API keys may be in them. */
const lineOf = ({ method, path }: HttpRequest, status: number, milliseconds: number): string =>
  `serac: ${method} ${path.slice(0, longestPath)}: ${status} in ${milliseconds.toFixed(1)} ms`;

const longestPath = 200;
