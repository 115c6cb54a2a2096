import { expect, test } from 'bun:test';
import { formatUuid } from './uuid.ts';

// The example of RFC 9562, A.3, with its random bits.
test('version 4 of the example in RFC 9562', () => {
  expect(formatUuid('919108f752d163205bacf847db4148a8', 4)).toBe('919108f7-52d1-4320-9bac-f847db4148a8');
});

test('only the digit of the version and two bits of the variant are replaced', () => {
  expect(formatUuid('0'.repeat(32), 8)).toBe('00000000-0000-8000-8000-000000000000');
  expect(formatUuid('f'.repeat(32), 4)).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  expect(formatUuid(formatUuid('f'.repeat(40), 4).replaceAll('-', ''), 4)).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
});
