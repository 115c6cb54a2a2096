import { describe, expect, test } from 'bun:test';
import { addresses, bodyAddresses } from './addresses.ts';
import { healthRoutes } from './health.ts';
import { type DocumentOptions, openApi } from './openapi.ts';
import { choices, pageSize, pageToken, pathText } from './params.ts';
import { type Route, route } from './route.ts';
import { list, map, object, optional, text } from './schema.ts';

const options: DocumentOptions = { title: 'T', version: '1.2.3', description: 'D', requireKey: false, examples: { network: 'local' } };

const Owner = object('Owner', { name: text() });
const Thing = object('Thing', { id: text('An id'), owner: { ...Owner, description: 'Who has it' }, others: optional(list(Owner)) });

const get = route<object>()({
  method: 'GET',
  path: '/v1/{network}/things',
  id: 'listThings',
  tag: 'Things',
  summary: 'All things',
  description: 'Really all.',
  params: {
    network: pathText(),
    addresses: addresses({ required: true }),
    kinds: choices(['a', 'b']),
    pageSize: pageSize(10, 100),
    pageToken,
  },
  response: object('Things', { things: list(Thing), byName: map(Thing) }),
  keep: 'pin',
  run: async () => ({}),
});
const post = route<object>()({
  ...(get as object),
  method: 'POST',
  path: '/v1/{network}/things',
  id: 'postThings',
  tag: 'Things',
  summary: 'Of many',
  params: { network: pathText(), addresses: bodyAddresses() },
  response: Thing,
  keep: 'never',
  run: async () => ({}),
});
const rows = [get, post] as unknown as Route<unknown>[];
const health = [...healthRoutes('v1')] as Route<unknown>[];
const routes = [...rows.map((row) => ({ api: 'data', row }) as const), ...health.map((row) => ({ api: 'metrics', row }) as const)];
const made = openApi(routes, options);
const { get: getThings, post: postThings } = made.paths['/v1/{network}/things'] ?? {};

describe('the document', () => {
  test('has each row where it belongs', () => {
    expect(made.info).toEqual({ title: 'T', version: '1.2.3', description: 'D' });
    expect(Object.keys(made.paths)).toEqual(['/v1/{network}/things', '/v1/health-check', '/v1/live-check']);
    expect(made.tags).toEqual([{ name: 'Data: Things' }, { name: 'Metrics: Health' }]);
    expect(getThings).toMatchObject({
      operationId: 'listThings',
      tags: ['Data: Things'],
      summary: 'All things',
      description: 'Really all.',
    });
  });

  test('tells what parameters take', () => {
    expect(getThings?.parameters).toMatchObject([
      { name: 'network', in: 'path', required: true, schema: { type: 'string', examples: ['local'] } },
      { name: 'addresses', in: 'query', required: true },
      {
        name: 'kinds',
        in: 'query',
        required: false,
        explode: true,
        schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
      { name: 'pageSize', schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } },
      { name: 'pageToken', schema: { type: 'string', format: 'uuid' } },
    ]);
    expect(postThings?.parameters.map(({ name }) => name)).toEqual(['network']);
    expect(postThings?.requestBody?.content['application/json'].schema).toMatchObject({
      type: 'object',
      required: ['addresses'],
      properties: { addresses: { type: 'string' } },
    });
  });

  test('lists a titled schema once and refers to it', () => {
    const thing = { $ref: '#/components/schemas/Thing' };
    expect(made.components.schemas.Things).toEqual({
      type: 'object',
      required: ['things', 'byName'],
      properties: { things: { type: 'array', items: thing }, byName: { type: 'object', additionalProperties: thing } },
    });
    expect(made.components.schemas.Thing).toEqual({
      type: 'object',
      required: ['id', 'owner'],
      properties: {
        id: { type: 'string', description: 'An id' },
        owner: { $ref: '#/components/schemas/Owner', description: 'Who has it' },
        others: { type: 'array', items: { $ref: '#/components/schemas/Owner' } },
      },
    });
  });

  test('two schemas of one title are refused', () => {
    const clash = { ...get, path: '/v1/other', response: object('Thing', { other: text() }) } as unknown as Route<unknown>;
    expect(() => openApi([...routes, { api: 'data', row: clash }], options)).toThrow('two schemas are called Thing');
  });

  test('every reference leads somewhere', () => {
    const refs = [...JSON.stringify(made).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => (path as string).split('/'));
    expect(refs.length).toBeGreaterThan(20);
    for (const path of refs) {
      let at: unknown = made;
      for (const part of path) at = (at as Record<string, unknown>)[part];
      expect(at).toBeDefined();
    }
    expect(JSON.stringify(made)).not.toContain('"title":"Thing');
  });

  test('tells errors, limits and keys', () => {
    expect(Object.keys(getThings?.responses ?? {})).toEqual(['200', '400', '401', '403', '404', '429', '500', '502', '503']);
    expect(Object.keys(made.components.responses.TooManyRequests?.headers ?? {})).toEqual([
      'ratelimit-policy',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'retry-after',
    ]);
    expect(getThings?.security).toEqual([{}, { serviceApiKey: [] }, { glacierApiKey: [] }]);
    expect(openApi(routes, { ...options, requireKey: true }).paths['/v1/{network}/things']?.get?.security).toHaveLength(2);
    expect(getThings?.responses[404]).toEqual({ $ref: '#/components/responses/NotFound' });
    const check = made.paths['/v1/health-check']?.get;
    expect(check?.security).toEqual([]);
    expect(Object.keys(check?.responses ?? {})).toEqual(['200', '500', '503']);
    expect(check?.responses[503]).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/HealthCheckFailure' } } },
    });
  });
});
