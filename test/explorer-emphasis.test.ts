import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { ann, bob, plain } from './explorer-chain.ts';
import { eventually } from './processes.ts';

/** What a reader sees at a glance, in a real Chromium: titles, bars and pictures in which nothing that matters is a sliver, and rows that end. */

const binary = chromiumBinary();

describe.skipIf(binary === undefined)('Chromium: the emphasis of the explorer', () => {
  let node: DevNode;
  let page: Page;
  let url: string;
  let addresses: string[];
  let asset: string;
  /** Of two owners of whom both must sign. */
  let multisig: string;
  let payment: string;

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=3');
    url = node.program().url;
    // Between addresses without names.
    const [sender, receiver] = [ann, bob].map((key) => plain(key.address));
    await node.dev('dev.faucet', { to: sender, amount: '5 AVAX' });
    await node.dev('dev.impersonate', { address: sender });
    await node.dev('dev.send', { from: sender, to: receiver, amount: '1 AVAX' });
    const { accounts } = await node.dev('dev.accounts');
    addresses = accounts.map(({ address }: { address: string }) => address);
    await node.dev('dev.faucet', { to: addresses[1], amount: '10000 AVAX' });
    ({ assetID: asset } = await node.dev('dev.createAsset', { name: 'Ice', symbol: 'ICE', supply: '3', owner: addresses[1] }));
    await node.dev('dev.send', { from: 1, to: addresses[2], amount: '1', assetID: asset });
    await node.dev('dev.send', { from: 1, to: addresses.slice(1, 3), threshold: 2, amount: '7 AVAX' });
    await node.dev('dev.send', { from: 1, to: addresses[1], amount: '3 AVAX', locktime: Math.floor(Date.now() / 1000) + 1e6 });
    ({ txID: multisig } = await node.dev('dev.send', { from: '1,2', to: addresses[3], amount: '2 AVAX' }));
    ({ txID: payment } = await node.dev('dev.send', { from: 1, to: addresses[2], amount: '1 AVAX' }));
    page = await openChromium(binary!);
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  const open = async (path: string, width = 1440): Promise<void> => {
    await page.emulate({ width, height: 900 });
    await page.open(url + path);
    await eventually(() => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean);
  };
  const text = (selector: string): Promise<string> => page.run(`document.querySelector(${JSON.stringify(selector)}).innerText`);

  test('a title begins with a capital, but not with that of an address or of a name that somebody gave', async () => {
    await open(`/tx/${payment}`);
    expect(await text('h1')).toBe('Account 1 sent 1 AVAX to account 2');
    expect(await page.run<string>(`document.querySelector('h1').textContent`)).toStartWith('account 1');
    await node.dev('dev.label', { address: addresses[1], name: 'iceberg' });
    await open(`/tx/${payment}`);
    expect(await text('h1')).toBe('iceberg sent 1 AVAX to account 2');
    await node.dev('dev.label', { address: addresses[1], name: '' });
  });

  test('the list of the first page shows both ends of both addresses, and tiles say their size', async () => {
    await open('/');
    expect(
      await page.run<number[]>(`[...document.querySelectorAll('.latest td.wide-cell')]
        .filter((cell) => cell.querySelectorAll('.prefix').length === 2).map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`),
    ).toEqual([0]);
    expect(await text('.tile.newest .tile-count')).toMatch(/^1 tx\s+\d+ B$/);
    expect(await text('.connect')).toContain(`${url}/ext/bc/X`);
  });

  test('owners who signed and who did not are separate words', async () => {
    await open(`/tx/${multisig}`);
    expect(await text('#in-0 .owner')).toContain('signed: account 1, account 2');
    expect(await text('#out-1 .owner')).toContain('2 of 2 account 1, account 2');
  });

  test('a full bar of a holder is the whole supply, on a phone too', async () => {
    for (const width of [1440, 390]) {
      await open(`/holders/${asset}`, width);
      const parts = await page.run<number[]>(`[...document.querySelectorAll('.holders .bar-cell svg')].map((bar) => {
        const [whole, part] = [...bar.children].map((one) => one.getBoundingClientRect().width);
        return Math.round((part / whole) * 100);
      })`);
      expect([width, parts]).toEqual([width, [67, 33]]);
    }
  });

  test('each part of a balance and each output is large enough to be seen; a balance of one part has no bar', async () => {
    await open(`/address/${addresses[1]}`);
    const bars = await page.run<number[][]>(`[...document.querySelectorAll('[data-csv=balances] tbody .bar-cell')].map((cell) =>
      [...cell.querySelectorAll('rect:not(.hatched)')].map((part) => part.getBoundingClientRect().width))`);
    expect(bars.map((parts) => parts.length)).toEqual([3, 0]);
    expect(Math.min(...bars.flat())).toBeGreaterThan(3);
    const outputs = await page.run<number[]>(`[...document.querySelectorAll('[data-picture=outputs] .cell')].map((cell) => {
      const { width, height } = cell.getBoundingClientRect();
      return width * height;
    })`);
    expect(outputs.length).toBeGreaterThan(4);
    expect(Math.min(...outputs)).toBeGreaterThan(400);
  });

  test.each([390, 1440])('rows of facts end at the edge of their box, %d px wide', async (width) => {
    const faults: string[] = [];
    for (const path of ['/block/3', `/tx/${payment}`, `/asset/${asset}`, '/node', '/throughput', '/throughput?range=minute']) {
      await open(path, width);
      faults.push(
        ...(await page.run<string[]>(`[...document.querySelectorAll('.facts')].filter((facts) =>
          Math.abs(facts.lastElementChild.getBoundingClientRect().right - facts.getBoundingClientRect().right) > 3)
          .map((facts) => ${JSON.stringify(path)} + ': ' + facts.innerText)`)),
      );
    }
    expect(faults).toEqual([]);
  });

  test('upgrades of one time stand together, and one without a time is not scheduled', async () => {
    await open('/node');
    const upgrades = await text('.upgrades');
    expect(upgrades.match(/UTC/g)).toHaveLength(1);
    expect(upgrades).toMatch(/apricotPhase1, .*granite/);
    expect(upgrades).toMatch(/not scheduled\s+helicon/);
  });

  test('a method whose parameters need no words has no column for them, and its example is whole in the form', async () => {
    await open('/api/avm.getTx');
    expect(await page.run<string[]>(`[...document.querySelectorAll('.parameters th')].map(({ textContent }) => textContent)`)).toEqual([
      'Name',
      'Type',
    ]);
    const [inner, outer] = await page.run<[number, number]>(
      `(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector('#try-params'))`,
    );
    expect(inner).toBeLessThanOrEqual(outer);
    await open('/api/avm.getUTXOs');
    expect(await text('.parameters thead')).toContain('Meaning');
  });
});
