import { expect, test } from 'bun:test';
import { attemptOf } from './webhook-tables.ts';

test('an attempt is read as it was stored: whether somebody asked for it, and what the receiver answered, if it did', () => {
  const row = { number: 3, message: 'm', time: 5, duration: 7, attempt: 2, again: 0, status: null, error: 'refused', body: null };
  expect(attemptOf(row)).toEqual({
    ...{ number: 3, messageID: 'm', time: 5, duration: 7, attempt: 2, isSentAgain: false },
    ...{ status: undefined, error: 'refused', body: undefined },
  });
  expect(attemptOf({ ...row, again: 1, status: 200, error: null, body: '{}' })).toMatchObject({
    ...{ isSentAgain: true, status: 200, error: undefined, body: '{}' },
  });
});
