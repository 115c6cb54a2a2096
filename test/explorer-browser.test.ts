import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { makeExplorerSample } from './explorer-sample.ts';
import { eventually } from './processes.ts';
import { isLong } from './random.ts';

/** The explorer in a real Chromium. */
const binary = chromiumBinary();
/** The most that a page may move; browsers call 0.1 good. The digits of clocks and ages have no fixed width in every font. */
const maxShift = 0.001;
/** Phone, tablet and desktop; a theme has colours only, so it is enough that the rules of accessibility are checked once in each. */
const windows = [
  { width: 390, isDark: false, isChecked: true },
  { width: 768, isDark: false, isChecked: false },
  { width: 1280, isDark: true, isChecked: true },
];
const axe = await Bun.file(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)).text();

/** Serves the documents of another server in pieces, as a slow network or a busy browser gets them, and only those. */
const serveInPieces = (target: string) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async ({ url }) => {
      const response = await fetch(target + new URL(url).pathname, { headers: { accept: 'text/html' } });
      const type = response.headers.get('content-type') ?? '';
      const headers = { 'content-type': type };
      if (!type.startsWith('text/html')) return new Response(response.body, { status: response.status, headers });
      const pieces = (await response.text()).match(/.{1,400}/gs) ?? [];
      const pull = async (stream: ReadableStreamDefaultController): Promise<void> => {
        const piece = pieces.shift();
        if (piece === undefined) return stream.close();
        stream.enqueue(piece);
        await Bun.sleep(25);
      };
      return new Response(new ReadableStream({ pull }), { headers });
    },
  });

