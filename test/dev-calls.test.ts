import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createNode } from '../src/sdk/create-node.ts';
import { chromiumBinary, openChromium } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { openEvents } from './event-client.ts';
import { createClient } from './http.ts';
import { eventually } from './processes.ts';

/** The log of calls of a node with a reader process, which answers some of the calls. */

const binary = chromiumBinary();
let node: DevNode;
beforeAll(async () => {
  node = await startDevNode('with a reader process', '--accounts=2');
});
afterAll(() => node.stop());

type Call = {
  readonly number: number;
  readonly methods: readonly string[];
  readonly path: string;
  readonly error?: { readonly code: string; readonly remedy: string };
};
const list = async (params = {}): Promise<readonly Call[]> => (await node.dev('dev.calls', params)).calls;
const url = (): string => node.program().url;

test('calls to every process are in the log from the first reading on, and clients of the event stream are told', async () => {
  await node.dev('dev.nodeInfo');
  expect(await list()).toEqual([]);
  const events = openEvents(node.program().port);
  await events.until(({ kind }) => kind === 'heartbeat');
  const clients = Array.from({ length: 16 }, () => createClient(node.program().port));
  for (const client of clients) await client.call('/ext/bc/X', 'avm.getHeight', {});
  for (const client of clients) client.close();
  const found = await eventually(
    () => list({ method: 'getheight' }),
    (calls) => calls.length === 16,
  );
  expect(found.map(({ number }) => number)).toEqual([...found].map(({ number }) => number).sort((a, b) => b - a));
  expect(found[0]).toMatchObject({ httpMethod: 'POST', path: '/ext/bc/X', transport: 'http', status: 200, isFromPage: false });
  await events.until(({ kind, data }) => kind === 'calls' && Number(data.last) >= 1);
  events.close();
  // The stream is a call, the readings of the log are none.
  expect((await list()).filter(({ methods }) => methods.some((name) => name.startsWith('dev.call')))).toEqual([]);
  expect(await list({ method: '/ext/events' })).toHaveLength(1);
});

test('an error has its code and what to do; bodies have no secrets', async () => {
  await node.devError('dev.faucet', { to: 'nobody', amount: '1 AVAX' });
  await node.dev('dev.accounts');
  const key = (await node.dev('dev.accounts')).accounts[0].privateKey;
  await fetch(`${url()}/v1/webhooks?token=abc123`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'trial/1' },
    body: JSON.stringify({ url: 'http://127.0.0.1:1/T0/secret-path', secret: 'correct horse battery' }),
  });
  const calls = await eventually(
    () => list(),
    (all) => all.some(({ path }) => path.startsWith('/v1/webhooks')),
  );
  const [refused] = await list({ errors: true, method: 'faucet' });
  expect(refused?.error?.code).toMatch(/^[A-Z_]+$/);
  expect(refused?.error?.remedy).toBeTruthy();
  const bodies = JSON.stringify(await Promise.all(calls.map(({ number }) => node.dev('dev.callBodies', { number }))));
  for (const secret of [key, 'abc123', 'secret-path', 'correct horse']) expect(bodies).not.toContain(secret);
  expect(bodies).toContain('/v1/webhooks?token=(hidden)');
  expect((await node.devError('dev.callBodies', { number: 4_000_000 })).data).toMatchObject({ code: 'DEV_NO_CALL' });
});

test('the page lists calls without script, with their details, as text', async () => {
  await fetch(`${url()}/ext/info`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'info.<script>', id: 1, params: { text: '\u202eabc' } }),
  });
  const [call] = await eventually(
    () => list({ method: 'info.<' }),
    (calls) => calls.length === 1,
  );
  const page = await (await fetch(`${url()}/dev/calls?call=${call?.number}`, { headers: { accept: 'text/html' } })).text();
  const html = page.slice(0, page.indexOf('id="payload"'));
  expect(html).toContain('info.&lt;script>');
  expect(html).toContain('U+202E');
  expect(html).not.toContain('\u202e');
  expect(html).toContain('Copy as curl');
  const filtered = await (await fetch(`${url()}/dev/calls?method=nothing`, { headers: { accept: 'text/html' } })).text();
  expect(filtered).toMatch(/None of \d+ calls fits/);
  // Pages are no calls.
  expect(await list({ method: '/dev/calls' })).toEqual([]);
});

test('calls of the library are in the log of its node', async () => {
  await using own = await createNode();
  await own.dev.calls();
  await own.avm.getHeight();
  const { calls } = await eventually(
    () => own.dev.calls(),
    ({ kept }) => kept > 0,
  );
  expect(calls[0]).toMatchObject({ methods: ['avm.getHeight'], transport: 'library', status: 200 });
});

test.skipIf(binary === undefined)('an open page shows a new call and sends it again', async () => {
  const page = await openChromium(binary as string);
  try {
    await page.open(`${url()}/dev/calls?method=getNodeIP`);
    const rows = () => page.run<number>(`document.querySelectorAll('.call-name').length`);
    await fetch(`${url()}/ext/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'info.getNodeIP', id: 1, params: {} }),
    });
    await eventually(rows, (count) => count === 1);
    await page.run(`document.querySelector('.call-name a').click()`);
    const press = (name: string) => `[...document.querySelectorAll('button')].find((button) => button.textContent === '${name}')`;
    await eventually(
      () => page.run<boolean>(`${press('Send again')} !== undefined`),
      (isThere) => isThere,
    );
    await page.run(`${press('Send again')}.click()`);
    await eventually(rows, (count) => count === 2);
    // What a reload shows is what the page shows.
    const texts = `[...document.querySelectorAll('.calls tr:not(.below) td')].map(({ textContent }) => textContent).join('|')`;
    const live = await page.run<string>(texts);
    await page.open(`${url()}/dev/calls?method=getNodeIP`);
    expect(await page.run<string>(texts)).toBe(live);
    expect(live).toContain('this page');
    expect(page.console).toEqual([]);
    // A list on hold does not move.
    await page.run(`${press('Pause')}.click()`);
    await node.program().client.call('/ext/info', 'info.getNodeIP', {});
    await eventually(
      () => page.run<string>(`document.querySelector('.page-title button').textContent`),
      (text) => text === 'Go on, 1 new',
    );
    expect(await rows()).toBe(2);
  } finally {
    await page.close();
  }
});
