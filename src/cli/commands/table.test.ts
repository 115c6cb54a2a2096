import { expect, test } from 'bun:test';
import { formatBytes, formatTable, formatTime } from './table.ts';

test('columns are as wide as their widest cell; no line ends with spaces', () => {
  expect(
    formatTable(
      ['A', 'LONG', 'N'],
      [
        ['first', 'x', '1'],
        ['b', '', '1000'],
      ],
      new Set([2]),
    ),
  ).toEqual(['A      LONG     N', 'first  x        1', 'b            1000']);
  expect(formatTable(['A', 'B'], [['x', '']])).toEqual(['A  B', 'x']);
  // A row may have fewer cells.
  expect(formatTable(['A', 'B'], [['xyz']])).toEqual(['A    B', 'xyz']);
});

test('a time is a date', () => {
  expect([formatTime(0), formatTime('1700000000'), formatTime(1n)]).toEqual([
    '1970-01-01T00:00:00Z',
    '2023-11-14T22:13:20Z',
    '1970-01-01T00:00:01Z',
  ]);
});

test('bytes are shown as text if all of it can be printed', () => {
  const hex = (text: string): string => `0x${Buffer.from(text).toString('hex')}`;
  expect([formatBytes(hex('ace of "spades" ♠')), formatBytes(hex('ö').slice(2))]).toEqual(['"ace of \\"spades\\" ♠"', '"ö"']);
  for (const text of ['0x', '0xff', hex('a\nb'), hex('a\u202eb'), hex('\ufffd')]) expect(formatBytes(text)).toBe(text);
});
