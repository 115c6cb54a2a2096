import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { pageTexts } from './page-texts.ts';
import { eventually } from './processes.ts';

/** Parts of the explorer that stay as the reader left them while blocks arrive, in a real Chromium. */
const binary = chromiumBinary();

describe.skipIf(binary === undefined)('Chromium: the explorer is steady', () => {
  let node: DevNode;
  let page: Page;
  let url: string;
  const until = (expression: string): Promise<boolean> => eventually(() => page.run<boolean>(expression), Boolean);
  const text = (selector: string): Promise<string> => page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
  const open = async (path: string): Promise<void> => {
    await page.open(url + path);
    await until(`document.querySelector('.stream-state.live') !== null`);
  };
  const type = (name: string, value: string): Promise<void> =>
    page.run(`(() => {
      const input = document.querySelector(${JSON.stringify(name)});
      input.value = ${JSON.stringify(value)};
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
  const inputOf = (name: string): Promise<string> => page.run(`document.querySelector(${JSON.stringify(name)}).value`);
  const press = (word: string): Promise<void> =>
    page.run(`[...document.querySelectorAll('main button')].find(({ textContent }) => textContent === ${JSON.stringify(word)}).click()`);
  const note = (start: string): Promise<boolean> =>
    until(`[...document.querySelectorAll('.form-note')].some(({ textContent }) => textContent.startsWith(${JSON.stringify(start)}))`);

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=2');
    url = node.program().url;
    page = await openChromium(binary!);
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  test('forms keep what was typed when a block arrives and when a call fails, which looks like an error', async () => {
    await open('/dev');
    await type('[name=amount]', '17');
    await type('[name=params]', '{"half": ');
    await type('#setLatency [name=method]', 'avm.get');
    const { height } = await node.dev('dev.mine', { blocks: 1 });
    expect(await until(`document.querySelector('.foot').textContent.includes('block ${height}')`)).toBe(true);
    await type('#send [name=to]', '');
    await until(`document.querySelector('[name=to-other]') !== null`);
    await type('[name=to-other]', 'X-local1nobody');
    await press('Send');
    expect(await until(`document.querySelector('#send-to-note').textContent.startsWith('X-local1nobody is not')`)).toBe(true);
    expect(await page.run(`document.querySelector('#send [name=to]').ariaInvalid`)).toBe('true');
    expect([await inputOf('[name=amount]'), await inputOf('[name=params]'), await inputOf('#setLatency [name=method]')]).toEqual([
      '17',
      '{"half": ',
      'avm.get',
    ]);
    expect(await inputOf('[name=to-other]')).toBe('X-local1nobody');
  });

  test('what somebody else sets is in the strip of an open page: when blocks are made, delays of calls, snapshots', async () => {
    await open('/blocks');
    const shows = (words: string): Promise<boolean> => until(`document.body.textContent.includes(${JSON.stringify(words)})`);
    await node.dev('dev.setAutomine', { enabled: false });
    expect(await shows('Blocks paused')).toBe(true);
    await node.dev('dev.setIntervalMining', { seconds: 3600 });
    expect(await shows('Blocks every 3600 s')).toBe(true);
    await node.dev('dev.setIntervalMining', { seconds: 0 });
    await node.dev('dev.setAutomine', { enabled: true });
    expect(await shows('Blocks as soon as there is work')).toBe(true);
    await node.dev('dev.setLatency', { ms: 1, method: 'avm.getHeight' });
    expect(await until(`document.querySelector('.strip-faults') !== null`)).toBe(true);
    await node.dev('dev.setLatency', { ms: 0, method: 'avm.getHeight' });
    expect(await until(`document.querySelector('.strip-faults') === null`)).toBe(true);
    const { name } = await node.dev('dev.snapshot', { name: 'before the fall' });
    expect(await shows(`Snapshot “${name}”`)).toBe(true);
    await node.dev('dev.deleteSnapshot', { name });
    expect(await until(`!document.body.textContent.includes('before the fall')`)).toBe(true);
  });

  test('what was created is a link and fills the next form; a second faucet works while the first waits for a block', async () => {
    await open('/dev');
    await press('Create');
    expect(await note('Created 1,000 ICE, owned by account 1.')).toBe(true);
    await until(`document.querySelector('#mint [name=assetID]').value !== ''`);
    const id = await inputOf('#mint [name=assetID]');
    expect(await page.run(`document.querySelector('.form-note a[href="/asset/${id}"]') !== null`)).toBe(true);
    await press('Mint');
    expect(await note('Minted 100 ICE for account 1.')).toBe(true);
    await node.dev('dev.setAutomine', { enabled: false });
    await press('Fund');
    expect(await note('Sent 1,000 AVAX from account 0 to account 1.')).toBe(true);
    const first = await page.run<string>(`document.querySelector('#faucet .form-note a').title`);
    await until(`!document.querySelector('#faucet button').disabled`);
    await press('Fund');
    expect(await until(`document.querySelector('#faucet .form-note a').title !== '${first}'`)).toBe(true);
    expect((await node.dev('dev.nodeInfo')).pending).toBe(2);
    await node.dev('dev.setAutomine', { enabled: true });
    await node.dev('dev.mine', { blocks: 1 });
  });

  test('a fault is ordered and ended on the dev panel, and every page shows it', async () => {
    await open('/dev');
    await press('Fail next');
    expect(await note('The next call of avm.issueTx will fail.')).toBe(true);
    expect((await node.dev('dev.nodeInfo')).faults).toMatchObject([{ kind: 'failure', target: 'avm.issueTx', times: 1 }]);
    await open('/blocks');
    expect(await text('.strip-faults')).toContain('1 fault avm.issueTx fails 1 more time: ');
    await open('/dev');
    await press('End');
    expect(await until(`document.querySelector('.strip-faults') === null`)).toBe(true);
    expect((await node.dev('dev.nodeInfo')).faults).toEqual([]);
  });

  test('the clock is shown once, and says that it is frozen', async () => {
    await open('/blocks');
    for (const method of ['dev.freezeTime', 'dev.resetTime', 'dev.freezeTime']) {
      await node.dev(method);
      const isFrozen = method === 'dev.freezeTime';
      expect(await until(`document.querySelector('.strip').textContent.includes('frozen') === ${isFrozen}`)).toBe(true);
    }
    expect(await text('.strip [data-clock]')).toMatch(/^\d+ \w+ \d{4} \d\d:\d\d:\d\d UTC$/);
    await node.dev('dev.resetTime');
  });

  test('text has the designed size, and the age of the first block is not cut', async () => {
    await page.emulate({ width: 1280, height: 900 });
    await open('/');
    const sizes = `['body', '.latest td', '.latest th'].map((one) => getComputedStyle(document.querySelector(one)).fontSize)`;
    expect(await page.run<string[]>(sizes)).toEqual(['14px', '14px', '13px']);
    const cut = `[...document.querySelectorAll('.latest td:last-child')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`;
    expect(await page.run<string[]>(cut)).toEqual([]);
  });

  test('a page that an event loads again does not fade on a slow link', async () => {
    await open('/blocks');
    await page.run(`(() => {
      window.wasBusy = false;
      new MutationObserver(() => { window.wasBusy ||= document.querySelector('main[aria-busy]') !== null; }).observe(document.querySelector('main'), { attributes: true });
      const fetched = window.fetch;
      window.fetch = async (...request) => { await new Promise((resolve) => setTimeout(resolve, 600)); return fetched(...request); };
    })()`);
    const { height } = await node.dev('dev.mine', { blocks: 1 });
    expect(await until(`document.querySelector('main a[href="/block/${height}"]') !== null`)).toBe(true);
    expect(await page.run('window.wasBusy')).toBe(false);
  });

  test('without shared workers more tabs are live than a browser opens connections to one server, which is six: they poll', async () => {
    const tabs: Page[] = [];
    for (let i = 0; i < 7; i++) {
      const tab = await page.openTab('about:blank');
      await tab.addScript('delete window.SharedWorker');
      await tab.open(`${url}/blocks`);
      tabs.push(tab);
    }
    const last = tabs.at(-1) as Page;
    await last.show();
    expect(await eventually(() => last.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean)).toBe(true);
    const { height } = await node.dev('dev.mine', { blocks: 1 });
    const isShown = `document.querySelector('main a[href="/block/${height}"]') !== null`;
    expect(await eventually(() => last.run<boolean>(isShown), Boolean)).toBe(true);
    expect(last.requests.filter((request) => request.includes('/ext/events'))).toEqual([]);
    for (const tab of tabs) await tab.close();
    await page.show();
  });

  test('a search lists matches as one types; arrows and Enter open one', async () => {
    await open('/blocks');
    await page.run(`document.querySelector('.search input').focus()`);
    await type('.search input', 'aVALan');
    expect(await until(`document.querySelector('#suggestions a')?.textContent.startsWith('asset, Avalanche (AVAX)')`)).toBe(true);
    for (const key of ['ArrowDown', 'Enter'])
      await page.run(
        `document.querySelector('.search input').dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }))`,
      );
    expect(await until(`location.pathname.startsWith('/asset/')`)).toBe(true);
  });

  test('methods and routes are listed as one types, those of the name first, and lead where a submitted search leads', async () => {
    await open('/blocks');
    await page.run(`document.querySelector('.search input').focus()`);
    for (const [typed, path] of [
      ['avm.getTx', '/api/avm.getTx'],
      ['getTxByHash', '/api/data/getTxByHash'],
    ] as const) {
      await type('.search input', typed);
      expect(await until(`document.querySelector('#suggestions a')?.getAttribute('href') === '${path}'`)).toBe(true);
      const submitted = await node.program().client.send('GET', `/search?q=${typed}`, { accept: 'text/html' });
      expect(submitted.headers.location).toBe(path);
    }
    await type('.search input', 'gettxbyh');
    expect(await until(`document.querySelector('#suggestions a')?.getAttribute('href') === '/api/data/getTxByHash'`)).toBe(true);
  });

  test('the page of holders and the list of what waits change with the chain, without a reload, and equal one', async () => {
    const { accounts } = await node.dev('dev.accounts');
    const { assetID } = await node.dev('dev.createAsset', { name: 'Ice', symbol: 'ICE', supply: '1000', owner: accounts[0].address });
    const follow = async (path: string, change: () => Promise<unknown>, selector: string): Promise<void> => {
      await open(path);
      await page.run('window.isSamePage = true');
      const count = `document.querySelectorAll(${JSON.stringify(selector)}).length`;
      const before = await page.run<number>(count);
      await change();
      expect([path, await until(`${count} === ${before + 1}`)]).toEqual([path, true]);
      // Ages of a reload are of a later second. The word of a button may follow.
      const withoutAges = (text: string): string => text.replaceAll(/\d+ s(?![a-z])/g, '');
      const { shown, loaded } = await pageTexts(page);
      expect([path, withoutAges(shown)]).toEqual([path, withoutAges(loaded)]);
      expect(await page.run('window.isSamePage')).toBe(true);
    };
    const send = () => node.dev('dev.send', { from: 0, to: accounts[1].address, assetID, amount: '100' });
    await follow(`/holders/${assetID}`, send, '.holders tbody tr');
    expect(await text('main')).toContain('90.00 %');
    await node.dev('dev.setAutomine', { enabled: false });
    await follow('/mempool', send, '[data-csv=waiting] tbody tr');
    expect(await text('.pager-place')).toBe('1 of 1 transaction');
    await node.dev('dev.setAutomine', { enabled: true });
  });

  test('a watched address marks the title of a tab that is not shown, until it is shown', async () => {
    const { accounts } = await node.dev('dev.accounts');
    const path = `/address/${accounts[1].address}`;
    await open(path);
    await press('Watch');
    const other = await page.openTab(`${url}/node`);
    await other.show();
    await until('document.hidden');
    await node.dev('dev.faucet', { to: accounts[1].address, amount: '3 AVAX' });
    expect(await until(`document.title.startsWith('(1) ')`)).toBe(true);
    const { assetID } = await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD' });
    await node.dev('dev.mintNFT', { assetID, to: accounts[1].address, payload: 'ace' });
    expect(await until(`document.title.startsWith('(2) ')`)).toBe(true);
    await page.show();
    expect(await until(`!document.title.startsWith('(')`)).toBe(true);
    await press('Watched');
    expect(await page.run(`localStorage.getItem('serac-watched')`)).toBe('[]');
    await other.close();
  });

  test('on a phone the tab of the page is in view, and a table that goes on has a shade at its edge', async () => {
    await page.emulate({ width: 390, height: 844 });
    await open('/node');
    const isInView = `(() => {
      const { left, right } = document.querySelector('.nav [aria-current]').getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    })()`;
    expect(await until(isInView)).toBe(true);
    await open('/blocks');
    expect(await page.run(`getComputedStyle(document.querySelector('.scroll')).backgroundAttachment`)).toBe('local, local, scroll, scroll');
    // A long name does not push amounts out of the window.
    await node.dev('dev.createAsset', { name: 'W'.repeat(128), symbol: 'WWWW', denomination: 32, supply: '9'.repeat(19) });
    await open('/');
    const cut = await page.run<
      string[]
    >(`[...document.querySelectorAll('.tx-list td:nth-child(4), .tx-list td:nth-child(5)')].filter((cell) => {
      const { left, right } = cell.getBoundingClientRect();
      return left < 16 || right > innerWidth - 16;
    }).map(({ textContent }) => textContent)`);
    expect(cut).toEqual([]);
    expect(await page.run<number>(`document.querySelectorAll('.tx-list td:nth-child(4)').length`)).toBeGreaterThan(3);
    await page.emulate({ width: 1280, height: 900 });
  });

  test('after a revert on the dev panel it says what changed', async () => {
    const { accounts } = await node.dev('dev.accounts');
    await node.dev('dev.snapshot', { name: 'base' });
    await node.dev('dev.faucet', { to: accounts[1].address, amount: '12.5 AVAX' });
    await open('/dev');
    await press('Revert');
    expect(await until(`document.querySelector('.undone') !== null`)).toBe(true);
    const undone = await text('.undone');
    expect(undone).toContain('The revert to base removed 1 block and 1 transaction. 2 balances changed:');
    expect(undone).toContain('account 1−12.5 AVAX');
    expect(undone).toContain('account 0+12.501 AVAX');
    await node.dev('dev.deleteSnapshot', { name: 'base' });
  });

  test("a time is in the reader's zone from the first paint on, in UTC when the reader asks for it, and always in a tooltip", async () => {
    const { address } = (await node.dev('dev.accounts')).accounts[1];
    const { txID } = await node.dev('dev.faucet', { to: address });
    const { text: html } = await node.program().client.send('GET', `/tx/${txID}`, { accept: 'text/html' });
    const [, utc = ''] = /<time[^>]* data-form="full">([^<]*\d{4} \d\d:\d\d:\d\d UTC)</.exec(html.slice(html.indexOf('<main'))) ?? [];
    const readTime = (): Promise<string> => page.run(`document.querySelector('main time').textContent`);
    const switchZone = async (shown: string): Promise<void> => {
      expect(await text('[data-zone-button]')).toBe(`Times in ${shown}`);
      await page.run(`document.querySelector('[data-zone-button]').click()`);
    };
    await page.setTimeZone('Asia/Kabul');
    // When the page is parsed, and before its script runs.
    await page.addScript(`window.firstTime = '';
      document.addEventListener('readystatechange', () => queueMicrotask(() => { window.firstTime ||= document.querySelector('main time')?.textContent ?? 'none'; }));`);
    await open(`/tx/${txID}`);
    const seconds = (text: string): number =>
      (/\d\d:\d\d:\d\d/.exec(text)?.[0] ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    const local = await readTime();
    expect(local).toEndWith(' UTC+4:30');
    expect((seconds(local) - seconds(utc) + 86_400) % 86_400).toBe(4.5 * 3600);
    expect(await until(`window.firstTime !== ''`)).toBe(true);
    expect(await page.run(`window.firstTime`)).toBe(local);
    expect(await page.run<string>(`document.querySelector('main time').title`)).toStartWith(`${utc}, 20`);
    await switchZone('Asia/Kabul');
    expect(await until(`document.querySelector('main time').textContent === '${utc}'`)).toBe(true);
    // The choice is kept, for tables too, whose head names the zone.
    await open(`/outputs/${address}?state=all`);
    const heads = `[...document.querySelectorAll('th')].map(({ textContent }) => textContent).join()`;
    expect(await page.run<string>(heads)).toContain('Created, UTC');
    await switchZone('UTC');
    expect(await until(`(${heads}).includes('Created, Asia/Kabul')`)).toBe(true);
    await page.run(`localStorage.removeItem('serac-times')`);
    await page.setTimeZone('UTC');
  });

  test('throughput shows a range that fits a young chain', async () => {
    await page.open(`${url}/throughput`);
    expect(await page.run(`document.querySelector('nav.switch [aria-current]').textContent`)).toMatch(/^1(0)? min$/);
    expect(await page.run<number>(`document.querySelectorAll('table[data-csv=throughput] tbody tr').length`)).toBeGreaterThan(0);
  });

  test('an address lights no item of the navigation; a height above the last block names the last block', async () => {
    const { accounts } = await node.dev('dev.accounts');
    await open(`/address/${accounts[1].address}`);
    expect(
      await page.run(`[...document.querySelectorAll('nav[aria-label=Pages] [aria-current]')].map(({ textContent }) => textContent)`),
    ).toEqual([]);
    const { height } = await node.dev('dev.nodeInfo');
    await page.open(`${url}/block/999999`);
    expect(await text('main')).toContain(`The last block of X-Chain is ${height}.`);
  });
});
