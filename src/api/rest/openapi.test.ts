import { describe, expect, test } from 'bun:test';
import { route } from '../contract/route.ts';
import { bodyAddresses, choices, maxQueryAddresses, pageSize, pageToken } from '../contract/route-params.ts';
import { addresses, list, map, object, optional, text } from '../contract/schema.ts';
import { apiHealthRoutes } from './health.ts';
import { buildOpenApi, type DocumentOptions } from './openapi.ts';
import type { ApiRoute } from './route.ts';

const options: DocumentOptions = {
  title: 'T',
  version: '1.2.3',
  description: 'D',
  requireKey: false,
  origin: 'http://node:9650',
  examples: { network: 'local' },
};

const Owner = object('Owner', { name: text() });
const Thing = object('Thing', { id: text('An id'), owner: { ...Owner, description: 'Who has it' }, others: optional(list(Owner)) });

const get = {
  ...route({
    method: 'GET',
    path: '/v1/{network}/things',
    tag: 'Things',
    summary: 'All things',
    description: 'Really all.',
    params: {
      network: text(),
      addresses: addresses(maxQueryAddresses),
      kinds: choices(['a', 'b']),
      pageSize: pageSize(10, 100),
      pageToken,
    },
    response: object('Things', { things: list(Thing), byName: map(Thing) }),
    cachePolicy: 'pinned-page',
  }),
  id: 'listThings',
};
const post = {
  ...route({
    method: 'POST',
    path: '/v1/{network}/things',
    tag: 'Things',
    summary: 'Of many',
    params: { network: text(), addresses: bodyAddresses },
    response: Thing,
    cachePolicy: 'never',
  }),
  id: 'postThings',
};
const dataRoutes = [get, post] as unknown as ApiRoute<unknown>[];
const [health, metricsHealth] = [[...apiHealthRoutes('v1')], [...apiHealthRoutes('v2')]] as ApiRoute<unknown>[][];
const routes = [
  ...dataRoutes.map((route) => ({ api: 'data', route }) as const),
  ...(health ?? []).map((route) => ({ api: 'data', route }) as const),
  ...(metricsHealth ?? []).map((route) => ({ api: 'metrics', route }) as const),
];
const document = buildOpenApi(routes, options);
const { get: getThings, post: postThings } = document.paths['/v1/{network}/things'] ?? {};

describe('buildOpenApi', () => {
  test('describes each route under its path and tag', () => {
    expect(document.info).toMatchObject({ title: 'T', version: '1.2.3', description: 'D', license: { identifier: 'BSD-3-Clause' } });
    expect(Object.keys(document.paths)).toEqual([
      '/v1/{network}/things',
      '/v1/health-check',
      '/v1/live-check',
      '/v2/health-check',
      '/v2/live-check',
    ]);
    expect(document.tags).toEqual([
      { name: 'Data: Things' },
      { name: 'Data: Health', description: expect.any(String) },
      { name: 'Metrics: Health', description: expect.any(String) },
    ]);
    expect(getThings).toMatchObject({
      operationId: 'listThings',
      tags: ['Data: Things'],
      summary: 'All things',
      description: 'Really all.',
    });
  });

  test('describes the parameters', () => {
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
    expect(postThings?.requestBody?.content['application/json']?.schema).toMatchObject({
      type: 'object',
      required: ['addresses'],
      properties: { addresses: { type: 'string' } },
    });
  });

  test('lists a titled schema once and refers to it', () => {
    const thing = { $ref: '#/components/schemas/Thing' };
    expect(document.components.schemas.Things).toEqual({
      type: 'object',
      required: ['things', 'byName'],
      properties: { things: { type: 'array', items: thing }, byName: { type: 'object', additionalProperties: thing } },
    });
    expect(document.components.schemas.Thing).toEqual({
      type: 'object',
      required: ['id', 'owner'],
      properties: {
        id: { type: 'string', description: 'An id' },
        owner: { $ref: '#/components/schemas/Owner', description: 'Who has it' },
        others: { type: 'array', items: { $ref: '#/components/schemas/Owner' } },
      },
    });
  });

  test('two different schemas with the same title are rejected', () => {
    const clash = { ...get, path: '/v1/other', response: object('Thing', { other: text() }) } as unknown as ApiRoute<unknown>;
    expect(() => buildOpenApi([...routes, { api: 'data', route: clash }], options)).toThrow('two different schemas have the title Thing');
  });

  test('every reference has a target', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => (path as string).split('/'));
    expect(refs.length).toBeGreaterThan(20);
    for (const path of refs) {
      let at: unknown = document;
      for (const part of path) at = (at as Record<string, unknown>)[part];
      expect(at).toBeDefined();
    }
    expect(JSON.stringify(document)).not.toContain('"title":"Thing');
  });

  test('describes errors, rate limit headers and keys', () => {
    expect(Object.keys(getThings?.responses ?? {})).toEqual(['200', '400', '401', '403', '404', '429', '500', '502', '503']);
    expect(Object.keys(document.components.responses.TooManyRequests?.headers ?? {})).toEqual([
      'ratelimit-policy',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'retry-after',
    ]);
    expect(getThings?.security).toEqual([{}, { serviceApiKey: [] }, { glacierApiKey: [] }]);
    expect(buildOpenApi(routes, { ...options, requireKey: true }).paths['/v1/{network}/things']?.get?.security).toHaveLength(2);
    expect(getThings?.responses[404]).toEqual({ $ref: '#/components/responses/NotFound' });
    expect(JSON.stringify(document.paths)).not.toContain('-height');
    const check = document.paths['/v1/health-check']?.get;
    const optionalKey: readonly Record<string, readonly string[]>[] = [{}, { serviceApiKey: [] }, { glacierApiKey: [] }];
    expect(check?.security).toEqual(optionalKey);
    expect(buildOpenApi(routes, { ...options, requireKey: true }).paths['/v1/health-check']?.get?.security).toEqual(optionalKey);
    expect(Object.keys(check?.responses ?? {})).toEqual(['200', '400', '401', '403', '404', '429', '500', '502', '503']);
    const metricsCheck = document.paths['/v2/health-check']?.get;
    expect([metricsCheck?.security, Object.keys(metricsCheck?.responses ?? {})]).toEqual([
      [],
      ['200', '400', '404', '429', '500', '502', '503'],
    ]);
    expect(check?.responses[503]).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/HealthCheckFailure' } } },
    });
  });

  test('describes the headers of heights where answers have them', () => {
    const { paths, components } = buildOpenApi(
      routes.map((one) => ({ ...one, hasHeight: true })),
      options,
    );
    const listed = paths['/v1/{network}/things']?.get;
    expect(listed?.parameters.at(-1)).toMatchObject({ name: 'x-serac-min-height', in: 'header', required: false });
    const ok = listed?.responses[200] as { headers: object };
    expect(Object.keys(ok.headers)).toEqual([
      'ratelimit-policy',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'retry-after',
      'x-serac-height',
    ]);
    expect(components.headers).toHaveProperty(['x-serac-height']);
  });

  test('describes the header of the age of the data where answers have it', () => {
    const { paths, components } = buildOpenApi(
      routes.map((one) => ({ ...one, hasAge: true })),
      options,
    );
    const ok = paths['/v1/{network}/things']?.get?.responses[200] as { headers: object };
    expect(Object.keys(ok.headers).at(-1)).toBe('x-serac-data-age');
    expect(components.headers).toHaveProperty(['x-serac-data-age']);
    expect(buildOpenApi(routes, options).components.headers).not.toHaveProperty(['x-serac-data-age']);
  });
});
