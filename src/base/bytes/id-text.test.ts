import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { cb58Encode } from './cb58.ts';
import { fromHex, toHex } from './hex.ts';
import { createIdEncoder } from './id-text.ts';

test('the id encoder gives the same text as the general CB58 encoder', () => {
  const encode = createIdEncoder();
  const same = (bytes: Uint8Array) => expect(encode(toHex(bytes))).toBe(cb58Encode(bytes));
  for (const hex of [
    '00'.repeat(32),
    'ff'.repeat(32),
    `${'00'.repeat(31)}01`,
    `01${'00'.repeat(31)}`,
    `${'00'.repeat(7)}${'ab'.repeat(25)}`,
  ])
    same(fromHex(hex));
  fc.assert(fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), same), { numRuns: 20_000 });
});
