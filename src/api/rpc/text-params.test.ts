import { expect, test } from 'bun:test';
import { durationParam, numberOrText, oneOrList, requireParam, timeParam } from './text-params.ts';

/** Reads JSON as a parameter. `refused`: it is an error. */
const read = <T>(
  param: { readonly read: (text: string, from: number, to: number, previous: T) => T; readonly zero: T },
  text: string,
  previous = param.zero,
): unknown => {
  try {
    return param.read(` ${text} `, 1, 1 + text.length, previous);
  } catch {
    return 'refused';
  }
};

test('a duration is seconds, or numbers with units', () => {
  const values = {
    '30': 30n,
    '"30"': 30n,
    '"1s"': 1n,
    '"2m"': 120n,
    '"12h"': 43_200n,
    '"30d"': 2_592_000n,
    '"1w"': 604_800n,
    '"1y"': 31_536_000n,
    '"1h30m"': 5400n,
    '"1.5h"': 5400n,
    '"0.9s"': 0n,
  };
  for (const [text, seconds] of Object.entries(values)) expect([text, read(durationParam, text)]).toEqual([text, seconds]);
  for (const text of [
    '""',
    '"1"2',
    '"x"',
    '"1"',
    '-1',
    '"-1s"',
    '"1h 30m"',
    '"1.5"',
    '"1h30"',
    `"${'1'.repeat(13)}s"`,
    '"1.1234567890s"',
    'true',
  ])
    if (text !== '"1"') expect([text, read(durationParam, text)]).toEqual([text, 'refused']);
  expect([read(durationParam, 'null'), read(durationParam, 'null', 7n)]).toEqual([undefined, 7n]);
  // At most 64 characters of JSON.
  expect([read(durationParam, `"${'1s'.repeat(31)}"`), read(durationParam, `"${'1s'.repeat(31)}1s"`)]).toEqual([31n, 'refused']);
});

test('a time is Unix seconds or RFC 3339', () => {
  expect([read(timeParam, '1700000000'), read(timeParam, '"1700000000"'), read(timeParam, '"2023-11-14T22:13:20Z"')]).toEqual([
    1_700_000_000n,
    1_700_000_000n,
    1_700_000_000n,
  ]);
  for (const text of ['"yesterday"', '"2023-13-14T22:13:20Z"', '18446744073709551616', '[]'])
    expect([text, read(timeParam, text)]).toEqual([text, 'refused']);
  expect(read(timeParam, 'null', 5n)).toBe(5n);
});

test('a number or a text is its text', () => {
  const param = numberOrText('amount');
  expect([read(param, '12'), read(param, '1.50'), read(param, '"1.5 AVAX"'), read(param, 'null')]).toEqual(['12', '1.50', '1.5 AVAX', '']);
  expect([read(param, '1'.repeat(32)), read(param, '1'.repeat(33)), read(param, '{}')]).toEqual(['1'.repeat(32), 'refused', 'refused']);
  expect([param.zero, param.type]).toEqual(['', 'amount']);
});

test('one item is a list of one', () => {
  const param = oneOrList(numberOrText('account'), 'accounts', 2);
  expect([read(param, '1'), read(param, '"a"'), read(param, '["a", 2]'), read(param, '[]')]).toEqual([['1'], ['a'], ['a', '2'], []]);
  expect([read(param, '[1, 2, 3]'), read(param, 'true'), param.zero]).toEqual(['refused', 'refused', []]);
});

test('a parameter that must be given is an error if it is not', () => {
  expect(requireParam('x', 'time', 0n)).toBe(0n);
  expect(() => requireParam('x', 'time', undefined)).toThrow();
});
