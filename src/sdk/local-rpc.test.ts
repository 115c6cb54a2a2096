import { expect, test } from 'bun:test';
import type { Handler } from '../api/http/message.ts';
import { callMethod, openLocalEvents } from './local-rpc.ts';

const answering =
  (status: number, body: string): Handler =>
  async () => ({ status, headers: {}, body });

test('a result is returned; a response that is none is thrown with its status and its first 300 characters', async () => {
  const result = answering(200, '{"jsonrpc":"2.0","id":1,"result":{"height":"1"}}');
  expect(await callMethod(result, '/ext/bc/X', 'avm.getHeight', {})).toEqual({ height: '1' });
  const text = `${'x'.repeat(299)}yz`;
  const fault = { code: 'NODE_HTTP', url: '/ext/bc/X', status: 503 };
  await expect(callMethod(answering(503, ` ${text}\n`), '/ext/bc/X', 'avm.getHeight', {})).rejects.toMatchObject({
    message: `/ext/bc/X answered with status 503: ${'x'.repeat(299)}y`,
    fault,
  });
});

test('events that are refused are thrown', async () => {
  await expect(openLocalEvents(answering(429, 'too many'), '')).rejects.toMatchObject({
    message: '/ext/events answered with status 429: too many',
    fault: { code: 'NODE_HTTP', status: 429 },
  });
});
