import { expect, test } from 'bun:test';
import { methodCode, routeCode } from './example-code.ts';
import type { Operation, RpcMethod } from './reference-types.ts';

const origin = 'http://n:1';
const codes = (list: readonly { language: string; code: string }[]) =>
  Object.fromEntries(list.map(({ language, code }) => [language, code]));

const route = (method: string, body?: string, operation: object = {}) =>
  codes(
    routeCode(
      { responses: {}, ...operation } as unknown as Operation,
      { method, url: `${origin}/v1/x`, headers: body === undefined ? {} : { 'content-type': 'application/json' }, body },
      origin,
    ),
  );

test('a GET route needs nothing but its URL', () => {
  const { curl, TypeScript, Python, Go } = route('GET');
  expect(curl).toBe(`curl -s '${origin}/v1/x'`);
  expect(TypeScript).toBe(`const response = await fetch('${origin}/v1/x');\nconsole.log(await response.json());`);
  expect(Python).toBe(
    `import json\nimport urllib.request\n\nrequest = "${origin}/v1/x"\nwith urllib.request.urlopen(request) as response:\n    print(json.load(response))`,
  );
  expect(Go).toContain(`http.NewRequest("GET", "${origin}/v1/x", nil)`);
  expect(Go).not.toContain('"strings"');
  expect(Go).not.toContain('Header.Set');
});

test('a body goes with its headers, in the notation of each language', () => {
  const { curl, TypeScript, Python, Go } = route('POST', '{"url":"http://h","on":true}');
  expect(curl).toContain(`-d '{"url":"http://h","on":true}'`);
  expect(curl).not.toContain('-X');
  expect(TypeScript).toContain(`method: 'POST'`);
  expect(TypeScript).toContain('JSON.stringify(');
  expect(Python).toContain('True');
  expect(Python).toContain('headers=');
  expect(Python).not.toContain('method=');
  expect(Go).toContain('strings.NewReader(`{"url":"http://h","on":true}`)');
  expect(Go).toContain('\t"strings"\n');
  expect(Go).toContain('request.Header.Set("content-type", "application/json")');
});

test('another method than the usual one is named', () => {
  const deleted = route('DELETE');
  expect(deleted.curl).toContain('-X DELETE');
  expect(deleted.TypeScript).toContain(`method: 'DELETE'`);
  expect(deleted.Python).toContain('method="DELETE"');
  expect(route('PATCH', '{}').Python).toContain('method="PATCH"');
  expect(route('GET').Python).not.toContain('method=');
});

test('a text with a backtick is no raw text of Go', () => {
  expect(route('POST', '{"a":"`"}').Go).toContain('strings.NewReader("{\\"a\\":\\"`\\"}")');
});

test('the code of a route is valid in TypeScript', () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  for (const code of [route('GET'), route('POST', '{"a":[1,{"b":"c"}]}'), route('DELETE')])
    expect(() => transpiler.transformSync(code.TypeScript as string)).not.toThrow();
});

const method = (name: string, params: Record<string, unknown>): RpcMethod =>
  ({
    name,
    servers: [{ url: 'http://node/ext/bc/X' }],
    paramStructure: 'by-name',
    params: [],
    examples: [{ params: Object.entries(params).map(([key, value]) => ({ name: key, value })), result: { name: 'r', value: 1 } }],
  }) as unknown as RpcMethod;

test('a method is called by the client, if that has it, and as JSON-RPC elsewhere', () => {
  const { TypeScript, curl, Python, Go } = codes(methodCode(method('avm.getTx', { txID: 'a', encoding: 'json' }), origin));
  expect(TypeScript).toStartWith("import { createClient } from 'serac/client';\n\nconst node = createClient('http://n:1');\n");
  expect(TypeScript).toMatch(/await node\.avm\.getTx\(\{\s*txID: 'a',\s*encoding: 'json',?\s*\}\)/);
  for (const code of [curl, Python, Go]) expect(code).toContain(`${origin}/ext/bc/X`);
  expect(curl).toContain('"method":"avm.getTx"');
  expect(codes(methodCode(method('avm.getHeight', {}), origin)).TypeScript).toContain('await node.avm.getHeight()');
  expect(codes(methodCode(method('other.method', { a: 1 }), origin)).TypeScript).toContain(`fetch('${origin}/ext/bc/X'`);
});

test('a stream is printed as it comes', () => {
  const stream = route('GET', undefined, { responses: { 200: { content: { 'text/event-stream': {} } } } });
  expect(stream.TypeScript).toContain('for await (const event of node.events())');
  expect(stream.Python).toContain('for line in response:');
  expect(stream.Python).not.toContain('import json');
});
