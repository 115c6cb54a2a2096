import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** What a reader has at hand on every page: the palette, names of addresses, the watch page, QR codes. One node: with its token it is a developer's chain. */

const binary = chromiumBinary();
const token = 'open-sesame-1234';
const axe = await Bun.file(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)).text();

describe.skipIf(binary === undefined)('Chromium: at hand', () => {
  let node: Program;
  let page: Page;
  let accounts: readonly { readonly address: string }[];
  let [address, payee] = ['', ''];
  // biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
  const dev = async (method: string, params: object = {}): Promise<any> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(`${node.url}/ext/dev`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    expect([method, error]).toEqual([method, undefined]);
    return result;
  };
  const until = (expression: string): Promise<boolean> => eventually(() => page.run<boolean>(expression), Boolean, 20_000);
  const text = (selector: string): Promise<string> => page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
  const open = async (path: string): Promise<void> => {
    await page.open(node.url + path);
    expect(await until(`document.querySelector('.stream-state.live') !== null`)).toBe(true);
  };
  const press = (word: string): Promise<void> =>
    page.run(
      `[...document.querySelectorAll('main button')].find(({ textContent, checkVisibility }) => textContent === ${JSON.stringify(word)}).click()`,
    );
  const type = (selector: string, value: string): Promise<void> =>
    page.run(`(() => {
      const input = document.querySelector(${JSON.stringify(selector)});
      input.value = ${JSON.stringify(value)};
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
  const key = (selector: string, name: string, more = ''): Promise<void> =>
    page.run(
      `document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new KeyboardEvent('keydown', { key: '${name}', bubbles: true, cancelable: true${more} }))`,
    );
  const openPalette = async (): Promise<void> => {
    await key('body', 'k', ', ctrlKey: true');
    expect(await until(`document.querySelector('dialog.palette[open] [role=option]') !== null`)).toBe(true);
  };
  const chosen = (): Promise<string> => text('.palette [aria-selected=true] b');
  const findViolations = async (): Promise<string[]> => {
    await page.run(axe);
    return page.run(`axe.run(document, { resultTypes: ['violations'], preload: false, iframes: false }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(' | ')))`);
  };

  beforeAll(async () => {
    node = await startProgram('--accounts=3', `--dev-token=${token}`);
    ({ accounts } = await dev('dev.accounts'));
    [address, payee] = [accounts[1]!.address, accounts[2]!.address];
    await dev('dev.freezeTime');
    await dev('dev.send', { from: 1, to: payee, amount: '5 AVAX' });
    page = await openChromium(binary!);
    await page.emulate({ width: 1280, height: 900, reducesMotion: true });
    await page.addScript(`window.shifts = 0;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value; })
        .observe({ type: 'layout-shift', buffered: true });`);
  });
  afterAll(async () => {
    await page?.close();
    await node.stop();
  });

  test('a name is kept in the browser, stands beside the address in lists without moving them, and is forgotten', async () => {
    await open(`/address/${address}`);
    expect(await text('h1')).toBe('Address');
    await press('Name it');
    await type('dialog[open] input', 'Ali\u202ece');
    await page.run(`document.querySelector('dialog[open] [type=submit]').click()`);
    expect(await until(`document.querySelector('dialog[open] .bad-text').textContent.includes('invisible')`)).toBe(true);
    await type('dialog[open] input', 'Alice <b>');
    await page.run(`document.querySelector('dialog[open] [type=submit]').click()`);
    expect(await until(`document.querySelector('h1').textContent === 'Alice <b>' && document.querySelector('dialog[open]') === null`)).toBe(
      true,
    );
    await open('/');
    expect(await until(`document.querySelector('main a.named') !== null`)).toBe(true);
    const link = await page.run<{ text: string; title: string }>(
      `(({ textContent, title }) => ({ text: textContent, title }))(document.querySelector('main a.named'))`,
    );
    expect(link.title).toBe(address);
    expect(link.text).toContain('Alice <b>');
    expect(link.text).toContain(address.slice(-6));
    expect(await page.run<number>('window.shifts')).toBeLessThan(0.001);
    expect(await findViolations()).toEqual([]);
    await open('/watch');
    expect(await until(`document.querySelector('[data-csv=names]') !== null`)).toBe(true);
    const exported = decodeURIComponent(await page.run<string>(`document.querySelector('a[download]').href`));
    expect(exported).toContain('Alice <b>');
    await page.run(`document.querySelector('[aria-label^="Forget"]').click()`);
    expect(await until(`document.querySelector('[data-csv=names]') === null`)).toBe(true);
    expect(await page.run(`localStorage.getItem('serac-names')`)).toBe('{}');
  });

  test('watched addresses are listed with balance and newest transaction, live as a reload shows them, and say what is new', async () => {
    await open('/watch');
    expect(await until(`document.querySelector('main').textContent.includes('No address is watched')`)).toBe(true);
    await open(`/address/${payee}`);
    await press('Watch');
    await open('/watch');
    const row = `document.querySelector('.watched tbody tr')?.textContent ?? ''`;
    expect(await until(`(${row}).includes('AVAX') && location.search.includes('${payee}')`)).toBe(true);
    expect(await page.run<string>(row)).not.toContain('new');
    const before = await page.run<string>(row);
    await dev('dev.send', { from: 1, to: payee, amount: '7.25 AVAX' });
    expect(await until(`(${row}).includes('1 new')`)).toBe(true);
    const live = await page.run<string>(row);
    expect(live).not.toBe(before);
    expect(live).toContain('7.25 AVAX');
    await open('/watch');
    expect(await until(`(${row}) === ${JSON.stringify(live)}`)).toBe(true);
    expect(await findViolations()).toEqual([]);
    // Another visit, later: the same transactions are no longer new.
    await page.run(`(() => {
      const visit = JSON.parse(localStorage.getItem('serac-watch-seen'));
      localStorage.setItem('serac-watch-seen', JSON.stringify({ ...visit, time: visit.time - 3_600_000 }));
    })()`);
    await open('/watch');
    expect(await until(`(${row}).includes('7.25 AVAX') && !(${row}).includes('1 new')`)).toBe(true);
    await page.run(`document.querySelector('[aria-label^="Stop watching"]').click()`);
    expect(await until(`document.querySelector('main').textContent.includes('No address is watched')`)).toBe(true);
  });

  test('without script the watch page says where its list is, and lists the addresses of its URL', async () => {
    const html = async (path: string): Promise<string> => (await fetch(node.url + path, { headers: { accept: 'text/html' } })).text();
    expect(await html('/watch')).toContain('kept in your browser and needs JavaScript');
    const listed = await html(`/watch?addresses=${address},nonsense,${payee},${address}`);
    expect(listed.split('<tr').length - 1).toBe(3);
    expect(listed).toContain('data-amount="7.25"');
  });

  test('the QR code of an address is drawn when it is asked for', async () => {
    await open(`/address/${address}`);
    expect(await page.run(`document.querySelector('.qr svg')`)).toBeNull();
    await press('QR code');
    expect(await until(`document.querySelector('dialog.qr[open] path') !== null`)).toBe(true);
    expect(await page.run<number>(`document.querySelector('.qr svg').getBoundingClientRect().width`)).toBeGreaterThan(200);
    expect(await text('.qr p')).toBe(address);
    expect(await findViolations()).toEqual([]);
  });

  test('the palette is loaded when it is used, finds pages, methods, documents, addresses and dates, and gives the focus back', async () => {
    await open('/blocks');
    const loadedParts = (): number => page.requests.filter((url) => url.includes('/_page/part-')).length;
    const parts = loadedParts();
    await page.run(`document.querySelector('.brand').focus()`);
    await openPalette();
    expect(loadedParts()).toBeGreaterThan(parts);
    expect(await page.run(`document.activeElement.getAttribute('role')`)).toBe('combobox');
    expect(await findViolations()).toEqual([]);
    const finds = async (typed: string, word: string): Promise<void> => {
      await type('.palette input', typed);
      const words = `[...document.querySelectorAll('.palette [role=option] b')].map(({ textContent }) => textContent)`;
      const isListed = (shown: readonly string[]): boolean => shown.includes(word);
      expect(isListed(await eventually(() => page.run<string[]>(words), isListed, 20_000))).toBe(true);
    };
    await finds('throughp', 'Throughput');
    await finds('avm.getTx', 'avm.getTx');
    await finds(
      'avala',
      await page.run<string>(
        `fetch('/v1/networks/local/blockchains/x-chain/search?q=AVAX').then((r) => r.json()).then(({ results }) => results[0].id)`,
      ),
    );
    await finds(payee, payee.slice(2));
    await finds('2020-01-01', 'Block 0');
    await key('.palette input', 'Escape');
    expect(await until(`document.querySelector('dialog.palette') === null`)).toBe(true);
    expect(await page.run(`document.activeElement.className`)).toBe('brand');
    await openPalette();
    await finds('mempool', 'Mempool');
    const first = await chosen();
    await key('.palette input', 'ArrowDown');
    expect(await until(`(document.querySelector('.palette [aria-selected=true] b')?.textContent ?? '') !== ${JSON.stringify(first)}`)).toBe(
      true,
    );
    await key('.palette input', 'ArrowUp');
    expect(await until(`document.querySelector('.palette [aria-selected=true] b').textContent === ${JSON.stringify(first)}`)).toBe(true);
    await key('.palette input', 'Enter');
    expect(await until(`location.pathname !== '/blocks'`)).toBe(true);
  });

  test("on a developer's chain a name is a label, and the palette does what needs no answers", async () => {
    await page.run(`sessionStorage.setItem('serac-dev-token', '${token}')`);
    await open(`/address/${payee}`);
    expect(await until(`document.querySelector('h1').textContent === 'Account 2'`)).toBe(true);
    await press('Name it');
    await type('dialog[open] input', 'shop');
    await page.run(`document.querySelector('dialog[open] [type=submit]').click()`);
    expect(await until(`document.querySelector('h1').textContent === 'shop'`)).toBe(true);
    expect((await dev('dev.labels')).labels).toEqual([{ address: payee, name: 'shop' }]);
    const { height } = await dev('dev.nodeInfo');
    await openPalette();
    await type('.palette input', 'mine blocks');
    expect(await until(`document.querySelector('.palette [aria-selected=true] b')?.textContent === 'Mine blocks'`)).toBe(true);
    await key('.palette input', 'Enter');
    expect(await until(`document.querySelector('.palette-note').textContent.startsWith('Mined up to block')`)).toBe(true);
    expect(Number((await dev('dev.nodeInfo')).height)).toBe(Number(height) + 1);
    await type('.palette input', 'shop');
    expect(
      await until(`[...document.querySelectorAll('.palette [role=option] b')].some(({ textContent }) => textContent === 'shop')`),
    ).toBe(true);
    expect(page.console.filter((line) => !line.includes('404'))).toEqual([]);
  });
});
