import { expect, test } from 'bun:test';
import { formatUnits } from './units.ts';

const rows: readonly (readonly [amount: bigint, denomination: number, text: string])[] = [
  [0n, 0, '0'],
  [0n, 9, '0'],
  [999n, 0, '999'],
  [1000n, 0, '1,000'],
  [1n, 9, '0.000000001'],
  [10n, 9, '0.00000001'],
  [1_500_000_000n, 9, '1.5'],
  [300_000_000_000_000_000n, 9, '300,000,000'],
  [18_446_744_073_709_551_615n, 0, '18,446,744,073,709,551,615'],
  [18_446_744_073_709_551_615n, 32, '0.00000000000018446744073709551615'],
  [1_234_567_001n, 3, '1,234,567.001'],
];

test('an amount is exact, with separators before the point and without zeros at the end', () => {
  for (const [amount, denomination, text] of rows) expect(formatUnits(amount, denomination)).toBe(text);
});
