import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Tx } from '../src/api/contract/answers.ts';
import { graphTx, outputsPerTx } from '../src/explorer/load/graph-data.ts';
import { loadGraph } from '../src/explorer/load/load-graph.ts';
import type { PageContext } from '../src/explorer/load/page-context.ts';
import type { Source } from '../src/explorer/load/source.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';

/** The UTXO graph: as HTML, and in Chromium. */
let node: DevNode;
let url: string;
/** Transactions of which each spends the change of the one before. */
const chain: string[] = [];
let fan: string;
const get = async (path: string): Promise<string> => (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
const boxes = (html: string): number => [...html.matchAll(/class="graph-box (?:tx|root)"/g)].length;

beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=3');
  url = node.program().url;
  const { accounts } = await node.dev('dev.accounts');
  for (let i = 0; i < 5; i++) chain.push((await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '1 AVAX' })).txID);
  // The last transaction spends five outputs and a large change at once.
  ({ txID: fan } = await node.dev('dev.send', { from: 2, to: accounts[1].address, amount: '10004 AVAX' }));
});
afterAll(() => node.stop());

test('a transaction is drawn with its outputs, the transactions that made and spent them, and the same facts as a table', async () => {
  const html = await get(`/graph/${chain[2]}`);
  // Itself, the one before it, the one after it, and the one that spent what it sent.
  expect(boxes(html)).toBe(4);
  for (const id of [chain[1], chain[2], chain[3], fan]) expect(html).toContain(`href="/tx/${id}"`);
  expect(html).toContain('data-csv="graph"');
  expect(html).toContain('data-save-svg="graph"');
});

test('ancestors and descendants are expanded and collapsed by links', async () => {
  const step = await get(`/graph/${chain[2]}?open=${chain[1]}`);
  expect(boxes(step)).toBe(5);
  expect(step).toContain(`href="/tx/${chain[0]}"`);
  expect(step).toContain(`Collapse the inputs of`);
  const two = await get(`/graph/${chain[2]}?open=${chain[1]},${chain[0]},${chain[3]}`);
  expect(boxes(two)).toBe(7);
  expect(two).toContain(`href="/tx/${chain[4]}"`);
});

test('a list of expanded transactions is not trusted', async () => {
  const plain = await get(`/graph/${chain[2]}`);
  const shown = (html: string): string => html.slice(html.indexOf('<main'), html.indexOf('</main'));
  // Unknown ones, the root itself, and one that is not connected through expanded ones.
  for (const open of ['x', '"><script>', chain[2], chain[0], `${'x,'.repeat(500)}`])
    expect(shown(await get(`/graph/${chain[2]}?open=${encodeURIComponent(open as string)}`))).toBe(shown(plain));
  expect((await fetch(`${url}/graph/nothing`)).status).toBe(404);
});

