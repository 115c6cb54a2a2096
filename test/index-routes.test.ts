import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from './http.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** `GET /` and `/ready`, in the writer process and in reader processes. */

const folder = mkdtempSync(join(tmpdir(), 'serac-index-'));
const started: Program[] = [];
const start = async (...flags: string[]): Promise<Program> => {
  const node = await startProgram(...flags);
  started.push(node);
  return node;
};
afterEach(async () => {
  for (const node of started.splice(0)) await node.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('GET / lists every URL, and each of them exists', async () => {
  const node = await start('--data-port=0');
  const { status, headers, text } = await node.client.send('GET', '/');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const { endpoints, ...about } = JSON.parse(text) as { endpoints: Record<string, string> };
  expect(about).toEqual({ name: 'serac', version: '0.1.0', network: 'local' } as never);
  expect(endpoints).toMatchObject({ avm: `${node.url}/ext/bc/X`, ready: `${node.url}/ready`, dev: `${node.url}/ext/dev` });
  expect(new URL(endpoints.data ?? '').port).not.toBe(`${node.port}`);
  // The Data and Metrics APIs have routes below theirs only; JSON-RPC paths answer 405 to GET.
  for (const [name, url] of Object.entries(endpoints).filter(([name]) => !['data', 'metricsApi', 'events'].includes(name)))
    expect([name, [200, 405].includes((await fetch(url)).status)]).toEqual([name, true]);
});

test('browsers get a page without scripts; other methods, and --strict, get 404 as from AvalancheGo', async () => {
  const node = await start();
  // Without the explorer: with it, browsers get its home page.
  const plain = await start('--explorer=false');
  const page = await plain.client.send('GET', '/', { accept: 'text/html,application/xhtml+xml' });
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
  expect(page.headers.vary).toBe('Origin, Accept');
  expect(page.text).toContain('<a href="/ext/bc/X">/ext/bc/X</a>');
  expect(page.text).not.toContain('<script');
  const { text } = await node.client.send('GET', '/', { host: '127.0.0.1"<' });
  expect(text).not.toContain('<');
  const strict = await start('--strict');
  const missing = await strict.client.send('GET', '/');
  expect([missing.status, missing.text]).toEqual([404, '404 page not found\n']);
  expect((await strict.client.send('GET', '/ready')).status).toBe(404);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const [here, there] = await Promise.all(
      [node, strict].map(({ client }) => client.send(method, '/', {}, method === 'OPTIONS' ? undefined : '{}')),
    );
    expect([method, here?.status, here?.text]).toEqual([method, 404, '404 page not found\n']);
    const { date: _, 'node-id': __, ...own } = here?.headers ?? {};
    const { date: ___, 'node-id': ____, ...theirs } = there?.headers ?? {};
    expect(own).toEqual(theirs);
  }
});

test('/ready is 200 with the version; 503 while stopping, and while a follower has not caught up', async () => {
  const node = await start('--http-shutdown-wait=2s');
  const ready = await node.client.send('GET', '/ready');
  expect([ready.status, ready.text, ready.headers['x-serac-version']]).toEqual([200, '{"ready":true}\n', '0.1.0']);
  const stopped = node.stop();
  const client = createClient(node.port);
  const stopping = await eventually(
    () => client.send('GET', '/ready'),
    ({ status }) => status !== 200,
  );
  expect([stopping.status, stopping.text]).toEqual([503, '{"ready":false,"reason":"the node is stopping"}\n']);
  client.close();
  await stopped;
  const follower = await start('follow', 'http://127.0.0.1:1', '--network-id=local', '--log-level=off');
  const waiting = await follower.client.send('GET', '/ready');
  expect([waiting.status, waiting.text]).toEqual([503, '{"ready":false,"reason":"the node is not bootstrapped yet"}\n']);
});

test('reader processes answer both', async () => {
  const node = await start(`--data-dir=${folder}/readers`, '--workers=2', '--data-port=0');
  await Bun.sleep(1500);
  const own = JSON.parse((await node.client.send('GET', '/')).text) as { endpoints: { data: string } };
  // Each connection may reach another process.
  for (let i = 0; i < 12; i++) {
    const client = createClient(node.port);
    expect(JSON.parse((await client.send('GET', '/')).text)).toEqual(own);
    expect((await client.send('GET', '/', { accept: 'text/html' })).text).toContain(own.endpoints.data);
    const { status, headers } = await client.send('GET', '/ready');
    expect([status, headers['x-serac-version']]).toEqual([200, '0.1.0']);
    expect((await client.send('POST', '/', {}, '{}')).status).toBe(404);
    client.close();
  }
});
