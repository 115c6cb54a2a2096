import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { avaxText as avax } from './explorer-chain.ts';
import { root } from './explorer-client.ts';
import { eventually } from './processes.ts';

/** Outputs of an address as a list, one output as a page, and lists as CSV. */
const binary = chromiumBinary();
/** More than two pages of the list. */
const sends = 110;
let node: DevNode;
let url: string;
let asset: string;
let nft: { utxoID: string; moved: string };
// biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
let accounts: any[];

const html = async (path: string): Promise<string> => (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
const listed = (page: string): string[] => [...page.matchAll(/<td><a class="mono" href="\/output\/(\w+)"/g)].map(([, id = '']) => id);
const nextOf = (page: string): string | undefined =>
  /<a class="button" href="([^"]+)" rel="next" data-list="outputs"/.exec(page)?.[1]?.replaceAll('&amp;', '&');

beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=2');
  url = node.program().url;
  ({ accounts } = await node.dev('dev.accounts'));
  const [, { address }, other] = accounts;
  ({ assetID: asset } = await node.dev('dev.createAsset', { name: 'Ice', symbol: 'ICE', denomination: 2, supply: '1000', owner: address }));
  for (let i = 1; i <= sends; i++) await node.dev('dev.faucet', { to: address, amount: `${i}.5 AVAX` });
  await node.dev('dev.send', { from: 1, to: [address, other.address], threshold: 2, amount: '7 AVAX' });
  const { assetID } = await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD' });
  const { utxoID } = await node.dev('dev.mintNFT', { assetID, to: address, payload: 'ace' });
  nft = { utxoID, moved: (await node.dev('dev.sendNFT', { utxoID, to: other.address })).utxoID };
});
afterAll(() => node.stop());

test('the list has all outputs, spent and unspent, page by page', async () => {
  const { address } = accounts[1];
  const shown: string[] = [];
  let pages = 0;
  for (let path: string | undefined = `/outputs/${address}?state=all`; path !== undefined; pages++) {
    const page = await html(path);
    shown.push(...listed(page));
    path = nextOf(page);
  }
  expect(pages).toBe(3);
  const expected: string[] = [];
  for (let token = ''; ; ) {
    const list = await (await fetch(`${url}${root}/utxos?addresses=${address}&includeSpent=true&pageSize=100${token}`)).json();
    expected.push(...list.utxos.map(({ utxoId }: { utxoId: string }) => utxoId));
    if (list.nextPageToken === undefined) break;
    token = `&pageToken=${list.nextPageToken}`;
  }
  expect(shown).toEqual(expected);
  expect(shown).toContain(nft.utxoID);
});

test('it is sorted by amount, filtered by asset, and has outputs owned with others', async () => {
  const { address } = accounts[1];
  const amounts = [...(await html(`/outputs/${address}?sort=amount&asset=${asset}`)).matchAll(/data-amount="([^"]+)" data-unit="(\w+)"/g)];
  expect(amounts.map(([, amount, unit]) => [amount, unit])).toEqual([['10', 'ICE']]);
  const byAmount = await html(`/outputs/${address}?sort=amount`);
  const sorted = [...byAmount.matchAll(/data-amount="([\d.]+)" data-unit="AVAX"/g)].map(([, amount]) => Number(amount));
  expect(sorted.length).toBe(50);
  expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
  const shared = await html(`/outputs/${address}?set=shared&sort=amount`);
  expect(listed(shared)).toHaveLength(1);
  expect(shared).toContain('2 of 2');
});

test("an output has a page; an NFT's page has its owner and transfers", async () => {
  const page = await html(`/output/${nft.utxoID}`);
  for (const word of [
    'Cards #0',
    'Owners over time',
    'owner now',
    'spent by',
    `/address/${accounts[2].address}`,
    `/output/${nft.moved}`,
    'ace',
  ])
    expect([word, page.includes(word)]).toEqual([word, true]);
  expect((await fetch(`${url}/output/${nft.moved}`, { headers: { accept: 'application/json' } })).status).toBe(200);
  expect((await fetch(`${url}/output/nothing`)).status).toBe(404);
});

