import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey } from './api-keys.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { startProgram } from './program.ts';

/** The explorer's pages as HTML, without a browser. */
describe.each([['in memory'], ['with a reader process']] as const)('explorer %s', (mode) => {
  let node: DevNode;
  let url: string;
  const hostile = '<script>alert(1)</script>"\'&\u202e';
  const get = (path: string, accept = 'text/html') => fetch(url + path, { headers: { accept }, redirect: 'manual' });
  const page = async (path: string): Promise<string> => (await get(path)).text();
  beforeAll(async () => {
    node = await startDevNode(mode, '--accounts=3');
    url = node.program().url;
  });
  afterAll(() => node.stop());

  test('a transaction has every amount and owner in its HTML', async () => {
    const { accounts } = await node.dev('dev.accounts');
    const { txID } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '12.345678901 AVAX', memo: 'invoice 7' });
    const html = await page(`/tx/${txID}`);
    expect(html).toContain('12<small>.345678901 AVAX</small>');
    expect(html).toContain(accounts[2].address);
    expect(html).toContain('invoice 7');
    expect(html).toContain('accepted');
    expect(await page(`/address/${accounts[2].address}`)).toContain(`/tx/${txID}`);
    expect(await page('/')).toContain(`/tx/${txID}`);
    expect(await page('/block/2')).toContain(`/tx/${txID}`);
  });

  test('names, symbols, memos and payloads of the chain are text, never markup', async () => {
    const { accounts } = await node.dev('dev.accounts');
    const { txID } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '1 AVAX', memo: hostile });
    const nft = await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD' });
    await node.dev('dev.mintNFT', { assetID: nft.assetID, to: accounts[1].address, payload: hostile });
    await node.dev('dev.snapshot', { name: hostile });
    await node.dev('dev.setAutomine', { enabled: false });
    const waiting = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '1 AVAX', memo: hostile });
    const dropped = await node.dev('dev.send', { from: 2, to: accounts[1].address, amount: '1 AVAX', memo: hostile });
    await node.dev('dev.dropTx', { txID: dropped.txID });
    const { height } = await node.dev('dev.nodeInfo');
    const paths = [
      '/',
      '/blocks',
      `/block/${height}`,
      `/tx/${txID}`,
      `/tx/${waiting.txID}`,
      `/tx/${dropped.txID}`,
      `/address/${accounts[1].address}`,
      `/address/${encodeURIComponent(hostile)}`,
      '/assets',
      `/asset/${nft.assetID}`,
      '/mempool',
      '/cross-chain',
      '/throughput',
      `/throughput?range=${encodeURIComponent(hostile)}`,
      '/node',
      '/dev',
      `/search?q=${encodeURIComponent(hostile)}`,
      `/${encodeURIComponent(hostile)}`,
      `/blocks?page=${encodeURIComponent(hostile)}`,
    ];
    for (const path of paths) {
      const html = await page(path);
      expect(html).not.toContain('<script>alert');
      const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
      expect(scripts).toHaveLength(3);
      expect(html).not.toContain('style="');
    }
    expect(await page('/dev')).toContain('&lt;script>alert(1)&lt;/script>');
    await node.dev('dev.setAutomine', { enabled: true });
  });

  test('search redirects to what it finds', async () => {
    const { accounts } = await node.dev('dev.accounts');
    const bare = accounts[1].address.slice(2);
    const { txID } = await node.dev('dev.faucet', { to: accounts[1].address, amount: '1 AVAX' });
    const { assetID } = await node.dev('dev.createAsset', { name: 'Ice', symbol: 'ICE', denomination: 0, supply: '10' });
    const expected: [string, string][] = [
      ['1', '/block/1'],
      ['%231', '/block/1'],
      [`${txID.slice(0, 8)}…${txID.slice(-6)}`, `/tx/${txID}`],
      [txID, `/tx/${txID}`],
      [`P-${bare}`, `/address/${accounts[1].address}`],
      [bare, `/address/${accounts[1].address}`],
      ['AVAX', '/asset/2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'],
    ];
    for (const [query, location] of expected)
      for (const path of [`/search?q=${query}`, `/${query}`]) {
        const response = await get(path);
        expect([path, response.status, response.headers.get('location')]).toEqual([path, 302, location]);
      }
    expect(await page(`/${assetID}`)).toContain('2 matches');
    const near = await get(`/search?q=${bare.slice(0, -1)}${bare.endsWith('q') ? 'p' : 'q'}`);
    expect(near.status).toBe(404);
    expect(await near.text()).toContain(bare);
    expect((await get('/search?q=nothing-like-this')).status).toBe(404);
  });

  test('the same URL gives the Data answer as JSON', async () => {
    const json = await (await get('/block/1', 'application/json')).json();
    const data = await (await fetch(`${url}/v1/networks/local/blockchains/x-chain/blocks/1`)).json();
    expect(json).toEqual(data);
    expect((await get('/tx/unknown', 'application/json')).status).toBe(400);
  });

  test('behind a proxy that ends TLS, the URLs to copy are those of the proxy', async () => {
    const html = await (await fetch(`${url}/`, { headers: { accept: 'text/html', 'x-forwarded-proto': 'https' } })).text();
    expect(html).toContain(`${url.replace('http:', 'https:')}/ext/bc/X`);
    expect(html).not.toContain(`${url}/ext/bc/X`);
  });

  test('other methods and deeper paths stay not found', async () => {
    for (const path of ['/', '/block/1', '/anything']) expect((await fetch(url + path, { method: 'POST', body: '{}' })).status).toBe(404);
    for (const path of ['/ext/none', '/block/1/2', '/nothing/here', '/_page/none.js']) expect((await get(path)).status).toBe(404);
    // These would be searches, which read the names of all assets.
    for (const path of ['/robots.txt', '/favicon.ico', '/apple-touch-icon-120x120.png', '/.env']) {
      const answer = await get(path);
      expect([answer.status, await answer.text()]).toEqual([404, '404 page not found\n']);
    }
    for (const path of ['/2Z3..nKa4bV', '/BTC.b']) expect(await page(path)).toContain('Nothing found');
    expect((await get('/toString')).status).toBe(404);
    expect((await get('/__proto__/x')).status).toBe(404);
  });

  test('a dropped transaction says why', async () => {
    await node.dev('dev.setAutomine', { enabled: false });
    const { txID } = await node.dev('dev.faucet', { to: (await node.dev('dev.accounts')).accounts[1].address, amount: '1 AVAX' });
    expect(await page(`/tx/${txID}`)).toContain('Waiting: Transfer');
    await node.dev('dev.dropTx', { txID });
    expect(await page(`/tx/${txID}`)).toContain('Dropped: Transfer');
    await node.dev('dev.setAutomine', { enabled: true });
  });

  test('scripts and styles are served compressed and for ever', async () => {
    const html = await page('/');
    const script = /src="(\/_page\/[^"]+page\.js)"/.exec(html)?.[1] ?? '';
    const response = await fetch(url + script, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toContain('SharedWorker');
  });

  test('plots of an asset by day and of issued transactions by minute, with their values', async () => {
    const { assetID } = await node.dev('dev.createAsset', { name: 'Days', symbol: 'DAY', denomination: 0, supply: '10' });
    for (const [range, rows] of [
      ['30d', 30],
      ['1y', 365],
    ] as const) {
      const html = await page(`/asset/${assetID}?range=${range}`);
      expect(html).toContain('Transactions per day');
      const table = /<table data-csv="days">.*?<\/table>/s.exec(html)?.[0] ?? '';
      expect(table.match(/<tr>/g)).toHaveLength(rows + 1);
      expect(table.match(/<td class="number">[1-9]/g)).toHaveLength(1);
    }
    const issued = /<table data-csv="issued">.*?<\/table>/s.exec(await page('/throughput?range=hour'))?.[0] ?? '';
    expect(issued).toContain('Refused');
    expect(issued.match(/<tr>/g)?.length).toBeGreaterThan(1);
    expect(await page('/throughput?range=minute')).not.toContain('data-csv="issued"');
  });

  test('every page of the navigation answers', async () => {
    const paths = [...(await page('/')).matchAll(/<a href="(\/[a-z-]*)"[^>]*data-go/g)].map(([, path = '']) => path);
    expect(paths).toEqual(['/', '/blocks', '/mempool', '/assets', '/cross-chain', '/throughput', '/node', '/watch', '/webhooks', '/dev']);
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });
});

test('the explorer can be turned off, and does not exist with --strict', async () => {
  for (const flag of ['--explorer=false', '--strict']) {
    const node = await startDevNode('in memory', flag);
    // Without the explorer `/` is an index of all URLs; with --strict it does not exist.
    for (const path of [...(flag === '--strict' ? ['/'] : []), '/block/0', '/tx/x', '/search?q=1', '/1', '/_page/x'])
      expect([flag, path, (await fetch(node.program().url + path, { headers: { accept: 'text/html' } })).status]).toEqual([
        flag,
        path,
        404,
      ]);
    await node.stop();
  }
});

test('with a required API key the page asks for one and reads with it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-explorer-'));
  const { header } = await createKey(`--data-dir=${dataDir}`, '--name=explorer');
  const node = await startProgram(`--data-dir=${dataDir}`, '--workers=0', '--require-api-key', '--public-api');
  const { url } = node;
  const response = await fetch(`${url}/block/0`);
  expect(response.status).toBe(401);
  const html = await response.text();
  expect(html).toContain('data-secret="key"');
  expect(html).not.toContain('href="/dev"');
  const found = await fetch(`${url}/block/0`, { headers: header });
  expect(found.status).toBe(200);
  expect(await found.text()).toContain('Block 0');
  await node.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
