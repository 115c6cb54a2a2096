import { describe, expect, test } from 'bun:test';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PageContext } from '../load/page-context.ts';
import type { Source } from '../load/source.ts';
import { createReferenceLoader } from '../pages/load-reference.ts';
import { SchemaOutline } from '../views/schema-outline.tsx';
import { boundsText, sampleJson, typeName } from './reference-schema.ts';
import type { OpenApi, OpenRpc, Schema } from './reference-types.ts';

const hostile = '</script><script>alert("1")</script>';
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const schemas: Readonly<Record<string, Schema>> = {
  Thing: {
    type: 'object',
    properties: {
      id: { type: 'string', description: hostile },
      kind: { type: 'string', enum: ['a', 'b'] },
      next: { type: 'string' },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
    },
    required: ['id', 'kind', 'counts'],
  },
  Things: { type: 'object', properties: { things: { type: 'array', items: ref('Thing') } }, required: ['things'] },
  Tree: { type: 'object', properties: { below: { type: 'array', items: ref('Tree') } } },
};

test.each<[string, Schema]>([
  ['string', { type: 'string' }],
  ['a | b', { enum: ['a', 'b'] }],
  ['list of integer', { items: { type: 'integer' } }],
  ['map of string', { additionalProperties: { type: 'string' } }],
  ['string or null', { type: ['string', 'null'] }],
  ['string or integer', { oneOf: [{ type: 'string' }, { type: 'integer' }] }],
  ['uuid', { type: 'string', format: 'uuid' }],
  ['Thing', ref('Thing')],
  ['anything', {}],
])('%s', (word, schema) => expect(typeName(schema)).toBe(word));

test('bounds', () => {
  expect(boundsText({ type: 'integer', minimum: 1, maximum: 100 })).toBe('integer, 1 to 100');
  expect(boundsText({ type: 'integer', minimum: 1 })).toBe('integer, from 1');
});

test('a sample fits the schema, also one that contains itself', () => {
  expect(JSON.parse(sampleJson(schemas, ref('Things')))).toEqual({ things: [{ id: '...', kind: 'a', next: '...', counts: { name: 0 } }] });
  expect(JSON.parse(sampleJson(schemas, ref('Tree')))).toEqual({ below: [{}] });
});

test('an outline folds nested properties and ends at a schema that contains itself', () => {
  const outline = renderToString(h(SchemaOutline, { schemas, schema: ref('Things') }));
  expect(outline).toContain('<details><summary><code>things</code> <small>list of Thing</small></summary>');
  expect(outline).toContain('<code>next</code><i>optional</i>');
  expect(outline).not.toContain('<script>');
  expect(renderToString(h(SchemaOutline, { schemas, schema: ref('Tree') }))).toContain('below');
});

describe('the reference', () => {
  const operation = {
    operationId: 'listThings',
    tags: ['Things'],
    summary: hostile,
    parameters: [
      { name: 'network', in: 'path' as const, required: true, schema: { type: 'string', examples: ['local'] } },
      { name: 'kinds', in: 'query' as const, required: false, schema: { items: { enum: ['a', 'b'] } } },
    ],
    responses: { 200: { content: { 'application/json': { schema: ref('Things') } } }, 404: { $ref: '#/components/responses/NotFound' } },
    security: [{ serviceApiKey: [] }],
  };
  const openApi: OpenApi = {
    info: { description: 'About' },
    tags: [{ name: 'Things' }],
    paths: { '/v1/{network}/things': { get: operation } },
    components: { schemas, responses: { NotFound: { description: 'Not Found.' } } },
  };
  const openRpc: OpenRpc = {
    components: { schemas: {} },
    methods: [
      {
        name: 'avm.getThing',
        tags: [{ name: 'avm' }],
        servers: [{ url: 'http://node:9650/ext/bc/X' }],
        paramStructure: 'by-name',
        params: [{ name: 'id', schema: { type: 'string' } }],
        result: { schema: { type: 'object' } },
        examples: [{ params: [{ name: 'id', value: "it's" }], result: { name: 'result', value: '{"amount":300000000000000001}' } }],
      },
    ],
  };
  const documents = new Map<string, object>([
    ['/api-json', openApi],
    ['/openrpc-json', openRpc],
  ]);
  let reads = 0;
  const source: Source = {
    get: async (path) => {
      reads++;
      return { status: documents.has(path) ? 200 : 404, body: (documents.get(path) ?? {}) as never };
    },
    post: () => Promise.reject(),
    getText: () => Promise.reject(),
    call: () => Promise.reject(),
  };

  const context = { has: { devToken: false } } as PageContext;
  const plainText = (html: string): string => html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

  test('is loaded once; each page has the origin of its reader', async () => {
    const { loadIndex, loadEntry } = createReferenceLoader();
    const index = await loadIndex(source);
    expect(index.html).toContain('<li class="reference-line" id="avm.getThing">');
    expect(index.html).toContain('<a href="/api/things/listThings">listThings</a>');
    expect(index.html).not.toContain('<script>');
    const [first, second] = [
      await loadEntry(source, context, 'things/listThings', 'http://a:1'),
      await loadEntry(source, context, 'things/listThings', 'http://b:2'),
    ];
    expect(reads).toBe(2);
    expect(first?.secret).toBe('required key');
    expect(first?.html).toContain('http://a:1/v1/local/things');
    expect(second?.html).toContain('http://b:2/v1/local/things');
    expect(second?.html).not.toContain('http://a:1');
    expect(first?.html).not.toContain('<script>');
    expect(first?.html).toContain('<dt>404</dt><dd>Not Found.</dd>');
  });

  test('the page of a method', async () => {
    const { loadEntry } = createReferenceLoader();
    const html = plainText((await loadEntry(source, context, 'avm.getThing', 'http://a:1'))?.html ?? '');
    expect(html).toContain('"result": {"amount":300000000000000001}');
    // A quote in a parameter does not end the quoted argument of the shell, nor the text of a program.
    expect(html).toContain(`-d '{"jsonrpc":"2.0","id":1,"method":"avm.getThing","params":{"id":"it'\\''s"}}'`);
    expect(html).toContain(`await node.avm.getThing({ id: 'it\\'s' })`);
  });

  test('a name that does not exist has no page, and the nearest ones are found', async () => {
    const { loadEntry, findNearest } = createReferenceLoader();
    expect(await loadEntry(source, context, 'avm.getThings', 'http://a:1')).toBeUndefined();
    expect((await findNearest(source, 'avm.getThings'))[0]?.page).toBe('avm.getThing');
  });

  test('a port without Node RPC has only routes', async () => {
    documents.delete('/openrpc-json');
    const { html, hasRpc } = await createReferenceLoader().loadIndex(source);
    expect(hasRpc).toBe(false);
    expect(html).toContain('id="listThings"');
    expect(html).not.toContain('Node RPC');
  });
});
