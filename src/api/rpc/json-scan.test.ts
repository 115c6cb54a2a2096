import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compactJson } from './compact-json.ts';
import {
  createMemberNames,
  findFirstValue,
  findMemberName,
  jsonKindAt,
  maxDepth,
  parseString,
  scanArray,
  scanObject,
  skipValue,
} from './json-scan.ts';

const latin1 = (text: string) => Buffer.from(text).toString('latin1');

const messageOf = (text: string): string => {
  try {
    skipValue(text, findFirstValue(text));
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('invalid JSON is rejected with the message of Go 1.26', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'EOF'],
    [' \n\t\r', 'EOF'],
    ['{', 'unexpected EOF'],
    ['{"a"', 'unexpected EOF'],
    ['{"a":', 'unexpected EOF'],
    ['{"a":1,', 'unexpected EOF'],
    ['[1', 'unexpected EOF'],
    ['"a', 'unexpected EOF'],
    ['"\\', 'unexpected EOF'],
    ['"\\u00', 'unexpected EOF'],
    ['tr', 'unexpected EOF'],
    ['-', 'unexpected EOF'],
    ['1.', 'unexpected EOF'],
    ['1e', 'unexpected EOF'],
    ['1e+', 'unexpected EOF'],
    ['avm', "invalid character 'a' looking for beginning of value"],
    ['+1', "invalid character '+' looking for beginning of value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[1}', "invalid character '}' after array element"],
    ['[01]', "invalid character '1' after array element"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.e', "invalid character 'e' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['fx', "invalid character 'x' in literal false (expecting 'a')"],
    ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    [`"${'a'.repeat(100)}\u0000"`, "invalid character '\\x00' in string literal"],
    [latin1('é'), "invalid character 'Ã' looking for beginning of value"],
    ['\u001f', "invalid character '\\x1f' looking for beginning of value"],
    ['\u0085', "invalid character '\\u0085' looking for beginning of value"],
  ];
  test.each(cases)('%j', (text, message) => expect(messageOf(text)).toBe(message));
});

test('nesting is limited as in Go, and deep nesting does not overflow the stack', () => {
  expect(messageOf('['.repeat(maxDepth) + ']'.repeat(maxDepth))).toBe('');
  expect(messageOf('['.repeat(maxDepth + 1) + ']'.repeat(maxDepth + 1))).toBe("invalid character '[' exceeded max depth");
  expect(messageOf('{"a":'.repeat(maxDepth + 1))).toBe("invalid character '{' exceeded max depth");
  expect(messageOf('['.repeat(5_000_000))).toBe("invalid character '[' exceeded max depth");
});

test('text after the first value is ignored', () => {
  for (const text of ['42x', 'nullx', '"a"{', '{}garbage', ' [1] ]']) expect(messageOf(text)).toBe('');
});

test('any value that JSON.stringify writes is skipped as a whole, and its kind is recognized', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = latin1(JSON.stringify(value, null, indent));
      expect(skipValue(`${text} `, 0)).toBe(text.length);
      const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
      expect(jsonKindAt(text, 0)).toBe(kind as ReturnType<typeof jsonKindAt>);
    }),
  );
});

test('positions of members and elements are correct', () => {
  const text = ' { "a" : [ 1 , {"b":2} ] ,"\\u0063":"d\\n" } tail';
  const members: [string, string][] = [];
  const end = scanObject(text, 1, (key, keyEnd, from, to) => members.push([parseString(text, key, keyEnd), text.slice(from, to)]));
  expect(members).toEqual([
    ['a', '[ 1 , {"b":2} ]'],
    ['c', '"d\\n"'],
  ]);
  expect(text.slice(end)).toBe(' tail');
  const elements: string[] = [];
  scanArray('[ 1 , {"b":2} ,3]', 0, (from, to) => elements.push('[ 1 , {"b":2} ,3]'.slice(from, to)) < 2);
  expect(elements).toEqual(['1', '{"b":2}']);
});

test('names match by Unicode folding, escapes resolved', () => {
  const names = createMemberNames(['params', 'txID']);
  const at = (key: string) => {
    const text = latin1(`"${key}"`);
    return findMemberName(names, text, 0, text.length);
  };
  expect(['params', 'PARAMS', 'paramſ', '\\u0050arams', 'txid', 'TXID'].map(at)).toEqual([0, 0, 0, 0, 1, 1]);
  expect(['param', 'paramss', '', 'tx ID', 'txİD'].map(at)).toEqual([-1, -1, -1, -1, -1]);
});

test('a string literal has the value that JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.boolean(), (value, escaped) => {
      const json = escaped
        ? JSON.stringify(value).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : JSON.stringify(value);
      const text = latin1(json);
      expect(skipValue(text, 0)).toBe(text.length);
      expect(parseString(text, 0, text.length)).toBe(value.toWellFormed());
    }),
  );
  expect(parseString('"\\ud800x"', 0, 9)).toBe('\ufffdx');
  expect(parseString('"\xff"', 0, 3)).toBe('\ufffd');
});

test('an echo is compacted and HTML-escaped, otherwise unchanged', () => {
  expect(compactJson(' 1.50')).toBe('1.50');
  expect(compactJson('{ "a b" :\n[ 1 , "\\" <" ] }')).toBe('{"a b":[1,"\\" \\u003c"]}');
  expect(compactJson(latin1('"<&>\u2028\u2029é"'))).toBe(latin1('"\\u003c\\u0026\\u003e\\u2028\\u2029é"'));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const echo = Buffer.from(compactJson(latin1(JSON.stringify(value, null, 2))), 'latin1').toString();
      expect(JSON.stringify(JSON.parse(echo))).toBe(JSON.stringify(value));
    }),
  );
});

test('cost grows linearly with the length', () => {
  const hex = `"${'ab'.repeat(4_000_000)}"`;
  const many = `[${'"\\\\",'.repeat(100_000)}""]`;
  const keys = `{${'"k":"v",'.repeat(60_000)}"k":0}`;
  for (const text of [hex, many, keys]) expect(skipValue(text, 0)).toBe(text.length);
});
