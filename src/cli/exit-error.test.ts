import { expect, test } from 'bun:test';
import { Fault } from '../base/fault.ts';
import { describeExit, exitCodes } from './exit-error.ts';

const fault = (data: { readonly code: string; readonly [name: string]: unknown }, message = 'it failed') => new Fault(message, data);

test('scripts can tell the kinds of failures by the exit code', () => {
  expect(exitCodes).toEqual({ failure: 1, badFlags: 2, portTaken: 3, damage: 4, otherVersion: 5 });
  const codes = (names: string) => names.split(' ').map((code) => describeExit(fault({ code }), {}).code);
  expect(codes('BAD_ARGUMENT WALLET_BAD_MNEMONIC BEACON_COUNTS_DIFFER BEACON_MALFORMED JOIN_NOTICEABLE_STAKE REDIS_BAD_URL')).toEqual(
    Array(6).fill(2),
  );
  expect(codes('PORT_TAKEN JOIN_PORT_TAKEN')).toEqual([3, 3]);
  expect(codes('STORE_DAMAGED STORE_FOREIGN STATE_DAMAGED STATE_BEHIND STATE_FILE_DAMAGED STATE_FILE_FOREIGN')).toEqual(Array(6).fill(4));
  expect(codes('STORE_OTHER_SCHEMA INDEX_NEWER_SCHEMA STATE_FILE_OTHER_VERSION')).toEqual([5, 5, 5]);
  expect(codes('STORE_FAILED NODE_UNREACHABLE')).toEqual([1, 1]);
});

test('a fault may have an exit code of its own; none is 0', () => {
  expect(describeExit(fault({ code: 'PORT_TAKEN', exitCode: 7 }), {}).code).toBe(7);
  expect(describeExit(fault({ code: 'PORT_TAKEN', exitCode: null }), {}).code).toBe(3);
  expect(describeExit(fault({ code: 'OTHER', exitCode: 0 }), {}).code).toBe(1);
});

test('a person reads the message with its hints on lines of their own, without control characters', () => {
  expect(describeExit(fault({ code: 'X', port: 1 }, 'cannot listen\n  try \x1b[31mred'), {}).text).toBe(
    'serac: cannot listen\n  try ?[31mred',
  );
});

test('a log has one line with time and level', () => {
  const { text } = describeExit(fault({ code: 'X' }, 'cannot listen\ntry another port'), { time: '2026-01-02T03:04:05Z' });
  expect(text).toMatch(/^\S*2026-01-02T03:04:05Z\S* +\S*fatal\S* +cannot listen \| try another port$/i);
});

test('JSON has code, message and the facts, large integers as text, but not the exit code', () => {
  const { text } = describeExit(fault({ code: 'X', exitCode: 2, height: 2n ** 60n, name: 'a' }, 'no\nway'), { json: 'now' });
  expect(JSON.parse(text)).toEqual({
    event: 'error',
    time: 'now',
    level: 'fatal',
    code: 'X',
    message: 'no\nway',
    data: { height: '1152921504606846976', name: 'a' },
  });
  expect(JSON.parse(describeExit(fault({ code: 'X' }), { json: 'now' }).text)).not.toHaveProperty('data');
});
