import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chromiumBinary, openChromium } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';

/** Labels on the pages of a developer's chain: in place of a short address, while there are labels, and live. */

let node: DevNode;
let address: string;
let txID: string;
beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=2');
  address = (await node.dev('dev.accounts')).accounts[1].address;
  // Pages show times relative to the chain's clock.
  await node.dev('dev.freezeTime');
  ({ txID } = await node.dev('dev.send', { to: 1, amount: '5 AVAX' }));
});
afterAll(() => node.stop());

const open = (path: string) => node.program().client.send('GET', path, { accept: 'text/html' });
const pageOf = async (path: string): Promise<string> => {
  const { status, text } = await open(path);
  expect([path, status]).toEqual([path, 200]);
  // A clock that stands still falls behind the real time.
  return text.replaceAll(/"offset":-?\d+/g, '"offset":0').replaceAll(/(?<=frozen, |aria-valuetext=")(?:real time|−\d+ \w+)/g, 'behind');
};
/** What is shown: without the data of the page's script. */
const shownOn = async (path: string): Promise<string> => (await pageOf(path)).split('id="payload"')[0] as string;

test('a label takes the place of the name or the short address; without labels a page is as before', async () => {
  const paths = ['/', `/tx/${txID}`, `/address/${address}`, `/outputs/${address}`, '/blocks', '/dev'];
  const before = await Promise.all(paths.map(pageOf));
  await node.dev('dev.label', { address: 1, name: 'Alice & <b>' });
  for (const path of ['/', `/tx/${txID}`]) {
    const html = await shownOn(path);
    expect(html).toContain('Alice &amp; &lt;b>');
    expect([path, html.includes('>account 1</a>'), html.includes('>account 0</a>')]).toEqual([path, false, true]);
  }
  expect(await shownOn(`/address/${address}`)).toMatch(/<h1[^>]*>(?:<[^>]*>)*Alice &amp; &lt;b>/);
  expect(await shownOn('/dev')).toContain('<b>Alice &amp; &lt;b> (account 1)</b>');
  await node.dev('dev.label', { address: 1, name: 'treasury of the test network' });
  expect(await shownOn('/')).toContain('>treasury of the tes…</a>');
  await node.dev('dev.label', { address: 1, name: '' });
  expect(await Promise.all(paths.map(pageOf))).toEqual(before);
});

test('the search finds the address that has a label', async () => {
  await node.dev('dev.label', { address, name: 'cold store' });
  const { status, headers } = await open('/search?q=cold%20store');
  expect([status, headers.location]).toEqual([302, `/address/${address}`]);
  await node.dev('dev.label', { address, name: '' });
  expect((await open('/search?q=cold%20store')).status).toBe(404);
});

test.skipIf(chromiumBinary() === undefined)('Chromium: an open page shows a new label by itself', async () => {
  const page = await openChromium(chromiumBinary() as string);
  try {
    await page.show();
    await page.open(`${node.program().url}/tx/${txID}`);
    const until = (expression: string): Promise<boolean> => eventually(() => page.run<boolean>(expression), Boolean, 30_000);
    expect(await until(`document.querySelector('.stream-state.live') !== null`)).toBe(true);
    const isShown = `[...document.querySelectorAll('main a.address')].some(({ textContent }) => textContent === 'carol')`;
    expect(await page.run<boolean>(isShown)).toBe(false);
    await node.dev('dev.label', { address, name: 'carol' });
    expect(await until(isShown)).toBe(true);
    await node.dev('dev.label', { address, name: '' });
    expect(await until(`!(${isShown})`)).toBe(true);
  } finally {
    await page.close();
  }
});
