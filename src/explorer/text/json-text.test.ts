import { expect, test } from 'bun:test';
import { formatJson } from './json-text.ts';

test('JSON gets line breaks and keeps its numbers', () => {
  expect(formatJson('{"a":[1,{"b":123456789012345678901}],"c":{},"d":[],"e":"x,{}"}')).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": 123456789012345678901\n    }\n  ],\n  "c": {},\n  "d": [],\n  "e": "x,{}"\n}',
  );
});

test('text that is not JSON stays as it is', () => {
  expect(formatJson('404 page not found\n')).toBe('404 page not found\n');
  const long = `[${'1,'.repeat(300_000)}1]`;
  expect(formatJson(long)).toBe(long);
});
