import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey, writePlans } from './api-keys.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { chainRoot } from './data-requests.ts';
import { type Program, startProgram } from './program.ts';

const binary = chromiumBinary();

/** Requests of a web app on another origin, in a real Chromium. */
describe.skipIf(binary === undefined)('Chromium: a page of another origin', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-origin-'));
  const plans = writePlans({ data: { tiny: { perMinute: 4, perDay: 100 } } });
  let node: Program;
  let page: Page;
  let app: ReturnType<typeof Bun.serve>;
  let key: string;
  beforeAll(async () => {
    node = await startProgram(`--data-dir=${folder}`, '--workers=0', '--rate-limits=on', plans.flag);
    key = (await createKey(`--data-dir=${folder}`, plans.flag, '--plan=tiny')).text;
    app = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('<!doctype html><title>app</title>', { headers: { 'content-type': 'text/html' } }),
    });
    page = await openChromium(binary!);
    await page.open(`http://localhost:${app.port}/`);
  });
  afterAll(async () => {
    await page?.close();
    await app?.stop(true);
    await node?.stop();
    plans.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a script of the page can read of a response; `error` if the browser blocks it. */
  type Seen = { status?: number; policy?: string | null; remaining?: string | null; retry?: string | null; text?: string; error?: string };
  const fetchIn = (path: string, init: object = {}): Promise<Seen> =>
    page.run<Seen>(`fetch(${JSON.stringify(node.url + path)}, ${JSON.stringify(init)}).then(async (answer) => ({
      status: answer.status,
      policy: answer.headers.get('ratelimit-policy'),
      remaining: answer.headers.get('ratelimit-remaining'),
      retry: answer.headers.get('retry-after'),
      text: await answer.text(),
    }), (error) => ({ error: String(error) }))`);

  test('can send its key in either header, and read the response and the rate limit headers', async () => {
    for (const [name, remaining] of [
      ['x-service-api-key', '3'],
      ['x-glacier-api-key', '2'],
    ] as const)
      expect(await fetchIn('/v1/chains/X', { headers: { [name]: key } })).toMatchObject({
        status: 200,
        policy: '4;w=60, 100;w=86400',
        remaining,
      });
    const posted = await fetchIn(`${chainRoot}/utxos`, {
      method: 'POST',
      headers: { 'x-glacier-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ addresses: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' }),
    });
    expect(posted).toMatchObject({ status: 200, remaining: '1' });
  });

  test('can read errors and the retry-after header', async () => {
    expect(await fetchIn('/v1/chains/X', { headers: { 'x-service-api-key': 'nonsense' } })).toMatchObject({ status: 401 });
    await fetchIn('/v1/chains/X', { headers: { 'x-service-api-key': key } });
    const refused = await fetchIn('/v1/chains/X', { headers: { 'x-service-api-key': key } });
    expect(refused).toMatchObject({ status: 429, remaining: '0' });
    expect(Number(refused.retry)).toBeWithin(1, 61);
  });

  test('can call the Node RPC, but cannot send a key to it', async () => {
    const call = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'avm.getHeight' }) };
    const json = { 'content-type': 'application/json' };
    expect(await fetchIn('/ext/bc/X', { ...call, headers: json })).toMatchObject({ status: 200 });
    expect((await fetchIn('/ext/bc/X', { ...call, headers: { ...json, 'x-service-api-key': key } })).error).toContain('TypeError');
  });

  test('cannot call /ext/dev, with or without a preflight request', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.addAtomicUTXO', params: { sourceChain: 'P', utxo: '0x' } });
    expect(await fetchIn('/ext/dev', { method: 'POST', body, headers: { 'content-type': 'application/json' } })).toMatchObject({
      status: 403,
    });
    // A body without a content type is a simple request, so the browser sends no preflight.
    const simple = await page.run<number>(
      `fetch(${JSON.stringify(`${node.url}/ext/dev`)}, { method: 'POST', body: new Blob([${JSON.stringify(body)}]) }).then(({ status }) => status)`,
    );
    expect(simple).toBe(403);
  });
});
