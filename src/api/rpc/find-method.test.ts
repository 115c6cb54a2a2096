import { expect, test } from 'bun:test';
import { sha256 } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { capitalizeMethodName } from './find-method.ts';

/**
 * SHA-256 of the lines that Go 1.26 (Unicode 15) prints for every code point that is a capital or has one: the code point, unicode.ToUpper of it,
 * and unicode.IsUpper, joined by line feeds.
 */
const goLines = '825c79b1db9299313aabdeb57f0cb5a9484038a30c7bb6036316a75296f91c67';

test('the first letter of a method name is capitalized as Go does it, for every code point', () => {
  const lines: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const isSurrogate = point >= 0xd800 && point <= 0xdfff;
    if (isSurrogate) continue;
    const capitalized = capitalizeMethodName(`avm.${String.fromCodePoint(point)}x`);
    const capital = capitalized === undefined ? point : (capitalized.codePointAt(4) as number);
    // Go leaves a capital as it is.
    if (capital !== point || capitalized === undefined)
      lines.push(`${point.toString(16)} ${capital.toString(16)} ${capitalized === undefined}`);
  }
  expect([lines.length, toHex(sha256(Buffer.from(lines.join('\n'))))]).toEqual([3281, goLines]);
});

test('one letter stays one letter', () => {
  const names = ['avm.ßx', 'avm.ᾀx', 'avm.ᾳx', 'avm.ǆx', 'avm.ǅx', 'avm.ıssueTx', 'avm.', 'avm', 'avm.ﬁx'];
  expect(names.map(capitalizeMethodName)).toEqual([
    'avm.ßx',
    'avm.ᾈx',
    'avm.ᾼx',
    'avm.Ǆx',
    'avm.Ǆx',
    'avm.IssueTx',
    'avm.',
    'avm',
    'avm.ﬁx',
  ]);
  expect(capitalizeMethodName('avm.Éx')).toBeUndefined();
});
