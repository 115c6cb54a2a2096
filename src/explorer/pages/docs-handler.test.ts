import { expect, test } from 'bun:test';
import type { HttpResponse } from '../../api/http/message.ts';
import { unknownPage } from '../docs/docs-table.ts';
import { createDocsHandler } from './docs-handler.ts';

const handle = createDocsHandler(
  async () =>
    new Map([
      ['index.html', '<p>first</p>'],
      ['assets/style.css', 'p {}'],
      [unknownPage, '<a href="index.html">all</a><div id="nearest"></div>'],
      ['llms.txt', ''],
    ]),
);

const get = async (path: string, known?: string): Promise<HttpResponse | undefined> =>
  handle({
    method: 'GET',
    path,
    query: '',
    header: (name) => (name === 'if-none-match' ? (known ?? null) : null),
    body: async () => new Uint8Array(),
  });

test('a page that the browser has is not sent again; one that it does not have is', async () => {
  const first = await get('/docs/');
  expect([first?.status, String(first?.body)]).toEqual([200, '<p>first</p>']);
  const tag = first?.headers.etag as string;
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`])
    expect(await get('/docs/', known)).toMatchObject({ status: 304, body: '', headers: { etag: tag, 'cache-control': 'no-cache' } });
  expect((await get('/docs/', '"other"'))?.status).toBe(200);
  expect((await get('/docs/assets/style.css'))?.headers['cache-control']).toContain('immutable');
  expect(await get('/document')).toBeUndefined();
});

test('an unknown page has a page that leads on; an unknown file has a line of text', async () => {
  const page = await get('/docs/a/b.html');
  expect([page?.status, page?.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(String(page?.body)).toStartWith('<a href="../index.html">all</a><section id="nearest">');
  const file = await get('/docs/a/b.css');
  expect([file?.status, file?.body]).toEqual([404, '404 page not found; all pages: /docs/\n']);
});
