import { findServicePath } from '../../api/client/namespaces.ts';
import { pythonLiteral, scriptLiteral } from '../text/code-literal.ts';
import { curlText, type ExampleRequest } from '../text/curl-text.ts';
import { avalanchejsCode } from './avalanchejs-calls.ts';
import { exampleParams, isStream, methodRequest } from './example-request.ts';
import type { Operation, RpcMethod } from './reference-types.ts';

/** The same request in one language. */
export type ExampleCode = { readonly language: string; readonly code: string };

/** The example of a method in every language that can call it. */
export function methodCode(method: RpcMethod, origin: string): ExampleCode[] {
  const request = methodRequest(method, origin);
  const params = exampleParams(method) ?? {};
  const avalanchejs = avalanchejsCode(method.name, params as Readonly<Record<string, unknown>>, origin);
  return [
    { language: 'curl', code: curlText(request) },
    {
      language: 'TypeScript',
      code: findServicePath(method.name) === undefined ? fetchCode(request) : clientCode(method.name, params, origin),
    },
    ...(avalanchejs === undefined ? [] : [{ language: 'avalanchejs', code: avalanchejs }]),
    { language: 'Python', code: pythonCode(request, 'print(json.load(response))') },
    { language: 'Go', code: goCode(request) },
  ];
}

/** The example of a route in every language. A stream is printed as it comes. */
export function routeCode(operation: Operation, request: ExampleRequest, origin: string): ExampleCode[] {
  const hasStream = isStream(operation);
  return [
    { language: 'curl', code: curlText(request) },
    { language: 'TypeScript', code: hasStream ? eventsCode(origin) : fetchCode(request) },
    {
      language: 'Python',
      code: pythonCode(request, hasStream ? 'for line in response:\n        print(line.decode(), end="")' : 'print(json.load(response))'),
    },
    { language: 'Go', code: goCode(request) },
  ];
}

const clientStart = (origin: string): string => `import { createClient } from 'serac/client';

const node = createClient('${origin}');
`;

function clientCode(method: string, params: object, origin: string): string {
  const args = Object.keys(params).length === 0 ? '' : scriptLiteral(params);
  return `${clientStart(origin)}console.log(await node.${method}(${args}));`;
}

const eventsCode = (origin: string): string => `${clientStart(origin)}for await (const event of node.events()) console.log(event);`;

function fetchCode({ method, url, headers, body }: ExampleRequest): string {
  const fields = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    ...(body === undefined
      ? []
      : [
          `  headers: ${scriptLiteral(headers)},\n`,
          `  body: JSON.stringify(${scriptLiteral(JSON.parse(body)).replaceAll('\n', '\n  ')}),\n`,
        ]),
  ];
  const options = fields.length === 0 ? '' : `, {\n${fields.join('')}}`;
  return `const response = await fetch('${url}'${options});
console.log(await response.json());`;
}

function pythonCode({ method, url, headers, body }: ExampleRequest, print: string): string {
  const imports = print.includes('json.') || body !== undefined ? 'import json\nimport urllib.request' : 'import urllib.request';
  const fields = [
    ...(body === undefined
      ? []
      : [`    data=json.dumps(${pythonLiteral(JSON.parse(body), '    ')}).encode(),\n`, `    headers=${pythonLiteral(headers)},\n`]),
    ...(method === (body === undefined ? 'GET' : 'POST') ? [] : [`    method="${method}",\n`]),
  ];
  const request = fields.length === 0 ? `"${url}"` : `urllib.request.Request(\n    "${url}",\n${fields.join('')})`;
  return `${imports}

request = ${request}
with urllib.request.urlopen(request) as response:
    ${print}`;
}

function goCode({ method, url, headers, body }: ExampleRequest): string {
  const imports = ['io', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  const reader = body === undefined ? 'nil' : `strings.NewReader(${goText(body)})`;
  const lines = Object.entries(headers).map(([name, value]) => `\trequest.Header.Set(${goText(name)}, ${goText(value)})\n`);
  return `package main

import (
${imports.map((name) => `\t"${name}"\n`).join('')})

func main() {
	request, err := http.NewRequest("${method}", "${url}", ${reader})
	if err != nil {
		panic(err)
	}
${lines.join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}`;
}

/** A text of Go: raw if it has quotes and no backtick. */
const goText = (text: string): string => (text.includes('"') && !text.includes('`') ? `\`${text}\`` : JSON.stringify(text));
