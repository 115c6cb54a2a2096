import { expect, test } from 'bun:test';
import type { LoggedCallJson } from '../../api/contract/dev-call-methods.ts';
import { formatCall } from './calls.ts';

const call: LoggedCallJson = {
  number: 1,
  time: 1_795_023_358_050,
  duration: 0.42,
  httpMethod: 'POST',
  path: '/ext/bc/X',
  methods: ['avm.getHeight'],
  transport: 'http',
  address: '127.0.0.1',
  userAgent: 'curl/8.5.0',
  isFromPage: false,
  status: 200,
  requestBytes: 61,
  answerBytes: 49,
};

test('a call in one line', () => {
  expect(formatCall(call)).toBe('17:35:58.050  avm.getHeight  200  0.4 ms  curl/8.5.0');
  expect(
    formatCall({
      ...call,
      methods: ['dev.send'],
      duration: 12.6,
      error: { code: 'DEV_BAD_AMOUNT', message: 'bad\u202e', remedy: 'Send more.' },
    }),
  ).toBe('17:35:58.050  dev.send  DEV_BAD_AMOUNT  13 ms  curl/8.5.0  bad? (Send more.)');
  expect(formatCall({ ...call, methods: [], httpMethod: 'GET', path: '/v1/x', userAgent: undefined })).toContain(
    'GET /v1/x  200  0.4 ms  127.0.0.1',
  );
  expect(formatCall({ ...call, methods: ['a.b', 'a.b'], batchSize: 7, transport: 'library' })).toContain(
    'a.b, a.b and 5 more  200  0.4 ms  library',
  );
});
