import { describe, expect, test } from 'bun:test';
import { hash } from 'node:crypto';
import { bodyAddresses } from './addresses.ts';
import { html } from './html.ts';
import { openApi } from './openapi.ts';
import { bool, choices, pageSize, pageToken, pathText, sortOrder } from './params.ts';
import { referenceLook } from './reference-look.ts';
import { referenceHandlers, referencePage } from './reference-page.ts';
import { schemaWriter } from './reference-schema.ts';
import { referenceScript } from './reference-script.ts';
import { requestOf } from './requests.fixture.ts';
import { type Route, route } from './route.ts';
import { integer, list, map, object, oneOf, optional, type Schema, text } from './schema.ts';

const evil = '</script><script>alert("1")</script>';
const common = { tag: 'Things', keep: 'never', run: async () => ({}) } as const;
const Thing = object('Thing', { id: text(evil), kind: oneOf(['a', 'b']), next: optional(text()), counts: map(integer()) });
const rows = [
  route<object>()({
    ...common,
    method: 'GET',
    path: '/v1/{network}/things',
    id: 'listThings',
    summary: evil,
    params: {
      network: pathText(),
      kinds: choices(['a', 'b']),
      all: bool(evil),
      sortOrder: sortOrder(),
      pageSize: pageSize(10, 100),
      pageToken,
    },
    response: object('Things', { things: list(Thing) }),
  }),
  route<object>()({
    ...common,
    method: 'POST',
    path: '/v1/post',
    id: 'postThings',
    summary: 'Post',
    params: { addresses: bodyAddresses() },
    response: Thing,
  }),
] as unknown as Route<unknown>[];
const document = openApi(
  rows.map((row) => ({ api: 'data', row })),
  { title: 'Title', version: '1', description: 'About', requireKey: false, examples: { network: 'local' } },
);
const page = referencePage(document);

describe('the page', () => {
  test('has every operation once, with a form that sends it', () => {
    for (const id of ['listThings', 'postThings']) expect(page.split(`id="${id}"`)).toHaveLength(2);
    expect(page).toContain('data-method="GET" data-path="/v1/{network}/things"');
    expect(page).toContain('value="local"');
    expect(page).toContain('<select multiple size="4" id="listThings-kinds"');
    expect(page).toContain('1 to 100');
  });
  test('needs nothing from elsewhere', () => {
    const addresses = [...page.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address as string);
    expect(addresses.filter((address) => !/^(#|\/api-json$)/.test(address))).toEqual([]);
    expect(page).not.toMatch(/https?:\/\//);
    expect(referenceLook).not.toMatch(/@import|url\(/);
  });
  test('shows texts and runs none of them', () => {
    expect(page).not.toContain(evil);
    expect(page).toContain('&lt;/script&gt;');
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(() => new Function(referenceScript)).not.toThrow();
    expect(referenceScript).not.toContain('</');
  });
  test('lets a browser run only its own script and style', async () => {
    const { headers, body } = await referenceHandlers(() => document).page(requestOf('/api'));
    const policy = headers['content-security-policy'] ?? '';
    for (const tag of ['script', 'style']) {
      const inside = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(Buffer.from(body).toString())?.[1] ?? '';
      expect(policy).toContain(`${tag}-src 'sha256-${hash('sha256', inside, 'base64')}'`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });
});

test('the document is served as it is, to GET and HEAD', async () => {
  const { json, page: shown } = referenceHandlers(() => document);
  expect(JSON.parse(Buffer.from((await json(requestOf('/api-json'))).body).toString())).toEqual(JSON.parse(JSON.stringify(document)));
  expect((await shown(requestOf('/api', { method: 'HEAD' }))).status).toBe(200);
  expect((await shown(requestOf('/api', { method: 'POST' }))).status).toBe(404);
});

describe('schemas in words', () => {
  const write = schemaWriter(document);
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
  ])('%s', (word, schema) => expect(write.word(schema)).toBe(word));
  test('a sample fits', () => {
    const thing = { id: '...', kind: 'a', next: '...', counts: { name: 0 } };
    expect(JSON.parse(write.sample(ref('Things')))).toEqual({ things: [thing] });
  });
  test('an outline folds what is below', () => {
    const outline = write.outline(ref('Things')).html;
    expect(outline).toContain('<details><summary><code>things</code> <span class="type">list of Thing</span></summary>');
    expect(outline).toContain('<code>next</code><i>optional</i>');
  });
  test('a schema inside itself ends', () => {
    const inside = schemaWriter({
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

test('pieces of a page escape what they hold', () => {
  expect(html`<p title="${'"\''}">${'<&>'}${3}${undefined}${[html`<b>`, html`${'<'}`]}</p>`.html).toBe(
    '<p title="&quot;&#39;">&lt;&amp;&gt;3<b>&lt;</p>',
  );
});
