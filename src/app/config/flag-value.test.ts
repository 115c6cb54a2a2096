import { expect, test } from 'bun:test';
import type { FlagDefinition, FlagKind } from './flag-definition.ts';
import { describeAllowed, parseDuration, parseFlagValue } from './flag-value.ts';

const flag = (kind: FlagKind, more: object = {}): FlagDefinition => ({ kind, ...more }) as unknown as FlagDefinition;

/** What texts of a flag are read as; undefined is refused. */
function expectValues(row: FlagDefinition, values: Readonly<Record<string, unknown>>, refused: readonly string[]): void {
  for (const [text, value] of Object.entries(values))
    expect([row.kind, text, parseFlagValue(row, text)]).toEqual([row.kind, text, value as never]);
  for (const text of refused) expect([row.kind, text, parseFlagValue(row, text)]).toEqual([row.kind, text, undefined]);
}

test('a duration is written as Go writes it', () => {
  const values = {
    '0': 0,
    '1ns': 1e-6,
    '5us': 5e-3,
    '5µs': 5e-3,
    '5μs': 5e-3,
    '7ms': 7,
    '1.5s': 1500,
    '.5s': 500,
    '2.s': 2000,
    '3m': 180_000,
    '1h15m30.5s': 4_530_500,
  };
  for (const [text, milliseconds] of Object.entries(values)) expect([text, parseDuration(text)]).toEqual([text, milliseconds]);
  for (const text of ['', '5', '1h15', 's', '-1s', '1 s', '1d', '1s!', '.s', '00'])
    expect([text, parseDuration(text)]).toEqual([text, undefined]);
  // An int64 of nanoseconds.
  expect([parseDuration('2562047h'), parseDuration('2562048h')]).toEqual([2562047 * 3_600_000, undefined]);
  expectValues(flag('duration', { max: 1000 }), { '1s': 1000 }, ['1.001s', 'x']);
  expectValues(flag('duration'), { '100h': 360_000_000 }, []);
});

test('numbers', () => {
  expectValues(flag('integer'), { '0': 0, '12': 12, '9007199254740991': 9007199254740991 }, [
    '',
    '01',
    '-1',
    '1.5',
    '0x1',
    '9007199254740992',
    '1e3',
  ]);
  expectValues(flag('integer', { max: 5 }), { '5': 5 }, ['6']);
  expectValues(flag('number'), { '2': 2, '0.5': 0.5, '999999999999': 999_999_999_999 }, [
    '',
    '.5',
    '5.',
    '-1',
    '1234567890123',
    '0.1234567890',
  ]);
  expectValues(flag('number', { max: 1 }), { '1': 1, '0': 0 }, ['1.1']);
  expectValues(flag('u64'), { '0': 0n, '18446744073709551615': 2n ** 64n - 1n, '0xFf': 255n }, [
    '18446744073709551616',
    '01',
    '-1',
    '',
    '0x',
    '0x1ffffffffffffffff',
    `0x${'0'.repeat(19)}`,
  ]);
  expectValues(
    flag('avax'),
    { '1': 1_000_000_000n, '0.000000001': 1n, '10.5': 10_500_000_000n, '99999999999': 99_999_999_999_000_000_000n },
    ['', '.5', '1.', '1.0000000001', '123456789012', '-1'],
  );
  expectValues(flag('seconds'), { '1': 1, '0.001': 0.001, '999999999': 999_999_999 }, ['0', '', '1.0001', '1234567890', '-1']);
  expectValues(flag('seconds', { max: 5 }), { '5': 5 }, ['5.001']);
  expectValues(flag('workers', { max: 8 }), { auto: 'auto', '0': 0, '8': 8 }, ['9', 'AUTO', '']);
});

test('texts', () => {
  expectValues(flag('text'), { '': '', x: 'x' }, []);
  expectValues(flag('path'), { '/x': '/x' }, ['']);
  expectValues(flag('choice', { allowed: ['on', 'off'] }), { on: 'on', OFF: 'off' }, ['', 'yes']);
  expectValues(flag('network'), { local: 12345, '7': 7 }, ['nowhere']);
  expectValues(flag('boolean'), { '1': true, t: true, TRUE: true, True: true, '0': false, f: false, F: false, False: false }, [
    '',
    'tRUE',
    'yes',
    '2',
  ]);
  expectValues(flag('ip'), { '': '', '127.0.0.1': '127.0.0.1', '::1': '::1' }, ['localhost', '1.2.3']);
});

test('lists and URLs', () => {
  expectValues(flag('list'), { '': [], 'a, b\tc,': ['a', 'b', 'c'] }, []);
  expectValues(flag('url'), { 'http://127.0.0.1:9650': 'http://127.0.0.1:9650' }, ['', '127.0.0.1:9650', 'mailto:x', 'http://']);
  expectValues(flag('urls'), { 'http://a': ['http://a'], 'http://a, http://b': ['http://a', 'http://b'] }, ['', 'http://a,b', ',']);
  expectValues(flag('database'), { 'postgres://a,b/c': 'postgres://a,b/c' }, ['', 'file.db']);
});

test('what is allowed is said, with its bound', () => {
  const texts: readonly (readonly [FlagDefinition, string])[] = [
    [flag('choice', { allowed: ['on', 'off'] }), 'one of on, off'],
    [flag('integer'), 'a whole number'],
    [flag('integer', { max: 9 }), 'a whole number from 0 to 9'],
    [flag('number'), 'a number such as 2 or 0.5'],
    [flag('number', { max: 1 }), 'a number from 0 to 1'],
    [flag('duration'), 'a duration such as 500ms, 30s or 1h15m'],
    [flag('duration', { max: 1500 }), 'a duration such as 500ms, 30s or 1h15m, at most 1.5s'],
    [flag('seconds'), 'a number of seconds above 0'],
    [flag('seconds', { max: 5 }), 'a number of seconds above 0 and up to 5'],
    [flag('workers', { max: 8 }), 'auto or a whole number from 0 to 8'],
    [flag('boolean'), 'true or false'],
  ];
  for (const [row, text] of texts) expect(describeAllowed(row)).toBe(text);
});