test('a search for an output opens its graph, with the output marked', async () => {
  const { utxos } = await (await fetch(`${url}/v1/networks/local/blockchains/x-chain/utxos?addresses=${await owner()}`)).json();
  const [{ utxoId, creationTxHash, outputIndex }] = utxos;
  for (const query of [utxoId, `${creationTxHash}:${outputIndex}`]) {
    const response = await fetch(`${url}/search?q=${query}`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe(`/output/${utxoId}`);
  }
  const html = await get(`/graph/${utxoId}`);
  expect(html).toContain('selected"');
  expect(await get(`/tx/${creationTxHash}`)).toContain(`href="/graph/${creationTxHash}"`);
});

const owner = async (): Promise<string> => (await node.dev('dev.accounts')).accounts[1].address;

test('a transaction with many outputs shows eight and counts the rest', async () => {
  const { accounts } = await node.dev('dev.accounts');
  for (let i = 0; i < 12; i++) await node.dev('dev.faucet', { to: accounts[2].address, amount: '1 AVAX' });
  const { txID } = await node.dev('dev.send', { from: 2, to: accounts[1].address, amount: '11 AVAX' });
  const html = await get(`/graph/${txID}`);
  const { consumedUtxos } = await (await fetch(`${url}/v1/networks/local/blockchains/x-chain/transactions/${txID}`)).json();
  expect(consumedUtxos.length).toBeGreaterThan(8);
  expect(html).toContain(`+${consumedUtxos.length - 8} more`);
});

const binary = chromiumBinary();
test.skipIf(binary === undefined)('Chromium: expands in place, goes back, and is accessible', async () => {
  const page: Page = await openChromium(binary!);
  try {
    const axe = await Bun.file(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)).text();
    const until = (expression: string) => eventually(() => page.run<boolean>(expression), Boolean);
    await page.open(`${url}/graph/${chain[2]}`);
    await until(`document.querySelector('.stream-state.live') !== null`);
    await page.run('window.isSamePage = true');
    await page.run(`document.querySelector('.graph-toggle').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`);
    await until(`document.querySelectorAll('.graph-box.tx, .graph-box.root').length === 5 && location.search.startsWith('?open=')`);
    expect(await page.run('window.isSamePage')).toBe(true);
    await page.run('history.back()');
    await until(`document.querySelectorAll('.graph-box.tx, .graph-box.root').length === 4 && location.search === ''`);
    // The arrow keys move from box to box.
    await page.run(`document.querySelector('.graph a').focus()`);
    const focused = `document.activeElement.getAttribute('href')`;
    const before = await page.run<string>(focused);
    await page.run(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }))`,
    );
    expect(await page.run<string>(focused)).not.toBe(before);
    for (const isDark of [false, true]) {
      await page.emulate({ width: isDark ? 390 : 1280, height: 900, isDark, reducesMotion: true });
      await page.run(axe);
      expect(
        await page.run<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
          violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`),
      ).toEqual([]);
      expect(await page.run<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBeLessThanOrEqual(0);
    }
    expect(page.console).toEqual([]);
  } finally {
    await page.close();
  }
});

test('a graph of many transactions shows fewer outputs of each, but all that connect them, and is read in parts', async () => {
  const tx = (i: number, inputs: readonly string[], outputs: readonly (string | undefined)[]): Tx =>
    ({
      txHash: `tx${i}`,
      txType: 'BaseTx',
      blockHeight: i,
      consumedUtxos: inputs.map((creationTxHash, at) => ({
        asset: {},
        utxoId: `in ${i} ${at}`,
        creationTxHash,
        consumingTxHash: `tx${i}`,
      })),
      emittedUtxos: outputs.map((consumingTxHash, at) => ({
        asset: {},
        utxoId: `out ${i} ${at}`,
        creationTxHash: `tx${i}`,
        consumingTxHash,
      })),
    }) as unknown as Tx;
  // tx0 sends to five others with its last outputs, and each of these has a hundred outputs of its own.
  const children = Array.from({ length: 5 }, (_, i) => tx(i + 1, ['tx0'], Array(100).fill(undefined)));
  const root = tx(0, [], [...Array(50).fill(undefined), ...children.flatMap(({ txHash }) => [txHash, txHash])]);
  const byPath = new Map([root, ...children].map((one) => [one.txHash, one]));
  let turn = 0;
  const turns: number[] = [];
  const timer = setInterval(() => turn++, 0);
  const source = {
    get: async (path: string) => {
      turns.push(turn);
      return { status: 200, body: byPath.get(path.split('/').at(-1) as string) };
    },
  } as unknown as Source;
  const context = { network: 'local', chain: { id: 'x', slug: 'x-chain' } } as unknown as PageContext;
  const data = await loadGraph(source, context, 'tx0', children.map(({ txHash }) => txHash).join(','));
  clearInterval(timer);
  expect(data?.txs.map(({ outputs }) => outputs.length)).toEqual([8, 8, 8, 8, 8, 8]);
  expect(new Set(data?.txs[0]?.outputs.flatMap(({ spent }) => spent.id ?? []))).toEqual(new Set(children.map(({ txHash }) => txHash)));
  expect(turns).toHaveLength(6);
  expect(new Set(turns).size).toBeGreaterThan(1);
  // 25 transactions: one output each, and those that lead to another one.
  const shown = [root, ...children].map((one) => graphTx(one, ({ consumingTxHash }) => consumingTxHash !== undefined, outputsPerTx(25)));
  expect(shown.map(({ outputs, moreOutputs }) => [outputs.length, moreOutputs])).toEqual([[5, 55], ...Array(5).fill([2, 98])]);
});
