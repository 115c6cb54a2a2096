import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';

/** The first page of a chain that nobody has used: its commands run as they are shown, and go with the first transaction. */
const unescapeHtml = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
const homeOf = async (url: string): Promise<string> => (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
/** The commands of the page, in their order. */
const commandsOf = (html: string): string[] => [...html.matchAll(/<pre>(.*?)<\/pre>/gs)].map(([, code = '']) => unescapeHtml(code));
const output = async (command: string[]): Promise<string> => new Response(Bun.spawn(command, { stdout: 'pipe' }).stdout).text();
const runShell = (command: string): Promise<string> => output(['sh', '-c', command]);
/** Runs a program that imports the client as one who has Serac installed does. */
async function runProgram(code: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-first-run-'));
  await Bun.write(join(folder, 'send.ts'), code.replace('serac/client', resolve(import.meta.dir, '../src/sdk/client.ts')));
  try {
    return await output([process.execPath, join(folder, 'send.ts')]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const binary = chromiumBinary();
describe.skipIf(binary === undefined)('Chromium: a new chain', () => {
  let node: DevNode;
  let page: Page;
  const shown = (selector: string): Promise<string> =>
    page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent.replaceAll(/\\s+/g, ' ').trim() ?? ''`);
  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=2');
    page = await openChromium(binary!);
  });
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  test('three steps, which run as they are shown and go with the first transaction of the user', async () => {
    const { url } = node.program();
    const html = await homeOf(url);
    expect(html).not.toContain('class="tape"');
    const [faucet = '', send = '', program = '', ...more] = commandsOf(html);
    expect(more).toEqual([]);
    // What the buttons copy is what is shown.
    expect([...html.matchAll(/data-copy="([^"]*)" aria-label="Copy: /g)].map(([, copied = '']) => unescapeHtml(copied))).toEqual([
      faucet,
      send,
      program,
    ]);
    await page.open(`${url}/`);
    await eventually(() => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean);
    await page.run('window.isSamePage = true');
    expect(await shown('.first-run h2')).toBe('No transactions yet. To begin:');
    const { result } = JSON.parse(await runShell(faucet));
    expect(await eventually(() => shown('.newest-tx h2'), Boolean)).toBe('account 0 sent 100 AVAX to account 1');
    expect(await shown('.newest-tx')).toContain('Block 2');
    expect(await page.run(`document.querySelector('.newest-tx a[href="/tx/${result.txID}"]') !== null`)).toBe(true);
    expect(await shown('.first-run')).toBe('');
    await runShell(send);
    expect(
      await eventually(
        () => shown('.newest-tx h2'),
        (text) => text.includes('1.5'),
      ),
    ).toBe('account 1 sent 1.5 AVAX to account 2');
    expect(await runProgram(program)).toContain('Accepted');
    expect(
      await eventually(
        () => shown('.newest-tx h2'),
        (text) => text.includes('2 AVAX'),
      ),
    ).toBe('account 1 sent 2 AVAX to account 2');
    expect(await page.run('window.isSamePage')).toBe(true);
    expect(await homeOf(url)).not.toContain('first-run');
  });

  test('what waits fills the next tile, and a block has the size and kinds that the page has when it is loaded again', async () => {
    const tiles = (): Promise<string[]> =>
      page.run(`[...document.querySelectorAll('.tape .tile')].slice(0, 3).map((tile) => tile.title + tile.querySelector('svg').innerHTML)`);
    const [empty] = await tiles();
    await node.dev('dev.setAutomine', { enabled: false });
    await node.dev('dev.faucet', { to: (await node.dev('dev.accounts')).accounts[1].address });
    await node.dev('dev.createAsset', { name: 'Ice', symbol: 'ICE', supply: '10' });
    const filled = await eventually(tiles, ([next = '']) => next.startsWith('2 transactions of '));
    expect(filled[0]).not.toBe(empty);
    expect(filled[0]).toContain('tile-waiting');
    await page.open(`${node.program().url}/`);
    expect((await tiles())[0]).toBe(filled[0] as string);
    await eventually(() => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean);
    await node.dev('dev.mine');
    await node.dev('dev.setAutomine', { enabled: true });
    const mined = await eventually(
      tiles,
      ([next = '', newest = '']) => next.startsWith('0 ') && newest.startsWith('1 Transfer, 1 Create asset; '),
    );
    await page.open(`${node.program().url}/`);
    expect(await tiles()).toEqual(mined);
    expect(mined[1]).toContain('mark-fill-3');
  });
});

test('where dev.* needs a token, the steps read; they run too', async () => {
  const node = await startDevNode('in memory', '--accounts=2', '--dev-token=secret-of-the-test');
  const [read = '', follow = '', program = ''] = commandsOf(await homeOf(node.program().url));
  expect(JSON.parse(await runShell(read)).blocks[0].blockNumber).toBe('1');
  expect(await runShell(follow.replace('--max-time 60', '--max-time 1'))).toContain('heartbeat');
  expect(await runProgram(program)).toContain('height');
  await node.stop();
});
