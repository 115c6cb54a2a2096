import { type ExampleRequest, markMissing } from '../text/curl-text.ts';
import { exampleText, sampleJson } from './reference-schema.ts';
import type { OpenApi, Operation, Parameter, RpcMethod } from './reference-types.ts';

const json = { 'content-type': 'application/json' };

/** The parameters of a method's example: an object, or an array for a method whose parameters have positions. */
export function exampleParams({ paramStructure, examples }: RpcMethod): object | undefined {
  const given = examples[0]?.params;
  return paramStructure === 'by-name'
    ? Object.fromEntries((given ?? []).map(({ name, value }) => [name, value]))
    : given?.map(({ value }) => value);
}

/** The call of a method's example. */
export const methodRequest = (method: RpcMethod, origin: string): ExampleRequest => ({
  method: 'POST',
  url: origin + servicePath(method),
  headers: json,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: method.name, params: exampleParams(method) }),
});

/** The path that serves a method. */
export const servicePath = ({ servers }: RpcMethod): string => new URL(servers[0]?.url ?? 'http://node/').pathname;

/** The request of a route with the examples of its required parameters. */
export function routeRequest(
  { method, path, operation }: { readonly method: string; readonly path: string; readonly operation: Operation },
  { components: { schemas } }: OpenApi,
  origin: string,
): ExampleRequest {
  const body = bodySchema(operation);
  return {
    method,
    url: origin + exampleUrl(path, operation.parameters, schemas),
    headers: body === undefined ? {} : json,
    body: body && sampleJson(schemas, body),
  };
}

/** The schema of a route's body; undefined if the route takes none. */
export const bodySchema = ({ requestBody }: Operation) => requestBody?.content['application/json']?.schema;

/** The media type of a route whose answer never ends. */
const streamType = 'text/event-stream';

export const isStream = ({ responses }: Operation): boolean => responses['200']?.content?.[streamType] !== undefined;

function exampleUrl(path: string, parameters: readonly Parameter[], schemas: OpenApi['components']['schemas']): string {
  const query = new URLSearchParams();
  let url = path;
  for (const { name, in: place, required, schema } of parameters) {
    if (!required) continue;
    const example = exampleText(schemas, schema) || markMissing(`{${name}}`);
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(example));
    else query.append(name, example);
  }
  const text = query.toString();
  return text === '' ? url : `${url}?${text}`;
}
