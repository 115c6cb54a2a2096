import { expect, test } from 'bun:test';
import { payloadKind } from './payload-kind.ts';

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
