import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey } from './api-keys.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** Tests the page `/api` and the pages of methods and routes in Chromium. */
const binary = chromiumBinary();

type OpenApi = { readonly paths: Record<string, Record<string, { operationId: string }>> };
type OpenRpc = { readonly methods: readonly { name: string; servers: [{ url: string }] }[] };

const getJson = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;
const operationIDs = ({ paths }: OpenApi): string[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));

describe.skipIf(binary === undefined)('Chromium: the API reference', () => {
  let node: Program;
  let page: Page;
  beforeAll(async () => {
    node = await startProgram();
    page = await openChromium(binary!);
    await page.open(`${node.url}/api`);
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });
  /** Opens the page of a method or route, sends its form and returns what it then shows. */
  const trySending = async (path: string, values: Readonly<Record<string, string>>, { url } = node) => {
    await page.open(`${url}/api/${path}`);
    return sendForm(values);
  };
  const sendForm = async (values: Readonly<Record<string, string>>) => {
    await page.run(`(() => {
      const card = document.querySelector('form[data-try]');
      for (const [name, value] of Object.entries(${JSON.stringify(values)})) {
        const field = card.querySelector('[name="' + name + '"], [data-in="' + name + '"]');
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
      card.querySelector('.answer').hidden = true;
      card.querySelector('button[type=submit]').click();
    })()`);
    const card = `document.querySelector('form[data-try]')`;
    await eventually(() => page.run<boolean>(`!${card}.querySelector('.answer').hidden`), Boolean);
    return page.run<{ status: string; answer: string; curl: string }>(`(() => {
      const text = (query) => ${card}.querySelector(query).textContent;
      return { status: text('.answer p'), answer: text('.answer pre'), curl: text('[data-curl]') };
    })()`);
  };

  test('shows every route and every method of the documents', async () => {
    const openRpc = await getJson<OpenRpc>(`${node.url}/openrpc-json`);
    const expected = [...operationIDs(await getJson<OpenApi>(`${node.url}/api-json`)), ...openRpc.methods.map(({ name }) => name)];
    const shown = await page.run<string[]>(`[...document.querySelectorAll('.reference-line')].map((line) => line.id)`);
    expect(shown.toSorted()).toEqual(expected.toSorted());
    expect(shown).toContain('avm.issueTx');
    expect(shown).toContain('dev.faucet');
    const links = await page.run<string[]>(`[...document.querySelectorAll('.reference-nav a')].map((link) => link.hash.slice(1))`);
    const groups = await page.run<string[]>(`[...document.querySelectorAll('.reference-group')].map((group) => group.id)`);
    expect(links).toEqual(groups);
    expect(groups.length).toBeGreaterThan(10);
  });

  test('filters by the typed words', async () => {
    const found = await page.run<string[]>(`(() => {
      const filter = document.getElementById('filter');
      filter.value = 'balances get';
      filter.dispatchEvent(new Event('input', { bubbles: true }));
      return [...document.querySelectorAll('.reference-line')].filter((line) => line.checkVisibility()).map((line) => line.id);
    })()`);
    expect(found).toEqual(['avm.getAllBalances', 'getBalancesByAddresses', 'getCrossChainBalances']);
    await page.run(`(() => {
      const filter = document.getElementById('filter');
      filter.value = '';
      filter.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
  });

  test('sends a route and shows the answer and the command', async () => {
    const { status, answer, curl } = await trySending('data/getBalancesByAddresses', {
      addresses: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
    });
    expect(status).toStartWith('200, ');
    expect(JSON.parse(answer)).toMatchObject({ balances: { unlocked: [{ amount: '300000000000000000' }] } });
    expect(curl).toContain(`${node.url}/v1/networks/local/blockchains/x-chain/balances?addresses=X-local1`);
  });

  test('calls methods of the Node RPC and of /ext/dev', async () => {
    const height = await trySending('avm.getHeight', {});
    expect(JSON.parse(height.answer)).toEqual({ jsonrpc: '2.0', result: { height: '0' }, id: 1 });
    const mined = await trySending('dev.mine', { params: '{"blocks": 2}' });
    expect(JSON.parse(mined.answer).result.height).toBe('2');
    expect(mined.curl).toContain('"method":"dev.mine","params":{"blocks": 2}');
    const refused = await trySending('avm.getTx', { params: '{"txID":"x' });
    expect(refused.status).toBe('The parameters are not JSON.');
  });

  test('a link to the card of an earlier version leads to the page of the method', async () => {
    await page.open(`${node.url}/api#avm.getTx`);
    expect(
      await eventually(
        () => page.run<string>('location.pathname'),
        (path) => path === '/api/avm.getTx',
      ),
    ).toBe('/api/avm.getTx');
    expect(await page.run<string>(`document.querySelector('h1').textContent`)).toBe('avm.getTx');
    await page.open(`${node.url}/api#group-data-utxos`);
    expect(await page.run<string>('location.pathname')).toBe('/api');
  });

  test('every example is reached by the keyboard, and one is open at a time', async () => {
    await page.open(`${node.url}/api/avm.getTx`);
    const open = () => page.run<string[]>(`[...document.querySelectorAll('.codes details[open]')].map((one) => one.dataset.language)`);
    expect(await open()).toEqual(['curl']);
    expect(await page.run<string[]>(`[...document.querySelectorAll('.codes details')].map((one) => one.dataset.language)`)).toEqual([
      'curl',
      'TypeScript',
      'avalanchejs',
      'Python',
      'Go',
    ]);
    await page.run(`(() => {
      const summary = document.querySelector('[data-language=Python] summary');
      summary.focus();
      document.activeElement.click();
    })()`);
    expect(await eventually(open, ([first]) => first === 'Python')).toEqual(['Python']);
  });

  test('requests only its own server, and prints nothing to the console', () => {
    expect(page.requests.length).toBeGreaterThan(1);
    expect(page.requests.filter((url) => !url.startsWith(`${node.url}/`))).toEqual([]);
    expect(page.console).toEqual([]);
  });

  test('a value above its limit is refused, and the limit is offered', async () => {
    const { status, answer } = await trySending('data/listBlockSummaries', { pageSize: '500' });
    expect(status).toStartWith('400');
    expect(answer).toContain('pageSize must not be greater than 100');
    const card = `document.querySelector('form[data-try]')`;
    expect(await page.run<string>(`${card}.querySelector('[data-fill=pageSize]').textContent`)).toBe('Use 100');
    await page.run(`${card}.querySelector('[data-fill=pageSize]').click()`);
    expect(
      await eventually(
        () => page.run<string>(`${card}.querySelector('.answer p').textContent`),
        (line) => line.startsWith('200'),
      ),
    ).toStartWith('200');
    expect(await page.run<boolean>(`${card}.querySelectorAll('[data-fill]')[1].hidden`)).toBe(true);
  });

  test('a required API key is kept in the tab, sent, and not shown in the command', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'serac-reference-'));
    const { text: key } = await createKey(`--data-dir=${dataDir}`, '--name=reference');
    const keyed = await startProgram(`--data-dir=${dataDir}`, '--workers=0', '--require-api-key');
    try {
      expect((await trySending('data/listLatestPrimaryNetworkBlocks', {}, keyed)).status).toContain('401');
      await page.run(`(() => {
        const form = document.querySelector('[data-key-form]');
        form.elements.key.value = ${JSON.stringify(key)};
        form.requestSubmit();
      })()`);
      const { status, curl } = await sendForm({});
      expect(status).toStartWith('200, ');
      expect(curl).toContain('x-service-api-key: YOUR_KEY');
      expect(await page.run<string>('document.documentElement.outerHTML')).not.toContain(key);
      await page.open(`${keyed.url}/blocks`);
      expect(await eventually(() => page.run<boolean>(`document.querySelector('h1').textContent === 'Blocks'`), Boolean)).toBe(true);
    } finally {
      await keyed.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

test('the reference is whole without script, and exists without the explorer and with --strict', async () => {
  for (const flags of [['--explorer=false'], ['--strict'], ['--public-api'], ['--metrics-port=0']]) {
    const node = await startProgram(...flags);
    const get = async (path: string): Promise<{ status: number; html: string }> => {
      const response = await fetch(node.url + path, { headers: { accept: 'text/html' } });
      return { status: response.status, html: await response.text() };
    };
    const { status, html } = await get('/api');
    expect([flags, status]).toEqual([flags, 200]);
    const has = (text: string): boolean => html.includes(text);
    expect(has('id="avm.getTx"')).toBe(true);
    expect(has('href="/api/data/listLatestPrimaryNetworkBlocks"')).toBe(true);
    const isOpen = !flags.includes('--public-api');
    expect([flags, has('id="dev.faucet"'), (await get('/api/dev.faucet')).status]).toEqual([flags, isOpen, isOpen ? 200 : 404]);
    expect([flags, has('id="info.getNodeID"')]).toEqual([flags, isOpen]);
    const hasExplorer = !flags.includes('--strict') && !flags.includes('--explorer=false');
    expect([flags, has('action="/search"')]).toEqual([flags, hasExplorer]);
    expect([flags, has('href="/blocks"')]).toEqual([flags, hasExplorer]);
    for (const [, path = ''] of html.matchAll(/"(\/_page\/[^"]+)"/g))
      expect([path, (await fetch(node.url + path)).status]).toEqual([path, 200]);
    const method = await get('/api/avm.getTx');
    expect(method.html).toContain(`curl -s '${node.url}/ext/bc/X'`);
    expect(method.html).toContain('<h2>Errors</h2>');
    const near = await get('/api/avm.getTxs');
    expect([near.status, near.html.includes('href="/api/avm.getTx"')]).toEqual([404, true]);
    for (const [path, document] of [
      ['/api', '/api-json'],
      ['/api/avm.getTx', '/openrpc-json'],
      ['/api/data/getUtxo', '/api-json'],
    ]) {
      const json = await fetch(node.url + path, { headers: { accept: 'application/json' } });
      expect([path, await json.json()]).toEqual([path, await getJson(node.url + document)]);
    }
    await node.stop();
  }
});
