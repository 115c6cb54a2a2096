import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Json, quoteBigints, rawJson, writeJson } from './write-json.ts';

test('equals the output of Go, byte for byte', () => {
  const cases: readonly (readonly [Json, string])[] = [
    [18446744073709551615n, '18446744073709551615'],
    [-1.5, '-1.5'],
    [Number.NaN, 'null'],
    [true, 'true'],
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
    [{ a: undefined, b: [1, 'x', { c: null }], 'd"': rawJson('{"e":1}') }, '{"b":[1,"x",{"c":null}],"d\\"":{"e":1}}'],
    [{ a: undefined }, '{}'],
    ['<b>&"\\/', '"\\u003cb\\u003e\\u0026\\"\\\\/"'],
    ['\u0000\u0001\b\f\n\r\t\u001f\u007f', '"\\u0000\\u0001\\b\\f\\n\\r\\t\\u001f\u007f"'],
    ['\u2028\u2029é\u{1f600}', '"\\u2028\\u2029é\u{1f600}"'],
    ['\ud800x\udc00\u{1f600}', '"\\ufffdx\\ufffd\u{1f600}"'],
    ['\\ud800', '"\\\\ud800"'],
  ];
  for (const [value, text] of cases) expect(writeJson(value)).toBe(text);
});

test('JSON.parse reads back the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => expect(JSON.stringify(JSON.parse(writeJson(value as Json)))).toBe(JSON.stringify(value))),
  );
});

test('quoteBigints quotes integers at any depth', () => {
  expect(writeJson(quoteBigints({ code: 'X', want: 5n, list: [1n, { deep: 2n }], plain: 3, none: undefined }))).toBe(
    '{"code":"X","want":"5","list":["1",{"deep":"2"}],"plain":3}',
  );
});