test('accounts have names, NFTs are on the address page, and its history is filtered on the server', async () => {
  const page = await html(`/address/${accounts[2].address}`);
  for (const word of ['<h1>Account 2</h1>', '1 NFT', `/output/${nft.moved}`, '>account 0</a>'])
    expect([word, page.includes(word)]).toEqual([word, true]);
  const kinds = async (query: string): Promise<string[]> => {
    const shown = await html(`/address/${accounts[1].address}?${query}`);
    return [...shown.slice(shown.indexOf('data-csv="history"')).matchAll(/class="pill[^>]*>.*?<\/svg>(\w+( \w+)?)</g)].map(
      ([, word = '']) => word,
    );
  };
  expect(await kinds('kind=Operation')).toEqual(['Operation', 'Mint']);
  expect(await kinds('kind=Asset')).toEqual(['Create asset']);
  expect(await kinds('until=2021-01-01')).toEqual(['Transfer']);
  expect(await kinds('since=2200-01-01')).toEqual([]);
  // Behind more than 100 transactions with AVAX only.
  expect(await kinds(`moved=${asset}`)).toEqual(['Create asset']);
  expect(await kinds(`moved=${asset}&kind=Transfer`)).toEqual([]);
  expect((await kinds(`moved=${avax}`)).length).toBeGreaterThanOrEqual(25);
  const filtered = await html(`/address/${accounts[1].address}?moved=${asset}`);
  expect(filtered).toContain(`<option value="${asset}" selected>ICE</option>`);
  expect(await html(`/address/${accounts[2].address}?moved=${asset}`)).toContain('No transaction fits these filters.');
});

test('assets are sorted by holders, the asset of the fees first', async () => {
  const symbols = async (query: string): Promise<string[]> =>
    [...(await html(`/assets${query}`)).matchAll(/<td><b><a href="\/asset\/\w+">(\w+)</g)].map(([, symbol = '']) => symbol);
  const other = await node.dev('dev.createAsset', { name: 'Rare', symbol: 'RARE', supply: '5' });
  await node.dev('dev.send', { from: 1, to: accounts[2].address, amount: '1', assetID: asset });
  expect(await symbols('')).toEqual(['AVAX', 'ICE', 'RARE', 'CARD']);
  expect((await symbols('?sort=newest'))[0]).toBe('RARE');
  expect(await html(`/asset/${other.assetID}`)).toContain('7 days');
});

test.skipIf(binary === undefined)('Chromium: CSV has the rows of all pages, ISO times, plain numbers and units of their own', async () => {
  const page: Page = await openChromium(binary!);
  const until = (expression: string): Promise<boolean> => eventually(() => page.run<boolean>(expression), Boolean);
  const saved = async (path: string, name: string): Promise<string[][]> => {
    await page.open(url + path);
    await until(`document.querySelector('.stream-state.live') !== null`);
    await page.run(`(() => {
      HTMLAnchorElement.prototype.click = () => {};
      URL.createObjectURL = (blob) => { void blob.text().then((text) => { window.saved = text; }); return 'about:blank'; };
      document.querySelector('[data-save-csv=${name}]').click();
    })()`);
    await until('window.saved !== undefined');
    return (await page.run<string>('window.saved')).split('\n').map((line) => line.slice(1, -1).split('","'));
  };
  try {
    const [head, ...rows] = await saved(`/outputs/${accounts[1].address}?sort=amount`, 'outputs');
    expect(head).toEqual(['Output', 'Amount', 'Amount unit', 'Owners', 'Created by', 'Created, UTC', 'State']);
    expect(rows.length).toBeGreaterThan(sends);
    expect(rows[0]?.slice(1, 3)).toEqual(['9992.998', 'AVAX']);
    expect(rows[0]?.[5]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const [historyHead, ...history] = await saved(`/address/${accounts[1].address}`, 'history');
    // Neither the NFT asset nor the last asset concerns this address.
    expect(history).toHaveLength((await node.dev('dev.nodeInfo')).height - 2);
    expect(historyHead?.at(-1)).toBe('Age');
    expect(history[0]?.at(-1)).toMatch(/^\d{4}-.*Z$/);
    expect(historyHead?.slice(4, 6)).toEqual(['Change', 'Change unit']);
    // What is paid to several owners leaves the balance, although the payer is one of them.
    expect(history.map((row) => row.slice(4, 6).join(' '))).toEqual(expect.arrayContaining(['-1 CARD', "'-7.001; 7 AVAX; AVAX multisig"]));
    const [, [since] = []] = await saved('/throughput', 'throughput');
    expect(since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  } finally {
    await page.close();
  }
});
