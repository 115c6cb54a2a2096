import { expect, test } from 'bun:test';
import { memoParts, payloadKind } from './payload-kind.ts';

const hex = (text: string): string => `0x${Buffer.from(text, 'latin1').toString('hex')}`;
const kinds: [string, string][] = [
  ['\x89PNG\r\n\x1a\n rest', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a.', 'image/gif'],
  ['GIF88a.', 'text'],
  ['RIFF\x00\x00\x00\x00WEBPVP8 ', 'image/webp'],
  ['RIFF\x00\x00\x00\x00WAVE', 'bytes'],
  ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'text'],
  ['data:image/png;base64,AAAA', 'text'],
  ['https://example.org/c/0042.png', 'url'],
  ['javascript:alert(1)', 'text'],
  ['{"name":"Blue Ice"}', 'json'],
  ['{name}', 'text'],
  ['\x00\x01', 'bytes'],
  ['', 'empty'],
];

test.each(kinds)('%j is %s', (text, expected) => {
  const found = payloadKind(hex(text));
  const shown: string = found.kind === 'image' ? found.type : found.kind;
  expect(shown).toBe(expected);
});

test('a memo is text, JSON with line breaks, or bytes; a mark that changes its direction is made visible', () => {
  const memoOf = (text: string) => memoParts(`0x${Buffer.from(text).toString('hex')}`);
  expect(memoOf('lunch, 午餐')).toEqual({ kind: 'text', parts: ['lunch, 午餐'] });
  expect(memoOf('pay \u202e321\u202c now')).toEqual({ kind: 'text', parts: ['pay ', 'U+202E', '321', 'U+202C', ' now'] });
  // Numbers keep all of their digits.
  expect(memoOf('{"a":12345678901234567890,"b":["\u200fx"]}')).toEqual({
    kind: 'JSON',
    parts: ['{\n  "a": 12345678901234567890,\n  "b": [\n    "', 'U+200F', 'x"\n  ]\n}'],
  });
  expect(memoOf('{not JSON')).toEqual({ kind: 'text', parts: ['{not JSON'] });
  expect(memoParts('0xff00')).toBeUndefined();
  expect(memoParts('0x0001')).toBeUndefined();
});
