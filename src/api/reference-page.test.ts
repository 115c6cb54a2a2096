import { describe, expect, test } from 'bun:test';
import { hash } from 'node:crypto';
import { bodyAddresses } from './addresses.ts';
import { html } from './html.ts';
import { buildOpenApi } from './openapi.ts';
import { bool, choices, pageSize, pageToken, pathText, sortOrder } from './params.ts';
import { referenceHandlers, referencePage } from './reference-page.ts';
import { createSchemaWriter } from './reference-schema.ts';
import { referenceScript } from './reference-script.ts';
import { referenceStyle } from './reference-style.ts';
import { createTestRequest } from './requests.fixture.ts';
import { type ApiRoute, routeDefiner } from './route.ts';
import { integer, list, map, object, oneOf, optional, type Schema, text } from './schema.ts';

const scriptText = '</script><script>alert("1")</script>';
const common = { tag: 'Things', cachePolicy: 'never', run: async () => ({}) } as const;
const Thing = object('Thing', { id: text(scriptText), kind: oneOf(['a', 'b']), next: optional(text()), counts: map(integer()) });
const routes = [
  routeDefiner<object>()({
    ...common,
    method: 'GET',
    path: '/v1/{network}/things',
    id: 'listThings',
    summary: scriptText,
    params: {
      network: pathText(),
      kinds: choices(['a', 'b']),
      all: bool(scriptText),
      sortOrder: sortOrder(),
      pageSize: pageSize(10, 100),
      pageToken,
    },
    response: object('Things', { things: list(Thing) }),
  }),
  routeDefiner<object>()({
    ...common,
    method: 'POST',
    path: '/v1/post',
    id: 'postThings',
    summary: 'Post',
    params: { addresses: bodyAddresses() },
    response: Thing,
  }),
] as unknown as ApiRoute<unknown>[];
const document = buildOpenApi(
  routes.map((route) => ({ api: 'data', route })),
  { title: 'Title', version: '1', description: 'About', requireKey: false, examples: { network: 'local' } },
);
const page = referencePage(document);

describe('referencePage', () => {
  test('has every operation once, with a form that sends it', () => {
    for (const id of ['listThings', 'postThings']) expect(page.split(`id="${id}"`)).toHaveLength(2);
    expect(page).toContain('data-method="GET" data-path="/v1/{network}/things"');
    expect(page).toContain('value="local"');
    expect(page).toContain('<select multiple size="4" id="listThings-kinds"');
    expect(page).toContain('1 to 100');
  });
  test('loads nothing from other servers', () => {
    const addresses = [...page.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address as string);
    expect(addresses.filter((address) => !/^(#|\/api-json$)/.test(address))).toEqual([]);
    expect(page).not.toMatch(/https?:\/\//);
    expect(referenceStyle).not.toMatch(/@import|url\(/);
  });
  test('escapes texts of the document', () => {
    expect(page).not.toContain(scriptText);
    expect(page).toContain('&lt;/script&gt;');
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(() => new Function(referenceScript)).not.toThrow();
    expect(referenceScript).not.toContain('</');
  });
  test('has a content security policy that allows only its own script and style', async () => {
    const { headers, body } = await referenceHandlers(() => document).page(createTestRequest('/api'));
    const policy = headers['content-security-policy'] ?? '';
    for (const tag of ['script', 'style']) {
      const inside = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(Buffer.from(body).toString())?.[1] ?? '';
      expect(policy).toContain(`${tag}-src 'sha256-${hash('sha256', inside, 'base64')}'`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });
});

test('serves the document unchanged, to GET and HEAD only', async () => {
  const { json, page: pageHandler } = referenceHandlers(() => document);
  expect(JSON.parse(Buffer.from((await json(createTestRequest('/api-json'))).body).toString())).toEqual(
    JSON.parse(JSON.stringify(document)),
  );
  expect((await pageHandler(createTestRequest('/api', { method: 'HEAD' }))).status).toBe(200);
  expect((await pageHandler(createTestRequest('/api', { method: 'POST' }))).status).toBe(404);
});

describe('createSchemaWriter', () => {
  const write = createSchemaWriter(document);
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  test.each([
    ['string', text()],
    ['a | b', oneOf(['a', 'b'])],
    ['list of integer', list(integer())],
    ['map of string', map(text())],
    ['string or null', { type: ['string', 'null'] } as Schema],
    ['string or integer', { oneOf: [text(), integer()] } as Schema],
    ['uuid', { type: 'string', format: 'uuid' } as Schema],
    ['anything', {}],
  ])('%s', (word, schema) => expect(write.typeName(schema)).toBe(word));
  test('a sample fits the schema', () => {
    const thing = { id: '...', kind: 'a', next: '...', counts: { name: 0 } };
    expect(JSON.parse(write.sample(ref('Things')))).toEqual({ things: [thing] });
  });
  test('an outline folds nested properties', () => {
    const outline = write.outline(ref('Things')).html;
    expect(outline).toContain('<details><summary><code>things</code> <span class="type">list of Thing</span></summary>');
    expect(outline).toContain('<code>next</code><i>optional</i>');
  });
  test('a schema that contains itself does not recurse forever', () => {
    const inside = createSchemaWriter({
      ...document,
      components: {
        ...document.components,
        schemas: { Tree: { type: 'object', properties: { below: { type: 'array', items: ref('Tree') } } } },
      },
    });
    expect(JSON.parse(inside.sample(ref('Tree')))).toEqual({ below: [{}] });
    expect(inside.outline(ref('Tree')).html).toContain('below');
  });
});

test('html escapes inserted strings', () => {
  expect(html`<p title="${'"\''}">${'<&>'}${3}${undefined}${[html`<b>`, html`${'<'}`]}</p>`.html).toBe(
    '<p title="&quot;&#39;">&lt;&amp;&gt;3<b>&lt;</p>',
  );
});
