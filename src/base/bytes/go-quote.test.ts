import { expect, test } from 'bun:test';
import { goQuote } from './go-quote.ts';

test('equals %q of Go 1.26', () => {
  expect(goQuote('avm.<b>&é"')).toBe('"avm.<b>&é\\""');
  expect(goQuote('\u0000\u0007\b\t\n\v\f\r\u001f\\\u007f')).toBe('"\\x00\\a\\b\\t\\n\\v\\f\\r\\x1f\\\\\\x7f"');
  expect(goQuote('\u0085\u00ad\u200b\ue000\u{e0001}')).toBe('"\\u0085\\u00ad\\u200b\\ue000\\U000e0001"');
  expect(goQuote('\u3000 \u{1f600}\ufffd')).toBe('"\\u3000 \u{1f600}\ufffd"');
});
