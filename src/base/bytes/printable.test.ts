import { expect, test } from 'bun:test';
import { cleanText, escapeJson } from './printable.ts';

const hostile = 'a\x1b[31mb\r\nc\u009b2Jd\u202ee\u2028f\u{e0001}g';

test('text is one line without characters that a terminal obeys', () => {
  expect(cleanText(hostile)).toBe('a?[31mb??c?2Jd?e?f?g');
  expect(cleanText('Grüße, 雪 € 🙂')).toBe('Grüße, 雪 € 🙂');
});

test('escaped JSON has the same value', () => {
  const escaped = escapeJson(JSON.stringify({ hostile }));
  expect(JSON.parse(escaped)).toEqual({ hostile });
  expect(escaped).toMatch(/^[\x20-\x7e]+$/);
});
