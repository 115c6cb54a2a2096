import { expect, test } from 'bun:test';
import { hexToText } from './payload-kind.ts';
import {
  ageText,
  amountText,
  compactAmount,
  compactNumber,
  dateText,
  shareText,
  shortId,
  shortNumber,
  spanText,
  splitAddress,
  splitAmount,
  timeText,
} from './text-format.ts';

test('amounts are never rounded', () => {
  expect(splitAmount('1250500000000', 9)).toEqual({ whole: '1,250', fraction: '.5' });
  expect(amountText('18446744073709551615', 9)).toBe('18,446,744,073.709551615');
  expect(amountText('1', 9)).toBe('0.000000001');
  expect(amountText('-88000000000', 9)).toBe('−88');
  expect(amountText('50000', 0)).toBe('50,000');
  expect(compactAmount('49000000', 3)).toBe('49 k');
});

test('small numbers are numbers', () => {
  expect([0, 0.0005, 1e-9, 1234.5, 9999, 10_000, -0.25].map(compactNumber)).toEqual([
    '0',
    '0.0005',
    '0.000000001',
    '1,235',
    '9,999',
    '10 k',
    '−0.25',
  ]);
  expect([1e-9, 0.0015, 1234.56, 1e9].map(shortNumber)).toEqual(['0.000000001', '0.0015', '1,234.56', '1,000,000,000']);
});

test('IDs and addresses are shortened', () => {
  expect(shortId('2YTTDZDKQXuM9ZF1Ax3HVK2xsbK7GPTHjLjrd9faM2iDVjx641')).toBe('2YTTDZDK…Vjx641');
  expect(splitAddress('local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'X')).toEqual({ prefix: 'X-local1', short: '8jma8…00z96u' });
});

test('times are in UTC, and a lock far away has words', () => {
  expect(`${dateText(1_797_327_666)} ${timeText(1_797_327_666)}`).toBe('15 Dec 2026 09:41:06');
  expect(dateText(2 ** 64)).toBe('after the year 9999');
  expect(ageText(-5)).toBe('0 s');
  expect(spanText(11 * 86_400 + 23 * 3600 + 5)).toBe('11 d 23 h');
});

test('bytes are text only if all of them are harmless', () => {
  expect(hexToText('0x696e766f696365')).toBe('invoice');
  expect(hexToText('0xff00')).toBeUndefined();
  expect(hexToText(`0x${Buffer.from('a\u202eb').toString('hex')}`)).toBeUndefined();
});

test('a share is cut, and never shown as nothing or as all', () => {
  expect([
    shareText(1n, 3n),
    shareText(99_999n, 100_000n),
    shareText(1n, 100_000n),
    shareText(0n, 5n),
    shareText(5n, 5n),
    shareText(1n, 0n),
  ]).toEqual(['33.33 %', '99.99 %', '< 0.01 %', '0.00 %', '100.00 %', '–']);
});
