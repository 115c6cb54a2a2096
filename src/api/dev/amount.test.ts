import { expect, test } from 'bun:test';
import { formatAmount, parseAmount } from './amount.ts';
import { parseBytesText, parseTime } from './params.ts';

const avax = { symbol: 'AVAX', denomination: 9 };

test('amounts in the smallest unit and in display units', () => {
  const cases: [string, bigint][] = [
    ['1', 1n],
    ['007', 7n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['1 AVAX', 1_000_000_000n],
    ['1.5 AVAX', 1_500_000_000n],
    ['0.000000001  AVAX', 1n],
    ['5 avax', 5_000_000_000n],
    ['5Avax', 5_000_000_000n],
    ['5 nAVAX', 5n],
    ['5nAvax', 5n],
    ['5 navax', 5n],
  ];
  for (const [text, amount] of cases) expect([text, parseAmount(text, avax)]).toEqual([text, amount]);
  expect(parseAmount('3 PTS', { symbol: 'PTS', denomination: 0 })).toBe(3n);
  // Billionths are the smallest unit only of an asset with nine decimals, and a symbol may begin with N.
  expect(() => parseAmount('3 nGLD', { symbol: 'GLD', denomination: 2 })).toThrow('is in nGLD, but the asset is GLD');
  expect(parseAmount('3 ngld', { symbol: 'NGLD', denomination: 9 })).toBe(3_000_000_000n);
});

test('other texts are refused, with the reason', () => {
  const cases: [string, string][] = [
    ['', 'amount is missing; give one such as "1.5 AVAX"'],
    ['1.5', 'such as "1.5 AVAX"'],
    ['1e9', 'neither a whole number'],
    ['-1', 'neither a whole number'],
    ['1.5.5AVAX', 'neither a whole number'],
    ['1gld', 'is in gld, but the asset is AVAX'],
    ['1.5 nAVAX', 'has decimals, but nAVAX is the smallest unit'],
    ['0 nAVAX', 'must be more than 0'],
    ['0', 'must be more than 0'],
    ['0.0 AVAX', 'must be more than 0'],
    ['18446744073709551616', 'the largest amount'],
    ['18446744074 AVAX', 'the largest amount'],
    ['0.0000000001 AVAX', 'more than 9 decimals'],
    ['1 mAVAX', 'is in mAVAX, but the asset is AVAX'],
    ['9'.repeat(5000), 'neither a whole number'],
  ];
  for (const [text, reason] of cases) expect(() => parseAmount(text, avax)).toThrow(reason);
});

test('the symbol may follow the number at once', () => {
  expect(parseAmount('5AVAX', avax)).toBe(5_000_000_000n);
  expect(parseAmount('0.5AVAX', avax)).toBe(500_000_000n);
});

test('amounts are formatted exactly, and parsed back', () => {
  for (const amount of [1n, 999_999_999n, 1_000_000_000n, 10_000_001_000_000n, 2n ** 64n - 1n])
    expect(parseAmount(formatAmount(amount, avax), avax)).toBe(amount);
  expect(formatAmount(0n, avax)).toBe('0 AVAX');
  expect(formatAmount(5n, { symbol: 'PTS', denomination: 0 })).toBe('5 PTS');
});

test('memos and payloads are text, or hex after 0x', () => {
  expect([...parseBytesText('é', 'memo')]).toEqual([0xc3, 0xa9]);
  expect([...parseBytesText('0x00ff', 'memo')]).toEqual([0, 255]);
  for (const text of ['0xzz', '0x0']) expect(() => parseBytesText(text, 'memo')).toThrow('memo starts with 0x but is not hex');
});

test('times are Unix seconds or RFC 3339', () => {
  expect(parseTime('1800000000')).toBe(1_800_000_000n);
  expect(parseTime('2027-01-15T08:00:00Z')).toBe(1_800_000_000n);
  expect(parseTime('2027-01-15T09:00:00.5+01:00')).toBe(1_800_000_000n);
  for (const text of ['', 'tomorrow', '2027-01-15', '2027-13-01T00:00:00Z', '-1']) expect(() => parseTime(text)).toThrow('RFC 3339');
});
