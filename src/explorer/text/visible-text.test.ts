import { expect, test } from 'bun:test';
import { visibleParts } from './visible-text.ts';

test('what can be seen stays one part, line breaks and tabs too', () => {
  expect(visibleParts('Grüße, 世界 🎉\n\tline')).toEqual(['Grüße, 世界 🎉\n\tline']);
  expect(visibleParts('')).toEqual(['']);
});

test('every other part is the code of a character that cannot be seen or changes the direction', () => {
  expect(visibleParts('a\u202eb')).toEqual(['a', 'U+202E', 'b']);
  expect(visibleParts('\u0000x\u200b\u200dy\u2028')).toEqual(['', 'U+0000', 'x', 'U+200B', '', 'U+200D', 'y', 'U+2028', '']);
  expect(visibleParts('\r')).toEqual(['', 'U+000D', '']);
  expect(visibleParts('\u{e0041}')).toEqual(['', 'U+E0041', '']);
});
