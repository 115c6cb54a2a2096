import { expect, test } from 'bun:test';
import type { Handler, HttpRequest } from '../../api/http/message.ts';
import { withRequestLog } from './request-log.ts';

const handler: Handler = async () => ({ status: 404, headers: {}, body: '' });

/** Wraps the handler at a level at which lines of `debug` are shown or not. */
function wrap(isShown: boolean) {
  const lines: string[] = [];
  let now = 0;
  const log = Object.assign((line: string, level: string) => void lines.push(`${level}: ${line}`), { isShown: () => isShown });
  const clock = {
    monotonic: () => {
      now += 1.25;
      return now;
    },
  };
  const wrapped = withRequestLog(handler, { log, clock } as unknown as Parameters<typeof withRequestLog>[1]);
  return { wrapped, lines };
}

test('at level debug every request is a line, without its query; at others the handler is not wrapped', async () => {
  const { wrapped, lines } = wrap(true);
  const request = { method: 'GET', path: `/v1/${'a'.repeat(300)}`, query: 'key=secret' } as HttpRequest;
  expect((await wrapped(request)).status).toBe(404);
  expect(lines).toEqual([`debug: GET /v1/${'a'.repeat(196)}: 404 in 1.3 ms`]);
  expect(wrap(false).wrapped).toBe(handler);
});
