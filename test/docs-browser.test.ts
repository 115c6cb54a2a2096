import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { docsTable } from '../src/explorer/docs/docs-table.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** The documentation site of a node in a real Chromium. */

const binary = chromiumBinary();
const axe = await Bun.file(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)).text();
/** Each kind of page: home, tables, code, many headings, a list, a page in a folder. */
const checkedPages = [
  'index',
  'start/first-hour',
  'reference/metrics-api',
  'start/from-anvil',
  'operate/damage',
  'understand/decisions/index',
  'understand/decisions/bun',
];

describe.skipIf(binary === undefined)('Chromium: the documentation', () => {
  let node: Program;
  let page: Page;
  const open = (name: string): Promise<void> => page.open(`${node.url}/docs/${name}.html`);
  const until = (expression: string): Promise<boolean> => eventually(() => page.run<boolean>(expression), Boolean);
  const press = (key: string, target = 'document.activeElement'): Promise<void> =>
    page.run(`${target}.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true }))`);
  const type = (text: string): Promise<void> =>
    page.run(`(() => {
      const input = document.querySelector('.search input');
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);

  beforeAll(async () => {
    node = await startProgram();
    page = await openChromium(binary!);
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  test.each([
    { width: 390, isDark: false },
    { width: 1440, isDark: true },
  ])('pages are accessible and no wider than the window (%p)', async ({ width, isDark }) => {
    await page.emulate({ width, height: 900, isDark, reducesMotion: true });
    const violations: string[] = [];
    for (const name of checkedPages) {
      await open(name);
      await page.run(axe);
      const found = await page.run<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`);
      violations.push(...found.map((text) => `${name} at ${width}: ${text}`));
    }
    expect(violations).toEqual([]);
  });

  test('no page is wider than a phone', async () => {
    await page.emulate({ width: 390, height: 800 });
    const wide: string[] = [];
    for (const { page: name } of docsTable) {
      await open(name);
      const excess = await page.run<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      if (excess > 0) wide.push(`${name}: ${excess} px`);
    }
    expect(wide).toEqual([]);
  });

  test('the search index is loaded when somebody searches; / focuses, arrows choose, Enter opens', async () => {
    await page.emulate({ width: 1280, height: 900 });
    await open('start/first-hour');
    const before = page.requests.length;
    await press('a', 'document.body');
    expect(await page.run<boolean>('document.activeElement === document.body')).toBe(true);
    await press('/', 'document.body');
    expect(await page.run<boolean>(`document.activeElement === document.querySelector('.search input')`)).toBe(true);
    expect(page.requests.slice(before).filter((url) => url.includes('search'))).toEqual([]);
    await type('dev.increaseTime');
    await until(`document.querySelectorAll('.suggestions a').length > 0`);
    expect(page.requests.slice(before).filter((url) => url.includes('search')).length).toBe(1);
    await press('ArrowDown');
    expect(await page.run<string>(`document.querySelector('[aria-selected=true] a').getAttribute('href')`)).toBe(
      '../reference/dev-methods.html#devincreasetime',
    );
    await press('Enter');
    await until(`location.pathname === '/docs/reference/dev-methods.html' && document.readyState === 'complete'`);
    expect(await page.run<string>('location.hash')).toBe('#devincreasetime');
  });

  test('a search finds words of the text on pages of folders, and says when there is nothing', async () => {
    await open('understand/decisions/bun');
    await page.run(`document.querySelector('.search input').focus()`);
    await type('page token encrypted');
    await until(`document.querySelectorAll('.suggestions a[href]').length > 0`);
    const links = await page.run<string[]>(`[...document.querySelectorAll('.suggestions a')].map((link) => link.href)`);
    expect(
      links.some(
        (link) => link.endsWith('/docs/understand/decisions/page-tokens.html') || link.includes('/docs/reference/data-api.html#pages'),
      ),
    ).toBe(true);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
    await type('<img src=x onerror=alert(1)>');
    await until(`document.querySelector('.suggestions').textContent.includes('No page contains')`);
    expect(await page.run<number>(`document.querySelectorAll('.suggestions img').length`)).toBe(0);
  });

  test('a search knows methods and routes: their pages of this server, behind a section about the same one', async () => {
    await open('start/first-hour');
    await page.run(`document.querySelector('.search input').focus()`);
    const linksFor = async (text: string): Promise<string[]> => {
      await type(text);
      await until(`document.querySelector('.suggestions a mark')?.textContent.toLowerCase() === ${JSON.stringify(text.toLowerCase())}`);
      return page.run<string[]>(`[...document.querySelectorAll('.suggestions a')].map((link) => link.getAttribute('href'))`);
    };
    for (const [name, page, anchor] of [
      [
        'listLatestPrimaryNetworkTransactions',
        'data/listLatestPrimaryNetworkTransactions',
        'data-api.html#listlatestprimarynetworktransactions',
      ],
      ['dev.increaseTime', 'dev.increaseTime', 'dev-methods.html#devincreasetime'],
    ] as const)
      expect((await linksFor(name)).slice(0, 2)).toEqual([`../reference/${anchor}`, `/api/${page}`]);
    expect(await linksFor('avm.gettx')).toContain('/api/avm.getTx');
  });

  test('code has a copy button, the theme can be changed and stays', async () => {
    await open('start/first-hour');
    await page.run(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })`);
    await page.run(`document.querySelector('.copy-code').click()`);
    expect(await page.run<string>('window.copied')).toBe('npm ci && npm start');
    await page.run(`document.querySelector('[data-theme-button]').click()`);
    const theme = await page.run<string>('document.documentElement.dataset.theme');
    await open('guides/join');
    expect(await page.run<string>('document.documentElement.dataset.theme')).toBe(theme);
  });

  test('on a phone the list of pages opens and closes, also without a script', async () => {
    await page.emulate({ width: 390, height: 800 });
    await page.setScripts(false);
    await open('guides/join');
    await page.setScripts(true);
    await open('guides/join');
    const isShown = (): Promise<boolean> => page.run<boolean>(`document.querySelector('.docs-nav').checkVisibility()`);
    expect(await isShown()).toBe(false);
    await page.run(`document.querySelector('.menu-button').click()`);
    expect(await isShown()).toBe(true);
    await page.run(`document.querySelector('.close-menu').click()`);
    expect(await isShown()).toBe(false);
  });

  test('nothing was refused by the policy, and nothing thrown', () => {
    expect(page.console).toEqual([]);
    expect(page.requests.filter((url) => !url.startsWith(node.url))).toEqual([]);
  });
});
