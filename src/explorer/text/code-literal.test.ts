import { expect, test } from 'bun:test';
import { pythonLiteral, scriptLiteral } from './code-literal.ts';
import { curlText, markMissing } from './curl-text.ts';

test.each<[unknown, script: string, python: string]>([
  ['a', "'a'", '"a"'],
  ['it\'s "so"\n', `'it\\'s "so"\\n'`, '"it\'s \\"so\\"\\n"'],
  [5, '5', '5'],
  [true, 'true', 'True'],
  [false, 'false', 'False'],
  [null, 'null', 'None'],
  [undefined, 'null', 'None'],
  [[], '[]', '[]'],
  [{}, '{}', '{}'],
  [[1, 'a'], "[1, 'a']", '[1, "a"]'],
  [{ a: 1, 'b-c': [2] }, "{ a: 1, 'b-c': [2] }", '{"a": 1, "b-c": [2]}'],
])('the literal of %j', (value, script, python) => {
  expect([scriptLiteral(value), pythonLiteral(value)]).toEqual([script, python]);
});

test('what is longer than a line is broken and indented', () => {
  const fits = { a: 'x'.repeat(79) };
  expect(scriptLiteral(fits)).toHaveLength(88);
  const long = { a: 'x'.repeat(80), list: [1, 2] };
  expect(scriptLiteral(long)).toBe(`{\n  a: '${long.a}',\n  list: [1, 2],\n}`);
  expect(pythonLiteral([long], '  ')).toBe(`[\n      {\n          "a": "${long.a}",\n          "list": [1, 2],\n      },\n  ]`);
});

test('a command for curl names what curl does not do by itself, and quotes for the shell', () => {
  const request = { url: 'http://a/b', headers: {}, body: undefined };
  expect(curlText({ ...request, method: 'GET' })).toBe("curl -s 'http://a/b'");
  expect(curlText({ ...request, method: 'DELETE' })).toBe("curl -s 'http://a/b' \\\n  -X DELETE");
  expect(curlText({ ...request, method: 'POST' })).toContain('-X POST');
  const body = "it's";
  expect(curlText({ ...request, method: 'POST', headers: { accept: 'x' }, body })).toBe(
    "curl -s 'http://a/b' \\\n  -H 'accept: x' \\\n  -d 'it'\\''s'",
  );
  expect(curlText({ ...request, method: 'PUT', body })).toContain(" \\\n  -X PUT \\\n  -d 'it'");
});

test('parameters without a value are marked', () => {
  expect(markMissing('/v1/{nodeId}/x/{id}?a={someLongName}')).toBe('/v1/NODE_ID/x/ID?a=SOME_LONG_NAME');
});
