import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chromiumBinary, openChromium } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';

/** What can be saved from pages, and the cursor of plots. */
let node: DevNode;
let url: string;
let paths: string[];
let address: string;

beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=3');
  url = node.program().url;
  const { accounts } = await node.dev('dev.accounts');
  address = accounts[1].address;
  const { assetID } = await node.dev('dev.createAsset', { name: 'Ice', symbol: 'ICE', denomination: 0, supply: '10', owner: address });
  const { txID } = await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '1 AVAX' });
  await node.dev('dev.export', { destinationChain: 'P', from: 1, to: address, amount: '1 AVAX' });
  paths = ['/', '/blocks', '/block/3', `/tx/${txID}`, `/graph/${txID}`, `/address/${address}`, '/assets', `/asset/${assetID}`];
  paths.push('/mempool', '/cross-chain', '/throughput', '/throughput?range=month');
});
afterAll(() => node.stop());

test('every page has its lists as CSV and its pictures as SVG', async () => {
  const find = (html: string, attribute: string): string[] =>
    [...html.matchAll(new RegExp(` ${attribute}="([^"]+)"`, 'g'))].map(([, name = '']) => name).toSorted();
  for (const path of paths) {
    const html = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
    const saved = find(html, 'data-save-csv');
    expect([path, saved.length > 0]).toEqual([path, true]);
    expect([path, saved]).toEqual([path, find(html, 'data-csv')]);
    expect([path, find(html, 'data-save-svg')]).toEqual([path, find(html, 'data-picture')]);
  }
});

const binary = chromiumBinary();
test.skipIf(binary === undefined)(
  'Chromium: the cursor of a plot follows the pointer and the arrow keys, and its box keeps out of the line',
  async () => {
    const page = await openChromium(binary!);
    try {
      const until = (expression: string) => eventually(() => page.run<boolean>(expression), Boolean);
      await page.open(`${url}/address/${address}`);
      await until(`document.querySelector('.plot-box[role=slider]') !== null`);
      await page.run(`(() => { const box = document.querySelector('.plot-box'); const { left, width, top } = box.getBoundingClientRect();
      box.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: left + width - 12, clientY: top + 40 })); })()`);
      await until(`document.querySelector('.cursor-box') !== null`);
      const text = `document.querySelector('.cursor-text').textContent`;
      expect(await page.run<string>(text)).toContain('AVAX');
      const isApart = await page.run<boolean>(`(() => {
      const [box, plot] = ['.cursor-box', '.plot'].map((one) => document.querySelector(one).getBoundingClientRect());
      const ring = document.querySelector('.cursor-ring').getBoundingClientRect();
      const covers = ring.left < box.right && ring.right > box.left && ring.top < box.bottom && ring.bottom > box.top;
      return !covers && box.left >= plot.left && box.right <= plot.right;
    })()`);
      expect(isApart).toBe(true);
      await page.run(`document.querySelector('.plot-box').focus()`);
      const press = (key: string) =>
        page.run(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }))`);
      await press('Home');
      await until(`document.activeElement.getAttribute('aria-valuenow') === '0'`);
      const first = await page.run<string>(text);
      expect(await page.run<string>(`document.activeElement.getAttribute('aria-valuetext')`)).toBe(first);
      await press('ArrowRight');
      await until(`${text} !== ${JSON.stringify(first)}`);
      await press('Escape');
      await until(`document.querySelector('.cursor-box') === null`);
      expect(page.console).toEqual([]);
    } finally {
      await page.close();
    }
  },
);
