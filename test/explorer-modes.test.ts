import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey } from './api-keys.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';
import { startIndexer, startProgram, startProgramAsUsers } from './program.ts';
import { isLong } from './random.ts';
import { hasServers, openServers, suiteName } from './servers.ts';

/** The explorer in Chromium, in every mode of the program: pages that a mode lacks are not in the navigation and do not exist. */
const binary = chromiumBinary();
const allPages = ['/', '/blocks', '/mempool', '/assets', '/cross-chain', '/throughput', '/node', '/watch', '/webhooks', '/dev'];

/** Whether a page has links to others, or a search. */
const hasNavigation = (html: string): boolean => /<[^>]+ (data-go|class="search)/.test(html);

describe.skipIf(binary === undefined)('Chromium: the explorer by mode', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openChromium(binary!);
    await page.emulate({ width: 1280, height: 900 });
  });
  afterAll(() => page.close());
  const text = (selector: string): Promise<string> => page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
  const until = (expression: string): Promise<boolean> => eventually(() => page.run<boolean>(expression), Boolean);
  const linksOf = (): Promise<string[]> =>
    page.run(`[...document.querySelectorAll('nav [data-go]')].map((link) => link.getAttribute('href'))`);
  const untilLive = (): Promise<boolean> => until(`document.querySelector('.stream-state.live') !== null`);

  /**
   * Opens every page of the navigation; those that are missing must not exist. Nothing may be refused or thrown. `.ci/run` opens all of them in
   * Chromium, `npm test` a third, in each mode others; the rest is only requested, and so is the API reference, which reference-page.test.ts opens.
   */
  let modes = 0;
  const walk = async (url: string, missing: readonly string[]): Promise<void> => {
    const mode = modes++;
    const expected = allPages.filter((path) => !missing.includes(path));
    // A joined node answers with 503 while it fetches its chain.
    await eventually(
      async () => (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).status,
      (status) => status === 200,
    );
    // Earlier lines may be of failed requests to a server that was stopped.
    let logged: number | undefined;
    for (const [at, path] of [...expected, '/api'].entries()) {
      // The first page is opened in every mode: it has the navigation.
      if (!isLong && at > 0 && (path === '/api' || at % 3 !== mode % 3)) {
        const response = await fetch(url + path, { headers: { accept: 'text/html' } });
        expect([path, response.status, hasNavigation(await response.text())]).toEqual([path, 200, true]);
        continue;
      }
      await page.open(url + path);
      logged ??= page.console.length;
      if (at === 0) expect(await linksOf()).toEqual(expected);
      expect([path, await page.run<number>(`performance.getEntriesByType('navigation')[0].responseStatus`)]).toEqual([path, 200]);
      expect([path, await page.run<boolean>(`document.querySelector('main').textContent.length > 30`)]).toEqual([path, true]);
      // The page loads its data again, as it does after an event.
      await page.run(`document.dispatchEvent(new Event('visibilitychange'))`);
    }
    for (const path of missing) {
      const response = await fetch(url + path, { headers: { accept: 'text/html' } });
      expect([path, response.status, (await response.text()).includes('page here</h1>')]).toEqual([path, 404, true]);
    }
    expect(page.console.slice(logged)).toEqual([]);
  };

  test('serac: all pages', async () => {
    const node = await startDevNode('in memory', '--accounts=1');
    await walk(node.program().url, []);
    await node.stop();
  });

  test('--dev-token: the dev panel and the forms of dev.* ask for the token and keep it in the tab', async () => {
    const token = 'correct-horse-battery';
    const node = await startProgram('--accounts=1', `--dev-token=${token}`);
    const enter = (value: string, form: string): Promise<void> =>
      page.run(`(() => {
        const form = document.querySelector(${JSON.stringify(form)});
        form.querySelector('[name=key]').value = ${JSON.stringify(value)};
        form.requestSubmit();
      })()`);
    await page.open(`${node.url}/dev`);
    expect(await text('main')).toContain('This server needs a token');
    expect(await (await fetch(`${node.url}/dev`, { headers: { accept: 'text/html' } })).text()).not.toContain('PrivateKey-');
    expect(await until(`!document.querySelector('[data-secret=token] button').disabled`)).toBe(true);
    await enter('wrong-token-1234', '[data-secret=token]');
    await until(`sessionStorage.getItem('serac-dev-token') !== null`);
    expect(await text('main')).toContain('This server needs a token');
    await enter(token, '[data-secret=token]');
    expect(await until(`document.querySelector('main').textContent.includes('Faucet')`)).toBe(true);
    await page.run(`[...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === 'Mine 1').click()`);
    expect(await until(`document.querySelector('.foot').textContent.includes('block 2')`)).toBe(true);
    await page.run(`(() => {
      window.saved = 0;
      const create = URL.createObjectURL;
      URL.createObjectURL = (blob) => { window.saved = blob.size; return create(blob); };
      document.querySelector('a[download]').click();
    })()`);
    expect(await until('window.saved > 1000')).toBe(true);
    await page.open(`${node.url}/api/dev.nodeInfo`);
    const form = `document.querySelector('form[data-rpc="dev.nodeInfo"]')`;
    expect(await until(`${form}.querySelector('[data-curl]').textContent.includes('Bearer YOUR_TOKEN')`)).toBe(true);
    expect(await page.run<boolean>(`document.body.innerHTML.includes('${token}')`)).toBe(false);
    await page.run(`${form}.requestSubmit()`);
    expect(await until(`${form}.querySelector('.answer').textContent.includes('"height"')`)).toBe(true);
    await page.run('sessionStorage.clear()');
    await node.stop();
  });

  test('--public-api: no Webhooks and Dev pages', async () => {
    const node = await startProgram('--public-api');
    await walk(node.url, ['/webhooks', '/dev']);
    await node.stop();
  });

  test('--explorer=false and --strict: only the API reference', async () => {
    for (const flag of ['--explorer=false', '--strict']) {
      const node = await startProgram(flag);
      const html = await (await fetch(`${node.url}/api`, { headers: { accept: 'text/html' } })).text();
      expect([flag, html.includes('<main'), hasNavigation(html)]).toEqual([flag, true, false]);
      for (const path of allPages.slice(1)) expect([path, (await fetch(node.url + path)).status]).toEqual([path, 404]);
      await node.stop();
    }
  });

  test('--data-port: the explorer is on that port', async () => {
    const node = await startProgramAsUsers('--accounts=1', '--data-port=0');
    expect((await fetch(`${node.url}/blocks`, { headers: { accept: 'text/html' } })).status).toBe(404);
    const { endpoints } = (await (await fetch(node.url)).json()) as { endpoints: { data: string } };
    const url = new URL(endpoints.data).origin;
    await page.open(`${url}/`);
    const links = await linksOf();
    await walk(
      url,
      allPages.filter((path) => !links.includes(path)),
    );
    expect(links).toContain('/blocks');
    expect(links).not.toContain('/dev');
    await node.stop();
  });

  test('--require-api-key: asks for a key and keeps it in the tab', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'serac-modes-'));
    const { text: key } = await createKey(`--data-dir=${dataDir}`, '--name=modes');
    const node = await startProgram(`--data-dir=${dataDir}`, '--workers=0', '--require-api-key');
    await page.open(`${node.url}/blocks`);
    expect(await text('h1')).toContain('This server needs an API key');
    await page.run(`(() => {
      const form = document.querySelector('form[data-secret=key]');
      form.elements.key.value = ${JSON.stringify(key)};
      form.requestSubmit();
    })()`);
    expect(await until(`document.querySelector('h1').textContent === 'Blocks'`)).toBe(true);
    for (const path of ['/block/0', '/assets', '/throughput']) {
      await page.open(node.url + path);
      expect([path, await until(`!document.querySelector('h1').textContent.includes('API key')`)]).toEqual([path, true]);
    }
    expect(await page.run(`Object.keys(localStorage).some((name) => localStorage[name].includes(${JSON.stringify(key)}))`)).toBe(false);
    await node.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('serac follow: all pages but Mempool and Dev; the lag is shown', async () => {
    const source = await startDevNode('in memory', '--accounts=1');
    const dataDir = mkdtempSync(join(tmpdir(), 'serac-modes-'));
    const follower = await startProgram('follow', source.program().url, `--data-dir=${dataDir}`, '--workers=0');
    await walk(follower.url, ['/mempool', '/dev']);
    await page.open(`${follower.url}/`);
    expect(await untilLive()).toBe(true);
    expect(await until(`document.querySelector('.strip').textContent.includes('in step with the followed node')`)).toBe(true);
    expect(await text('.strip')).toContain(source.program().url);
    const { txID } = await source.dev('dev.faucet', { to: (await source.dev('dev.accounts')).accounts[0].address });
    expect(await until(`document.querySelector('.tx-list a[href="/tx/${txID}"]') !== null`)).toBe(true);
    await source.stop();
    expect(await until(`document.querySelector('.strip').textContent.includes('Node away')`)).toBe(true);
    await follower.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('serac join: all pages but Dev; the strip shows peers and progress', async () => {
    const flags = ['join', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0'];
    const first = await startProgram(...flags);
    const { nodeID } = (await first.client.call('/ext/info', 'info.getNodeID', {})).result as unknown as { nodeID: string };
    const peer = [`--bootstrap-ips=${first.banner.peersAt}`, `--bootstrap-ids=${nodeID}`];
    const second = await startProgram(...flags, ...peer, '--dev-methods');
    await walk(second.url, ['/dev']);
    // It has the methods of a wallet, and none of those that the pages of a developer's chain call.
    const { has } = await page.run<{ has: object }>(`JSON.parse(document.getElementById('payload').textContent).context`);
    expect(has).toMatchObject({ dev: false, faucet: true });
    // A peer has a row on the page of the node, and search leads to it.
    await page.open(`${second.url}/search?q=${nodeID}`);
    expect(await page.run(`location.pathname + location.hash`)).toBe(`/node#${nodeID}`);
    expect(await page.run(`document.getElementById(${JSON.stringify(nodeID)}).textContent`)).toContain(nodeID.slice(7, 15));
    await page.open(`${second.url}/`);
    expect(await until(`document.querySelector('.strip').textContent.includes('in step with the network')`)).toBe(true);
    expect(await text('.strip')).toContain('Joined1 peerblock 0');
    await first.stop();
    const countPeers = async () => (await second.client.call('/ext/info', 'info.peers', {})).result as unknown as { numPeers: string };
    await eventually(countPeers, ({ numPeers }) => numPeers === '0');
    // Without an event the page reads its figures again after 15 s: its clock goes forward.
    await page.run(`(() => { const now = performance.now.bind(performance); performance.now = () => now() + 15_000; })()`);
    expect(await until(`document.querySelector('.strip.warn')?.textContent.includes('0 peers')`)).toBe(true);
    await second.stop();
  });

  test.skipIf(!hasServers)(suiteName('serac api on PostgreSQL: no Mempool, Node and Dev pages', hasServers), async () => {
    const servers = await openServers('explorer_modes');
    const source = await startDevNode('in memory', '--accounts=1');
    const indexer = startIndexer(source.program().url, `--database-url=${servers.database}`);
    const server = await startProgram('api', `--database-url=${servers.database}`);
    await walk(server.url, ['/mempool', '/node', '/dev']);
    await page.open(`${server.url}/`);
    expect(await untilLive()).toBe(true);
    const { txID } = await source.dev('dev.faucet', { to: (await source.dev('dev.accounts')).accounts[0].address });
    expect(await until(`document.querySelector('.tx-list a[href="/tx/${txID}"]') !== null`)).toBe(true);
    await server.stop();
    await indexer.stop();
    await source.stop();
    await servers.close();
  });
});
