import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busyRate, startBusyProxy, startStreamCounter } from './busy-stream.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { recordFigure, recordTime } from './figure.ts';
import { installFrameProbe, readFrames, startFrames } from './frame-probe.ts';
import { eventually } from './processes.ts';
import { type Program, startProgramAsUsers } from './program.ts';

/** The explorer while the chain is busy, and while the node is away. */
const binary = chromiumBinary();
/** Seconds of the load; SERAC_EXPLORER_SECONDS=600 for a long one. */
const seconds = Number(process.env.SERAC_EXPLORER_SECONDS ?? 2);

describe.skipIf(binary === undefined)('Chromium: the explorer, live', () => {
  let page: Page;
  let node: DevNode;
  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=1');
    page = await openChromium(binary!);
    await page.emulate({ width: 1280, height: 900 });
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });
  const until = (expression: string, on = page): Promise<boolean> => eventually(() => on.run<boolean>(expression), Boolean, 30_000);
  const untilLive = (on = page): Promise<boolean> => until(`document.querySelector('.stream-state.live') !== null`, on);
  const status = (): Promise<string> => page.run(`document.querySelector('[role=status]').textContent`);

  test(
    `${busyRate} transactions per second for ${seconds} s are shown on a bounded page`,
    async () => {
      const proxy = startBusyProxy(node);
      const tab = await page.openTab('about:blank');
      try {
        await tab.emulate({ width: 1280, height: 900 });
        await installFrameProbe(tab);
        await tab.show();
        await tab.open(`${proxy.url}/`);
        expect(await untilLive(tab)).toBe(true);
        await Bun.sleep(2000);
        const before = await tab.heapBytes();
        await startFrames(tab);
        const [loadsBefore, startedAt] = [proxy.loads(), performance.now()];
        await Bun.sleep(seconds * 1000);
        const [loads, elapsed] = [proxy.loads() - loadsBefore, (performance.now() - startedAt) / 1000];
        const frames = await readFrames(tab);
        const grown = (await tab.heapBytes()) - before;
        const readShown = () =>
          tab.run<{ rate: string; tiles: number; txs: string; isBehind: boolean }>(`({
            rate: document.querySelector('.big').textContent,
            tiles: document.querySelectorAll('.tape .tile').length,
            txs: [...document.querySelectorAll('main dt')].find(({ textContent }) => textContent === 'Transactions, 24 h').nextElementSibling.textContent,
            isBehind: document.querySelector('main').textContent.includes('as of'),
          })`);
        const shown = await readShown();
        // Its numbers are read again while the stream runs, at most every 2 s: they move, and a page that is up to date does not say as of when.
        expect(loads).toBeLessThanOrEqual(elapsed / 2 + 1);
        const later = await eventually(readShown, ({ txs }) => txs !== shown.txs);
        expect(Number(later.txs.replaceAll(',', ''))).toBeGreaterThan(Number(shown.txs.replaceAll(',', '')));
        expect(later.isBehind).toBe(false);
        expect(Number.parseInt(shown.rate.replace(',', ''), 10)).toBeGreaterThan(0);
        expect(shown.tiles).toBeLessThanOrEqual(17);
        expect(frames.worked).toBeGreaterThan(0);
        const of = `of the explorer at ${shown.rate.trim()}`;
        recordFigure({ name: `median work per frame ${of}`, unit: 'ms', value: frames.medianWork, limit: 40 });
        recordFigure({ name: `growth of the heap ${of}`, unit: 'MB', value: grown / 1e6, limit: 10 });
      } finally {
        await tab.close();
        proxy.stop();
      }
    },
    (seconds + 30) * 1000,
  );

  test('a node that restarts is noticed, and the same page continues behind the last event', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'serac-live-'));
    const flags = [`--data-dir=${dataDir}`, '--workers=0', '--accounts=2'];
    let restarted: Program = await startProgramAsUsers(...flags);
    await page.show();
    await page.open(`${restarted.url}/`);
    expect(await untilLive()).toBe(true);
    await page.run('window.isSamePage = true');
    const { port } = restarted;
    await restarted.stop('SIGKILL');
    const lostAt = performance.now();
    expect(await until(`document.querySelector('.stream-state.lost') !== null`)).toBe(true);
    recordTime('the explorer shows a lost connection', lostAt, 9000);
    expect(await status()).toContain('Not live');
    // The last flag of a name wins.
    restarted = await startProgramAsUsers(...flags, `--http-port=${port}`);
    expect(await untilLive()).toBe(true);
    expect(await status()).not.toContain('Not live');
    const funded = await restarted.client.call('/ext/dev', 'dev.faucet', { to: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' });
    const { txID } = funded.result as unknown as { txID: string };
    expect(await until(`document.querySelector('.tx-list a[href="/tx/${txID}"]') !== null`)).toBe(true);
    expect(await page.run('window.isSamePage')).toBe(true);
    await restarted.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('a stream that is silent is noticed', async () => {
    const proxy = startStreamCounter(node);
    await page.show();
    await page.open(`${proxy.url}/`);
    expect(await untilLive()).toBe(true);
    proxy.silence();
    const silentAt = performance.now();
    expect(await until(`document.querySelector('.stream-state.lost') !== null`)).toBe(true);
    recordTime('the explorer shows a silent stream', silentAt, 9000);
    expect(await page.run(`document.querySelector('main').classList.contains('stale')`)).toBe(true);
    proxy.stop();
  });

  test('seven tabs share one stream', async () => {
    const proxy = startStreamCounter(node);
    await page.show();
    await page.open(`${proxy.url}/`);
    const tabs: Page[] = [];
    for (let i = 0; i < 6; i++) tabs.push(await page.openTab(`${proxy.url}/blocks`));
    for (const tab of [page, ...tabs]) {
      await tab.show();
      expect(await untilLive(tab)).toBe(true);
    }
    // Browsers allow six connections per server.
    expect(proxy.streams()).toBe(1);
    for (const tab of tabs) await tab.close();
    proxy.stop();
  });

  test('a hidden tab does nothing, and catches up when it is shown', async () => {
    const { url } = node.program();
    await page.show();
    await page.open(`${url}/`);
    expect(await untilLive()).toBe(true);
    const other = await page.openTab(`${url}/blocks`);
    await other.show();
    expect(await until('document.hidden')).toBe(true);
    await page.run(`(() => {
      window.changes = 0;
      new MutationObserver((list) => { window.changes += list.length; }).observe(document.body, { subtree: true, childList: true, characterData: true });
    })()`);
    const { txID } = await node.dev('dev.faucet', { to: (await node.dev('dev.accounts')).accounts[0].address });
    expect(await until(`document.querySelector('a[href="/block/2"]') !== null`, other)).toBe(true);
    await Bun.sleep(1500);
    expect(await page.run('window.changes')).toBe(0);
    await page.show();
    expect(await until(`document.querySelector('.tx-list a[href="/tx/${txID}"]') !== null`)).toBe(true);
    await other.close();
  });
});