describe.skipIf(binary === undefined)('Chromium: the explorer', () => {
  let node: DevNode;
  let page: Page;
  let url: string;
  let paths: readonly string[];
  let snapshotHeight: string;
  // biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
  let accounts: readonly any[];
  const waitFor = <T>(run: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> => eventually(run, isDone);
  const text = (selector: string): Promise<string> => page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
  const until = (expression: string): Promise<boolean> =>
    waitFor(
      () => page.run<boolean>(expression),
      (value) => value,
    );

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=3', '--reorg-depth=5');
    url = node.program().url;
    ({ accounts, paths, snapshotHeight } = await makeExplorerSample(node));
    page = await openChromium(binary!);
    await page.addScript(`(() => {
      window.shifts = 0;
      window.shifted = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.hadRecentInput) continue;
          window.shifts += entry.value;
          for (const { node, previousRect, currentRect } of entry.sources)
            window.shifted.push([node?.nodeName, node?.className, ...[previousRect, currentRect].flatMap(({ x, y, width }) => [x, y, width])].join(' '));
        }
      }).observe({ type: 'layout-shift', buffered: true });
    })()`);
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  test('every page, in both themes, from phone to desktop: accessible, no wider than the window, nothing refused or thrown', async () => {
    const violations: string[] = [];
    const paints: number[] = [];
    const checkedKinds = new Set<string>();
    let largestShift = 0;
    for (const [at, { width, isDark, isChecked }] of windows.entries()) {
      await page.emulate({ width, height: 900, isDark, reducesMotion: true });
      // `npm run test:all` opens each page in one of the windows, `.ci/run` in all.
      for (const path of paths.filter((_, i) => isLong || i % windows.length === at)) {
        await page.open(url + path);
        await until(`document.querySelector('.stream-state.live') !== null`);
        const paint = await page.run<number>(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`);
        paints.push(paint);
        const shift = await page.run<number>('window.shifts');
        largestShift = Math.max(largestShift, shift);
        if (shift > maxShift)
          violations.push(`${path} moves by ${shift} at ${width}: ${await page.run<string>('window.shifted.slice(0, 3).join()')}`);
        const wide = await page.run<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        if (wide > 0) violations.push(`${path} is ${wide} px wider than ${width}`);
        // The rules of accessibility take most of the time: `npm run test:all` checks one page of each kind, `.ci/run` every page in both themes.
        const kind = path.split(/[/?#]/)[1] as string;
        if (!isChecked || (!isLong && checkedKinds.has(kind))) continue;
        checkedKinds.add(kind);
        await page.run(axe);
        const found = await page.run<
          string[]
        >(`axe.run(document, { resultTypes: ['violations'], preload: false, iframes: false }).then(({ violations }) =>
          violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`);
        violations.push(...found.map((one) => `${path} ${width} ${isDark ? 'dark' : 'light'}: ${one}`));
      }
    }
    expect(violations).toEqual([]);
    const sorted = paints.toSorted((a, b) => a - b);
    const [median = 0, slowest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
    process.stdout.write(
      `explorer: first paint median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms, largest layout shift ${largestShift.toFixed(5)}\n`,
    );
    expect(median).toBeLessThan(1500);
    // The page of a search without a result has the status 404, which Chromium logs.
    expect(page.console.filter((line) => !line.includes('404'))).toEqual([]);
    // The browser draws the icon of a date field from a data URL of its own.
    expect(page.requests.filter((request) => !request.startsWith(`${url}/`) && !request.startsWith('data:image/svg+xml;base64,'))).toEqual(
      [],
    );
    expect(page.requests.filter((request) => request.endsWith('/x'))).toEqual([]);
  }, 900_000);

  test('a page that arrives in pieces does not move', async () => {
    const server = serveInPieces(url);
    await page.emulate({ width: 768, height: 900, reducesMotion: true });
    for (const path of ['/blocks', '/assets', ...paths.filter((one) => /^\/(graph|outputs)\//.test(one))]) {
      await page.open(`http://127.0.0.1:${server.port}${path}`);
      // The browser reports a shift after the frame.
      await page.run('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))');
      const [shift, rows, moved] = await page.run<[number, number, string]>(
        `[window.shifts, document.querySelectorAll('tbody tr').length, window.shifted.slice(0, 3).join()]`,
      );
      expect([path, rows > 1, shift < maxShift, moved]).toEqual([path, true, true, expect.anything()]);
    }
    await server.stop(true);
  });

  test('a dropped transaction is checked again when its button is pressed', async () => {
    const path = paths.findLast((one) => one.startsWith('/tx/')) as string;
    await page.open(url + path);
    await until(`document.querySelector('.stream-state.live') !== null`);
    const before = page.requests.length;
    await page.run(`document.querySelector('.page-title .buttons button').click()`);
    expect(await eventually(() => page.requests.slice(before).includes(url + path), Boolean)).toBe(true);
  });

  test('a new block and its transaction appear without a reload', async () => {
    await page.emulate({ width: 1280, height: 900 });
    await page.open(`${url}/`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    await page.run('window.isSamePage = true');
    const { txID } = await node.dev('dev.faucet', { to: accounts[1].address, amount: '1 AVAX' });
    expect(await until(`document.querySelector('.tx-list a[href="/tx/${txID}"]') !== null`)).toBe(true);
    const height = Number((await node.dev('dev.nodeInfo')).height);
    expect(await until(`document.querySelector('.tape a.newest').getAttribute('href') === '/block/${height}'`)).toBe(true);
    expect(await page.run('window.isSamePage')).toBe(true);
  });

  test('a held list does not move, and says how many are new', async () => {
    const firstRow = `document.querySelector('.tx-list tbody a[href^="/tx/"]').getAttribute('href')`;
    await page.run(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'h', bubbles: true }))`);
    await until(`document.querySelector('[data-key=h]').getAttribute('aria-pressed') === 'true'`);
    const before = await page.run<string>(firstRow);
    await node.dev('dev.faucet', { to: accounts[1].address, amount: '1 AVAX' });
    await until(`document.querySelector('.new-bar') !== null`);
    expect(await text('.new-bar')).toBe('1 new');
    expect(await page.run<string>(firstRow)).toBe(before);
    await page.run(`document.querySelector('[data-key=h]').click()`);
    await until(`${firstRow} !== ${JSON.stringify(before)}`);
  });

  test('a revert removes what is gone from all open pages, and a page of something gone says so', async () => {
    await node.dev('dev.snapshot', { name: 'just before' });
    const { txID } = await node.dev('dev.faucet', { to: accounts[1].address, amount: '5 AVAX' });
    await page.open(`${url}/`);
    await until(`document.querySelector('.tx-list a[href="/tx/${txID}"]') !== null`);
    const openLive = async (path: string): Promise<Page> => {
      const opened = await page.openTab(url + path);
      await opened.show();
      expect(await waitFor(() => opened.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean)).toBe(true);
      return opened;
    };
    const tab = await openLive(`/tx/${txID}`);
    const second = await openLive(`/address/${accounts[1].address}`);
    await page.show();
    // Its stream was closed while it was hidden, and a page that connects after the revert does not tell of it: a new transaction shows that it is open.
    const { txID: later } = await node.dev('dev.faucet', { to: accounts[1].address, amount: '1 AVAX' });
    await until(`document.querySelector('.tx-list a[href="/tx/${later}"]') !== null`);
    await node.dev('dev.revert', { name: 'just before' });
    expect(await until(`document.querySelector('.tx-list a[href="/tx/${txID}"]') === null`)).toBe(true);
    expect(await until(`document.querySelector('[role=status]').textContent.includes('2 blocks and 2 transactions are gone')`)).toBe(true);
    // Hidden tabs catch up when they are shown.
    await tab.show();
    expect(await waitFor(() => tab.run<boolean>(`document.body.classList.contains('gone')`), Boolean)).toBe(true);
    await second.show();
    expect(await waitFor(() => second.run<boolean>(`document.querySelector('a[href="/tx/${txID}"]') === null`), Boolean)).toBe(true);
    await tab.show();
    const note = await tab.run<string>(`document.querySelector('.gone-note').textContent`);
    expect(note).toContain('This transaction is no longer in the chain');
    await tab.run(`document.querySelector('.gone-note button').click()`);
    const isBack = `!document.body.classList.contains('gone') && document.querySelector('.chip.ok')?.textContent === 'accepted'`;
    expect(await waitFor(() => tab.run<boolean>(isBack), Boolean)).toBe(true);
    await node.dev('dev.deleteSnapshot', { name: 'just before' });
    await page.show();
    await tab.close();
    await second.close();
  });

  test('a reorg is told as one, and the note can be closed', async () => {
    for (let i = 0; i < 2; i++) await node.dev('dev.faucet', { to: accounts[1].address, amount: '5 AVAX' });
    await page.open(`${url}/blocks`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    const { height } = await node.dev('dev.reorg', { depth: 2 });
    const note = `Reorg2 blocks above block ${Number(height) - 2} were replaced by others.`;
    expect(
      await waitFor(
        () => text('[role=status]'),
        (shown) => shown !== '',
      ),
    ).toBe(note);
    await page.run(`document.querySelector('.strip-close').click()`);
    expect(
      await waitFor(
        () => text('[role=status]'),
        (shown) => shown === '',
      ),
    ).toBe('');
    // It does not come back with the next event.
    await node.dev('dev.mine', { blocks: 1 });
    await until(`document.querySelector('.foot-right').textContent.includes('${Number(height) + 1}')`);
    expect(await text('[role=status]')).toBe('');
  });

  test('the outputs of a transaction are saved as CSV, with whole IDs', async () => {
    const { txID } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '2.5 AVAX' });
    await page.open(`${url}/tx/${txID}`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    await page.run(
      `URL.createObjectURL = (blob) => { void blob.text().then((text) => { window.saved = text; }); return 'about:blank#csv'; }`,
    );
    await page.run(`HTMLAnchorElement.prototype.click = () => {}`);
    await page.run(`document.querySelector('[data-save-csv=Produced]').click()`);
    await until('window.saved !== undefined');
    const rows = (await page.run<string>('window.saved')).split('\n');
    expect(rows[0]).toBe('"Index","Owners","State","Amount","Amount unit"');
    expect(rows).toHaveLength(3);
    const sent = rows.find((row) => row.endsWith(',"2.5","AVAX"')) as string;
    expect(sent).toContain(`"${accounts[2].address}"`);
    expect(sent).toContain('unspent');
  });

  test('the JSON of a transaction is loaded when its tab is opened', async () => {
    const { txID } = await node.dev('dev.faucet', { to: accounts[1].address, amount: '1 AVAX' });
    await page.open(`${url}/tx/${txID}`);
    expect(await page.run(`document.getElementById('payload').textContent.includes('utxoBytes')`)).toBe(false);
    // Its script listens to clicks once it is loaded.
    await until(`document.querySelector('.stream-state.live') !== null`);
    await until(`[...document.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === 'JSON')?.click() === undefined`);
    expect(await until(`document.querySelector('#raw-text').textContent.includes('"utxoBytes"')`)).toBe(true);
    const shown = JSON.parse(await text('#raw-text'));
    expect(shown).toEqual(await (await fetch(`${url}/tx/${txID}`, { headers: { accept: 'application/json' } })).json());
  });

  test('a wrong letter of an address is marked in what was probably meant', async () => {
    const { address } = accounts[2];
    const wrong = `${address.slice(0, -1)}${address.endsWith('q') ? 'p' : 'q'}`;
    await page.open(`${url}/search?q=${wrong}`);
    expect(await text('.message mark')).toBe(address.slice(-1));
    expect(await text('.message li a')).toBe(address);
  });

  test('the search field and the keys of a block', async () => {
    await page.open(`${url}/block/2`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    await page.run(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', bubbles: true }))`);
    await until(`location.pathname === '/block/3' && document.querySelector('.stream-state.live') !== null`);
    await page.run(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))`);
    expect(await page.run('document.activeElement.name')).toBe('q');
    await page.run(`document.activeElement.value = ${JSON.stringify(accounts[2].address.slice(2))}, document.activeElement.form.submit()`);
    expect(await until(`location.pathname === '/address/${accounts[2].address}'`)).toBe(true);
  });

  test('the ID of this node is suggested as it is typed', async () => {
    const { nodeID } = (await node.program().client.call('/ext/info', 'info.getNodeID')).result as unknown as { nodeID: string };
    await page.open(`${url}/blocks`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    await page.run(`(() => {
      const input = document.querySelector('.search input');
      input.focus();
      input.value = ${JSON.stringify(nodeID)};
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    })()`);
    expect(await until(`document.querySelector('#suggestions a[href="/node#${nodeID}"]') !== null`)).toBe(true);
  });

  test('an ID is copied where the browser has no clipboard, and is not marked as copied if it is not', async () => {
    await page.open(`${url}/block/2`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    await page.run(`(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.execCommand = () => {
        window.copied = document.activeElement.value;
        return window.isAllowed;
      };
    })()`);
    const button = `document.querySelector('.page-id [data-copy], .facts [data-copy]')`;
    const copy = (isAllowed: boolean): Promise<boolean[]> =>
      page.run(`(async () => {
        window.isAllowed = ${isAllowed};
        ${button}.click();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return [window.copied === ${button}.dataset.copy, ${button}.classList.contains('copied')];
      })()`);
    expect([await copy(false), await copy(true)]).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  test('the dev panel sends, mines and moves the clock', async () => {
    const click = async (word: string): Promise<void> => {
      const button = `[...document.querySelectorAll('button')].find(({ textContent }) => textContent === ${JSON.stringify(word)})`;
      expect(await until(`!${button}.disabled`)).toBe(true);
      await page.run(`${button}.click()`);
    };
    const untilNote = (start: string): Promise<boolean> =>
      until(`[...document.querySelectorAll('.form-note')].some(({ textContent }) => textContent.startsWith(${JSON.stringify(start)}))`);
    await page.open(`${url}/dev`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    const height = Number((await node.dev('dev.nodeInfo')).height);
    await click('Send');
    expect(await untilNote('Sent 1 AVAX from account 0 to account 1.')).toBe(true);
    expect(await until(`[...document.querySelectorAll('td')].some(({ textContent }) => textContent.startsWith('BaseTx '))`)).toBe(true);
    expect(await until(`document.querySelector('main').textContent.includes('${height + 1 - Number(snapshotHeight)} block')`)).toBe(true);
    expect(await until(`/[1-9][0-9]* blocks?, [1-9][0-9]* tx would go/.test(document.querySelector('main').textContent)`)).toBe(true);
    await click('+30 d');
    await until(`/[+](30|29) d/.test(document.querySelector('.strip').textContent)`);
    expect(Number((await node.dev('dev.nodeInfo')).height)).toBe(height + 1);
    // The strip tells of the jump before it is carried out for the form, whose slider waits for that.
    expect(await until(`!document.querySelector('input[type=range]').disabled`)).toBe(true);
    await page.run(`(() => {
      const slider = document.querySelector('input[type=range]');
      slider.value = '48';
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      slider.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    expect(await untilNote('The clock is at +1 d')).toBe(true);
    expect(Math.abs(Number((await node.dev('dev.getTime')).offset) - 86_400)).toBeLessThan(60);
    await click('Freeze');
    expect(await untilNote('The clock stands still')).toBe(true);
    await click('Back to real time');
    expect(await untilNote('The clock shows the real time')).toBe(true);
    expect((await node.dev('dev.getTime')).frozen).toBe(false);
    await click('Mine 1');
    expect(await until(`document.querySelector('.foot').textContent.includes('block ${height + 2}')`)).toBe(true);
    // A click while the last one is carried out would be lost: the buttons wait for it.
    await page.run(`(() => {
      const { fetch } = window;
      const held = new Promise((resolve) => { window.release = () => { window.fetch = fetch; resolve(); }; });
      window.fetch = async (...request) => { await held; return fetch(...request); };
    })()`);
    await click('By hand');
    expect(await until(`[...document.querySelectorAll('.switch button')].every(({ disabled }) => disabled)`)).toBe(true);
    await page.run('window.release()');
    expect(await until(`document.querySelector('main').textContent.includes('Blocks paused')`)).toBe(true);
    await click('At once');
    expect(await until(`document.querySelector('main').textContent.includes('Blocks as soon as there is work')`)).toBe(true);
  });

  test('the dev panel saves and loads the state of the chain', async () => {
    const href = await page.run<string>(`document.querySelector('a[download]').href`);
    const saved = await (await fetch(href)).arrayBuffer();
    const before = Number((await node.dev('dev.nodeInfo')).height);
    await node.dev('dev.mine', { blocks: 3 });
    await page.run(`(async () => {
      const bytes = Uint8Array.from(atob('${Buffer.from(saved).toString('base64')}'), (char) => char.charCodeAt(0));
      const files = new DataTransfer();
      files.items.add(new File([bytes], 'chain.state'));
      const input = document.querySelector('input[type=file]');
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    expect(await until(`document.querySelector('[data-state-note]').textContent === 'Loaded chain.state, block ${before}'`)).toBe(true);
    expect(Number((await node.dev('dev.nodeInfo')).height)).toBe(before);
  });

  test('the node page shows checks with value and age, memory and versions', async () => {
    await page.open(`${url}/node`);
    const shown = await text('main');
    for (const word of ['all chains', 'free, ', 'Memory', 'MB', 'CPU time', 'Versions', 'Check now'])
      expect([word, shown.includes(word)]).toEqual([word, true]);
    expect(await page.run<number>(`document.querySelectorAll('td [data-age]').length`)).toBeGreaterThan(5);
    const ages = await page.run<string[]>(`[...document.querySelectorAll('td [data-age]')].map(({ textContent }) => textContent)`);
    for (const age of ages) expect(age).toMatch(/^(now|\d+(\.\d+)? (s|min))$/);
  });

  test('first load: the page, its style sheet and its scripts keep to their budgets, in bytes of gzip', async () => {
    const html = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
    const files = [...html.matchAll(/"(\/_page\/[^"]+)"/g)].map(([, path = '']) => path);
    const bytes = { css: 0, js: 0, all: Bun.gzipSync(Buffer.from(html)).length };
    for (const file of files) {
      const size = Bun.gzipSync(Buffer.from(await (await fetch(url + file)).arrayBuffer())).length;
      if (file.endsWith('.css')) bytes.css += size;
      if (file.endsWith('.js')) bytes.js += size;
      bytes.all += size;
    }
    process.stdout.write(`explorer: first load ${JSON.stringify(bytes)} in ${files.length + 1} files\n`);
    expect(bytes.css).toBeGreaterThan(0);
    expect(bytes.css).toBeLessThan(12 * 1024);
    expect(bytes.js).toBeGreaterThan(0);
    expect(bytes.js).toBeLessThan(48 * 1024);
    expect(bytes.all).toBeLessThan(70 * 1024);
  });

  test('without script every page has its content', async () => {
    await page.setScripts(false);
    await page.open(`${url}/address/${accounts[1].address}`);
    const shown = await (await fetch(`${url}/address/${accounts[1].address}`)).text();
    expect(shown).toContain('unspent output');
    expect(page.console.filter((line) => !line.includes('404'))).toEqual([]);
    await page.setScripts(true);
  });
});
