import { expect, test } from 'bun:test';
import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { PayloadView } from './payload-view.tsx';

const show = (text: string): string =>
  render(h(PayloadView, { payload: `0x${Buffer.from(text).toString('hex')}`, utxoId: 'u', title: 't' }));

test('a URL is a text with a link that names its host, and nothing is loaded', () => {
  const html = show('https://example.org/c/0042.png');
  expect(html).toContain('>https://example.org/c/0042.png</p>');
  expect(html).toContain('<a href="https://example.org/c/0042.png" target="_blank" rel="noopener noreferrer">Open example.org</a>');
  expect(html).not.toContain('<img');
  for (const text of ['ipfs://bafy/1.json', 'javascript://x', 'https://bank.example@evil.example/', 'file:///etc/passwd'])
    expect([text, show(text).includes('<a ')]).toEqual([text, false]);
});

test('JSON has line breaks and keeps its numbers; long JSON is folded', () => {
  expect(show('{"id":12345678901234567890,"x":"<b>"}')).toBe(
    '<pre class="payload-text">{\n  &quot;id&quot;: 12345678901234567890,\n  &quot;x&quot;: &quot;&lt;b>&quot;\n}</pre>',
  );
  const long = show(JSON.stringify(Array.from({ length: 99 }, (_, i) => `item ${i}`)));
  expect(long).toStartWith('<details class="payload-text"><summary>JSON, 101 lines</summary><pre>');
  expect(long).toContain('item 98');
});
