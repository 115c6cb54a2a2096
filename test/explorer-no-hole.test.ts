import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';

/** The numbers and lists of a page that is open, beside what the node knows. */

const binary = chromiumBinary();

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of the route
type Json = any;

describe.skipIf(binary === undefined)('Chromium: nothing is missed and nothing stands still', () => {
  let node: DevNode;
  let page: Page;
  let accounts: readonly string[];
  let proxy: ReturnType<typeof startProxy>;

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=3');
    accounts = (await node.dev('dev.accounts')).accounts.map(({ address }: Json) => address);
    proxy = startProxy(node.program().url);
    page = await openChromium(binary!);
  });
  afterAll(async () => {
    await page?.close();
    proxy?.stop();
    await node?.stop();
  });

  const get = async (path: string): Promise<Json> => JSON.parse((await node.program().client.send('GET', path)).text);
  const send = async (): Promise<string> => (await node.dev('dev.send', { from: 1, to: accounts[2], amount: '1 AVAX' })).txID;
  const listed = (): Promise<string[]> =>
    page.run(`[...document.querySelectorAll('.tx-list tbody a[href^="/tx/"]')].map((link) => link.title)`);
  const tape = (): Promise<number[]> =>
    page.run(`[...document.querySelectorAll('.tape a[href^="/block/"]')].map((link) => Number(link.getAttribute('href').slice(7)))`);
  /** The number beside a name, in the facts or in a list of pairs; `note`: the small text below it. */
  const shown = (name: string): Promise<{ value: string; note: string }> =>
    page.run(`(() => {
      const term = [...document.querySelectorAll('main dt')].find((one) => one.textContent === ${JSON.stringify(name)});
      const [value, note] = term.parentElement.querySelectorAll('dd');
      return { value: value.textContent, note: note?.textContent ?? '' };
    })()`);
  const number = (text: string): number => Number(text.replaceAll(',', '').split(' ')[0]);

  test('nine blocks made while the page loads are all there, three times', async () => {
    for (let load = 0; load < 3; load++) {
      const made: string[] = [];
      proxy.whileLoading(async () => {
        for (let i = 0; i < 9; i++) made.push(await send());
      });
      await page.open(`${proxy.url}/`);
      const rows = await eventually(listed, (ids) => ids.includes(made[8] ?? ''));
      expect(rows.slice(0, 9)).toEqual(made.toReversed());
      const heights = await tape();
      expect(heights).toEqual(heights.map((_, at) => (heights[0] as number) - at));
      // Each of them is counted once: those that the loaded page had, and those that the stream added.
      const { figures } = await get('/v1/networks/local/blockchains/x-chain/throughput?seconds=60');
      expect(number((await shown('Transfer')).value)).toBe(figures.txCountByType.BaseTx);
    }
    expect(page.console).toEqual([]);
  });

  test('blocks that the stream leaves out are filled in', async () => {
    await page.open(`${proxy.url}/`);
    await eventually(
      () => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`),
      (isLive) => isLive,
    );
    proxy.dropEvents(true);
    const dropped = [await send(), await send()];
    await eventually(proxy.droppedBlocks, (count) => count >= 2);
    proxy.dropEvents(false);
    const next = await send();
    const rows = await eventually(listed, (ids) => ids.includes(next) && dropped.every((id) => ids.includes(id)));
    expect(rows.slice(0, 3)).toEqual([next, ...dropped.toReversed()]);
    const heights = await tape();
    expect(heights).toEqual(heights.map((_, at) => (heights[0] as number) - at));
  });

  test('every number of the first page is that of the node, without loading it again', async () => {
    await page.open(`${proxy.url}/`);
    await page.run('window.isSamePage = true');
    await node.dev('dev.export', { destinationChain: 'P', from: 1, amount: '1 AVAX' });
    await node.dev('dev.atomicDeposit', { from: 'C', to: accounts[1], amount: '5 AVAX' });
    await node.dev('dev.createAsset', { name: 'Serac Ice', symbol: 'ICE', supply: '1000' });
    const last = await send();
    await eventually(listed, (ids) => ids[0] === last);
    const window = async (metric: string): Promise<Json> => (await get(`/v2/chains/X/rollingWindowMetrics/${metric}`)).result;
    const [txs, fees, addresses] = await Promise.all(['txCount', 'feesPaid', 'cumulativeAddresses'].map(window));
    const { outbound, inbound } = await get('/v1/networks/local/blockchains/x-chain/cross-chain/balances');
    const count = (list: readonly { utxoCount: number }[]): number => list.reduce((sum, { utxoCount }) => sum + utxoCount, 0);
    const expected = [txs.lastDay, txs.allTime, addresses.allTime, fees.lastDay / 1e9, count(outbound), count(inbound), 0];
    const read = async (): Promise<number[]> => {
      const values = await Promise.all(
        ['Transactions, 24 h', 'Addresses', 'Burned, 24 h', 'Exports waiting', 'Outputs to import', 'Pending'].map(shown),
      );
      const [day, all, burned, out, into, pending] = values.map(({ value }) => number(value)) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      return [day, number(values[0]?.note ?? ''), all, burned, out, into, pending];
    };
    expect(await eventually(read, (values) => values.join() === expected.join())).toEqual(expected);
    expect(await page.run('window.isSamePage')).toBe(true);
  });

  test('figures that cannot be read again say as of when they are', async () => {
    await page.open(`${proxy.url}/`);
    const { note } = await shown('Transactions, 24 h');
    expect(note).not.toContain('as of');
    proxy.refusePages(true);
    const last = await send();
    await eventually(listed, (ids) => ids[0] === last);
    // The list is live; the figures are those of the page.
    const late = await eventually(
      () => shown('Transactions, 24 h'),
      (fact) => fact.note.includes('as of'),
    );
    expect(late.note).toMatch(/^[\d,]+ since genesis · as of \d\d:\d\d:\d\d$/);
    for (const name of ['Addresses', 'Active addresses, 24 h', 'Burned, 24 h'])
      expect((await shown(name)).note).toMatch(/as of \d\d:\d\d:\d\d$/);
    proxy.refusePages(false);
    await eventually(
      () => shown('Transactions, 24 h'),
      (fact) => !fact.note.includes('as of') && number(fact.value) > number(late.value),
    );
  });

  test('a page that the node cannot answer now stays open, and is read again when it can', async () => {
    await page.open(`${proxy.url}/address/${accounts[2]}`);
    const heading = () => page.run<string>(`document.querySelector('h1').textContent`);
    const title = await heading();
    for (const status of [503, 429]) {
      const refused = proxy.failPages(status);
      const last = await send();
      await refused;
      proxy.failPages(undefined);
      await eventually(() => page.run<boolean>(`document.querySelector('main a[href="/tx/${last}"]') !== null`), Boolean);
      expect([status, await heading()]).toEqual([status, title]);
    }
  });

  test('the throughput page moves, and says as of when', async () => {
    await page.open(`${proxy.url}/throughput?range=minute`);
    await page.run('window.isSamePage = true');
    const before = number((await shown('Transactions')).value);
    for (let i = 0; i < 5; i++) await send();
    const after = await eventually(
      async () => number((await shown('Transactions')).value),
      (value) => value !== before,
    );
    expect(after).toBeGreaterThan(0);
    expect(await page.run<string>(`document.querySelector('.page-title').textContent`)).toMatch(/as of \d\d:\d\d:\d\d/);
    expect(await page.run('window.isSamePage')).toBe(true);
  });

  test('the rates of the throughput page move, and equal a reload', async () => {
    await page.open(`${proxy.url}/throughput?range=hour`);
    await page.run('window.isSamePage = true');
    const before = (await shown('Last hour')).note;
    await send();
    const after = await eventually(
      async () => (await shown('Last hour')).note,
      (note) => note !== before,
    );
    expect(await page.run('window.isSamePage')).toBe(true);
    await page.open(`${proxy.url}/throughput?range=day`);
    expect((await shown('Last hour')).note).toBe(after);
  });

  test('the node page says its height and what the node did, live as after a reload', async () => {
    await page.open(`${proxy.url}/node`);
    await page.run('window.isSamePage = true');
    await send();
    const { blocks } = await get('/v1/networks/local/blockchains/x-chain/blocks?pageSize=1');
    const heading = (): Promise<string> => page.run(`document.querySelector('h1').textContent`);
    const words = `Healthy, at height ${Number(blocks[0].blockNumber).toLocaleString('en-US')}`;
    expect(await eventually(heading, (text) => text === words)).toBe(words);
    const rows = (): Promise<string[]> =>
      page.run(`[...document.querySelectorAll('table[data-csv=history] tbody tr')].map(({ textContent }) => textContent)`);
    // The last bucket is not over.
    const live = (await eventually(rows, ({ length }) => length > 1)).slice(0, -1);
    const checks = `[...document.querySelectorAll('main table tr b')].map(({ textContent }) => textContent)`;
    const names = await page.run<string[]>(checks);
    expect(names).toContain('Disk space');
    expect(await page.run('window.isSamePage')).toBe(true);
    await page.open(`${proxy.url}/node`);
    expect(await heading()).toBe(words);
    expect((await rows()).slice(0, live.length)).toEqual(live);
    expect(await page.run<string[]>(checks)).toEqual(names);
  });
});

/** Passes everything to the node. It can do something while a page is on its way, and leave blocks and transactions out of the stream. */
function startProxy(target: string) {
  let whileLoading: (() => Promise<void>) | undefined;
  let [isDropping, isRefusing] = [false, false];
  let dropped = 0;
  let failure: { readonly status: number; readonly onFailed: () => void } | undefined;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async ({ url, method, headers, body }) => {
      const { pathname, search } = new URL(url);
      if (pathname === '/' && isRefusing) return new Response('', { status: 503 });
      const response = await fetch(target + pathname + search, { method, headers, body, decompress: false });
      const run = whileLoading;
      if (pathname === '/' && run !== undefined) {
        whileLoading = undefined;
        const page = await response.arrayBuffer();
        await run();
        return new Response(page, response);
      }
      if (pathname.startsWith('/address/') && failure !== undefined) {
        const { status, onFailed } = failure;
        onFailed();
        // As of a node whose database does not answer: a page that says so.
        return new Response((await fetch(`${target}/search?q=nothing-like-this`, { headers: { accept: 'text/html' } })).body, {
          status,
          headers: { 'content-type': 'text/html; charset=utf-8' },
        });
      }
      if (pathname !== '/ext/events') return response;
      const text = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          const events = Buffer.from(chunk)
            .toString()
            .split(/(?<=\n\n)/);
          const kept = events.filter((event) => !isDropping || !/^id: .*\nevent: (block|tx)\n/.test(event));
          dropped += events.filter((event) => !kept.includes(event) && event.includes('event: block')).length;
          controller.enqueue(Buffer.from(kept.join('')));
        },
      });
      return new Response(response.body?.pipeThrough(text), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    whileLoading: (run: () => Promise<void>) => {
      whileLoading = run;
    },
    dropEvents: (isOn: boolean) => {
      isDropping = isOn;
    },
    refusePages: (isOn: boolean) => {
      isRefusing = isOn;
    },
    /** Answers pages of addresses with an error page of this status, if any; the promise is resolved when it has. */
    failPages: (status: number | undefined): Promise<void> =>
      new Promise((onFailed) => {
        failure = status === undefined ? undefined : { status, onFailed };
      }),
    droppedBlocks: () => dropped,
    stop: () => void server.stop(true),
  };
}
