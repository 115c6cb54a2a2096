import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';
import { type Program, startProgramAsUsers } from './program.ts';

/** The explorer while the chain is busy, and while the node is away. */
const binary = chromiumBinary();
/** Seconds of the load; SERAC_EXPLORER_SECONDS=600 for a long one. */
const seconds = Number(process.env.SERAC_EXPLORER_SECONDS ?? 8);
const txsPerSecond = 500;

describe.skipIf(binary === undefined)('Chromium: the explorer, live', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openChromium(binary!);
    await page.emulate({ width: 1280, height: 900 });
  }, 30_000);
  afterAll(() => page.close());
  const until = (expression: string, on = page): Promise<boolean> => eventually(() => on.run<boolean>(expression), Boolean);

  test(
    `${txsPerSecond} transactions per second for ${seconds} s: one render per frame, flat memory`,
    async () => {
      const node = await startDevNode('in memory', '--accounts=1');
      const proxy = startBusyProxy(node);
      try {
        await page.open(`${proxy.url}/`);
        expect(await until(`document.querySelector('.stream-state.live') !== null`)).toBe(true);
        await page.run(`(() => {
        window.frames2 = []; window.long = [];
        let last = performance.now();
        const step = (now) => { window.frames2.push(now - last); last = now; requestAnimationFrame(step); };
        requestAnimationFrame(step);
        new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
      })()`);
        const heap = () => page.run<number>('(window.gc?.(), performance.memory.usedJSHeapSize)');
        await Bun.sleep(2000);
        const before = await heap();
        await Bun.sleep(seconds * 1000);
        const after = await heap();
        const measured = await page.run<{ median: number; p95: number; long: number; shown: string; nodes: number }>(`(() => {
        const sorted = window.frames2.toSorted((a, b) => a - b);
        return { median: sorted[sorted.length >> 1], p95: sorted[Math.floor(sorted.length * 0.95)], long: window.long.length,
          shown: document.querySelector('.big').textContent, nodes: document.querySelectorAll('.tape .tile').length };
      })()`);
        const figures = `${measured.shown.trim()}, frame median ${measured.median.toFixed(1)} ms, p95 ${measured.p95.toFixed(1)} ms`;
        process.stdout.write(
          `explorer: ${figures}, ${measured.long} tasks above 50 ms, heap ${Math.round((after - before) / 1e5) / 10} MB more\n`,
        );
        expect(Number.parseInt(measured.shown.replace(',', ''), 10)).toBeGreaterThan(txsPerSecond / 2);
        expect(measured.nodes).toBeLessThanOrEqual(17);
        expect(measured.median).toBeLessThan(100);
        expect(after - before).toBeLessThan(30e6);
      } finally {
        proxy.stop();
        await node.stop();
      }
    },
    (seconds + 30) * 1000,
  );

  test('a node that is away is noticed, and the page continues when it is back', async () => {
    let node: Program = await startProgramAsUsers();
    await page.open(`${node.url}/`);
    expect(await until(`document.querySelector('.stream-state.live') !== null`)).toBe(true);
    const { port } = node;
    await node.stop('SIGKILL');
    const lostAt = performance.now();
    expect(await until(`document.querySelector('.stream-state.lost') !== null`)).toBe(true);
    expect(performance.now() - lostAt).toBeLessThan(9000);
    expect(await page.run<string>(`document.querySelector('[role=status]').textContent`)).toContain('Not live');
    // The last flag of a name wins.
    node = await startProgramAsUsers('--accounts=2', `--http-port=${port}`);
    expect(node.port).toBe(port);
    expect(await until(`document.querySelector('.stream-state.live') !== null`)).toBe(true);
    expect(await page.run<string>(`document.querySelector('[role=status]').textContent`)).not.toContain('Not live');
    await node.stop();
  }, 60_000);

  test('ten tabs share one stream', async () => {
    const node = await startDevNode('in memory', '--accounts=1');
    const { url } = node.program();
    await page.open(`${url}/`);
    const tabs: Page[] = [];
    for (let i = 0; i < 9; i++) tabs.push(await page.openTab(`${url}/blocks`));
    for (const tab of [page, ...tabs]) {
      await tab.show();
      expect(await until(`document.querySelector('.stream-state.live') !== null`, tab)).toBe(true);
    }
    // The stream is in the worker, so that no tab needs a connection of its own: browsers allow six per server.
    for (const tab of [page, ...tabs]) expect(tab.requests.filter((request) => request.includes('/ext/events'))).toEqual([]);
    for (const tab of tabs) await tab.close();
    await node.stop();
  }, 60_000);
});

/** Passes everything to the node except the event stream, which has made-up blocks at a steady rate. */
function startBusyProxy(node: DevNode): { readonly url: string; readonly stop: () => void } {
  const target = node.program().url;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/ext/events') return new Response(busyEvents(), { headers: { 'content-type': 'text/event-stream' } });
      return fetch(target + pathname + search, { method: request.method, headers: request.headers, body: request.body, decompress: false });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}

const chainID = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed';
const assetID = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe';

function busyEvents(): ReadableStream<Uint8Array> {
  let height = 1000;
  let timer: Timer;
  const blocksPerSecond = 20;
  return new ReadableStream({
    start: (controller) => {
      timer = setInterval(() => {
        const time = Math.floor(Date.now() / 1000);
        height++;
        const txs = Array.from({ length: txsPerSecond / blocksPerSecond }, (_, at) => `${height}x${at}`.padEnd(50, 'a'));
        const events: object[] = [{ kind: 'block', chainID, height, blockID: `block${height}`, time, txIDs: txs }];
        for (const txID of txs) {
          const changes = ['-5001000', '5000000'].map((change, at) => ({
            address: `X-local1${'q'.repeat(37)}${at}`,
            assetID,
            change,
            sharedChange: '0',
          }));
          events.push({
            kind: 'tx',
            chainID,
            height,
            time,
            txID,
            txType: 'BaseTx',
            tx: { unsignedTx: { inputs: [] } },
            balanceChanges: changes,
          });
        }
        const text = events.map((event) => `event: ${(event as { kind: string }).kind}\ndata: ${JSON.stringify(event)}\n\n`).join('');
        controller.enqueue(Buffer.from(text));
      }, 1000 / blocksPerSecond);
    },
    cancel: () => clearInterval(timer),
  });
}
