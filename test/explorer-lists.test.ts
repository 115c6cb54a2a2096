import { afterAll, beforeAll, expect, test } from 'bun:test';
import { bech32Decode, bech32Encode } from '../src/base/bytes/bech32.ts';
import { type DevNode, startDevNode } from './dev-node.ts';

/** Lists of the explorer page by page: where a page is, and links that keep their rows although new blocks come. */

let node: DevNode;
const accounts: string[] = [];
let asset = '';
const count = 62;

beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=3');
  for (const { address } of (await node.dev('dev.accounts')).accounts) accounts.push(address);
  asset = (await node.dev('dev.createAsset', { name: 'Serac Ice', symbol: 'ICE', supply: '1000', owner: accounts[1] })).assetID;
  for (let i = 0; i < count; i++) await node.dev('dev.send', { from: 1, to: accounts[2], assetID: asset, amount: '1' });
}, 60_000);
afterAll(() => node.stop());

const send = async (path: string) => node.program().client.send('GET', path, { accept: 'text/html' });

/** A page of a list: IDs of the transactions in it, its position, and the links of its pager. */
async function open(path: string) {
  const { text: html } = await send(path);
  const [pager = ''] = /<nav class="pager".*?<\/nav>/s.exec(html) ?? [];
  const links = Object.fromEntries(
    [...pager.matchAll(/<a class="button" href="([^"]+)"[^>]*>(\w+)</g)].map(([, href = '', word = '']) => [
      word,
      href.replaceAll('&amp;', '&'),
    ]),
  );
  const table = /<table data-csv="(?:history|transactions|waiting)".*?<\/table>/s.exec(html)?.[0] ?? '';
  const ids = [...table.matchAll(/href="\/tx\/(\w+)"/g)].map(([, id]) => id);
  return { html, ids, links, position: /pager-place">([^<]*)</.exec(pager)?.[1] };
}

for (const [name, pathOf] of [
  ['an address', () => `/address/${accounts[1]}`],
  ['an asset', () => `/asset/${asset}`],
] as const)
  test(`the transactions of ${name}: first to last and back`, async () => {
    const root = '/v1/networks/local/blockchains/x-chain/transaction-summaries';
    const filter = name === 'an asset' ? `assetId=${asset}` : `addresses=${accounts[1]}`;
    const { transactions } = JSON.parse((await node.program().client.send('GET', `${root}?${filter}&pageSize=100`)).text);
    const expected = transactions.map(({ txHash }: { txHash: string }) => txHash);
    const total = expected.length;
    const first = await open(pathOf());
    expect(first.position).toBe(`1–25 of ${total} transactions`);
    expect(Object.keys(first.links)).toEqual(['Older', 'Last']);
    const second = await open(first.links.Older as string);
    const third = await open(second.links.Older as string);
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(expected);
    expect([second.position, third.position]).toEqual([`26–50 of ${total} transactions`, `51–${total} of ${total} transactions`]);
    expect([Object.keys(second.links), Object.keys(third.links)]).toEqual([
      ['First', 'Newer', 'Older', 'Last'],
      ['First', 'Newer'],
    ]);
    expect((await open(third.links.Newer as string)).ids).toEqual(second.ids);
    // There is no full page of newer ones: it is the first page.
    expect((await open((await open(third.links.Newer as string)).links.Newer as string)).ids).toEqual(first.ids);
    const last = await open(second.links.Last as string);
    expect([last.ids, last.position]).toEqual([expected.slice(-25), `${total - 24}–${total} of ${total} transactions`]);
    expect((await open(second.links.First as string)).ids).toEqual(first.ids);
  });

test('the change and the balance after a payment to several owners agree, and what is shared is said', async () => {
  await node.dev('dev.send', { from: 1, to: [accounts[1], accounts[2]], threshold: 2, amount: '7 AVAX' });
  const { html } = await open(`/address/${accounts[1]}`);
  const rows = [...html.slice(html.indexOf('data-csv="history"')).matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    row.replaceAll(/<[^>]*>/g, ' '),
  );
  const [after, before] = rows.slice(1, 3).map((row) => Number(/([\d,.]+) +[^ ]+ s\b/.exec(row)?.[1]?.replaceAll(',', '')));
  expect(rows[1]?.replaceAll(/\s+/g, ' ')).toContain('−7.001 AVAX +7 AVAX multisig');
  expect(Number(before) - Number(after)).toBeCloseTo(7.001, 6);
});

test('a link keeps its rows when transactions come, and says where they are then', async () => {
  const second = (await open(`/address/${accounts[1]}`)).links.Older as string;
  const before = await open(second);
  const total = Number(/of (\d+)/.exec(before.position ?? '')?.[1]);
  await node.dev('dev.send', { from: 1, to: accounts[2], amount: '1 AVAX' });
  const after = await open(second);
  expect([after.ids, after.position]).toEqual([before.ids, `27–51 of ${total + 1} transactions`]);
});

test('a height or a date leads to its place, with the filters of the list', async () => {
  const { headers } = await send(`/address/${accounts[1]}?go=20&kind=Transfer`);
  expect(headers.location).toBe(`/address/${accounts[1]}?kind=Transfer&from=20`);
  const { html } = await open(headers.location as string);
  const [highest] = [...html.slice(html.indexOf('data-csv="history"')).matchAll(/href="\/block\/(\d+)"/g)].map(([, height]) =>
    Number(height),
  );
  expect(highest).toBe(20);
  expect((await send(`/asset/${asset}?go=2100-01-01`)).headers.location).toBe(`/asset/${asset}`);
  expect((await open(`/asset/${asset}?go=soon`)).html).toContain('“soon” is neither a height nor a date');
});

test('a place that a revert has removed is the first page', async () => {
  await node.dev('dev.snapshot', { name: 'here' });
  const { txID } = await node.dev('dev.send', { from: 1, to: accounts[2], amount: '1 AVAX' });
  const path = `/address/${accounts[1]}?older=${txID}`;
  expect((await open(path)).position).toStartWith('2–26 of');
  await node.dev('dev.revert', { name: 'here' });
  expect((await open(path)).position).toStartWith('1–25 of');
});

test('holders, assets and transfers have pages too', async () => {
  await node.dev('dev.export', { destinationChain: 'P', from: 1, to: accounts[1], amount: '1 AVAX' });
  const holders = (await open(`/holders/${asset}`)).html;
  const shown = holders.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(shown).toContain('2 addresses have it The largest holder');
  expect(shown).toContain('1 account 1 93.80 % 938');
  expect(shown).toContain('None of it needs the signatures of several owners');
  expect((await open('/assets')).position).toBe('1–2 of 2 assets');
  expect((await open('/assets?sort=newest')).position).toBe('1–2 assets');
  const transfers = (await open('/cross-chain')).html;
  expect(transfers).toContain('pager-place">1 transfer<');
  for (const word of ['Lineage', 'Way<', 'atched']) expect(transfers).not.toContain(word);
  expect((await open('/cross-chain?show=imported')).html).toContain('None of this page is imported.');
});

test('a name that nothing has: what is most like it, and what to do next', async () => {
  const textOf = async (path: string) => (await open(path)).html.replace(/<(script|style).*?<\/\1>/gs, '');
  expect((await send('/search?q=avm.getTx')).headers.location).toBe('/api/avm.getTx');
  expect((await send('/getTxByHash')).headers.location).toBe('/api/data/getTxByHash');
  expect(await textOf('/search?q=avm.getTxx')).toContain('href="/api/avm.getTx"');
  expect(await textOf('/mempol')).toContain('<a href="/mempool"');
  expect(await textOf('/block/900')).toContain('<a href="/blocks"');
  expect(await textOf('/search?q=zzzz')).toContain('Begin with a list');
  // One transaction begins like another that does not exist.
  const [id = ''] = (await open(`/address/${accounts[1]}`)).ids;
  const page = await textOf(`/tx/${id.slice(0, 10)}${'z'.repeat(id.length - 10)}`);
  expect([page.includes(`href="/tx/${id}"`), page.includes('begins alike')]).toEqual([true, true]);
  // The same keys on another network.
  const { bytes } = bech32Decode((accounts[1] as string).slice(2));
  const { headers, text } = await send(`/search?q=P-${bech32Encode('avax', bytes)}`);
  expect(headers.location ?? text).toContain(`/address/${accounts[1]}`);
  await node.dev('dev.label', { address: accounts[2], name: 'treasury' });
  expect(await textOf('/search?q=tresury')).toContain(`href="/address/${accounts[2]}"`);
});

test('transactions that wait have pages, oldest first', async () => {
  const waiting = 110;
  await node.dev('dev.setAutomine', { enabled: false });
  const sent: string[] = [];
  for (let i = 0; i < waiting; i++) sent.push((await node.dev('dev.faucet', { to: accounts[2], amount: '1 AVAX', noWait: true })).txID);
  const first = await open('/mempool');
  const second = await open(first.links.Next as string);
  const third = await open(second.links.Next as string);
  expect([...first.ids, ...second.ids, ...third.ids]).toEqual(sent);
  expect([first, second, third].map(({ position }) => position)).toEqual([
    `1–50 of ${waiting} transactions`,
    `51–100 of ${waiting} transactions`,
    `101–${waiting} of ${waiting} transactions`,
  ]);
  expect((await open(second.links.Last as string)).ids).toEqual(third.ids);
  expect(Object.keys(third.links)).toEqual(['First', 'Previous']);
  // A place that nothing waits at any more is the last page.
  for (const txID of sent.slice(60)) await node.dev('dev.dropTx', { txID });
  expect((await open(second.links.Next as string)).position).toBe('51–60 of 60 transactions');
  await node.dev('dev.mine');
  await node.dev('dev.setAutomine', { enabled: true });
  expect((await open('/mempool')).html).toContain('No transaction waits for a block.');
});

test('a link with a part that a route refuses: what is wrong with it, and the same page without it', async () => {
  const path = `/outputs/${accounts[1]}`;
  const read = async (query: string) => {
    const { status, text } = await send(`${path}?${query}`);
    const [panel = ''] = /<section class="panel message">.*?<\/section>/s.exec(text) ?? [];
    const links = [...panel.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    return { status, links, words: panel.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') };
  };
  const asset = await read('state=all&asset=%3Cb%3E');
  expect([asset.status, asset.links]).toEqual([400, [`${path}?state=all`, '/assets']]);
  expect(asset.words).toContain('400 This link cannot be opened asset=&lt;b> “&lt;b>” is not the ID of an asset.');
  const place = await read('page=zzz');
  expect([place.status, place.links]).toEqual([400, [path]]);
  expect(place.words).toContain('a place in a list that is not kept');
  for (const { words } of [asset, place]) expect(words).not.toMatch(/CB58|UUID|GET|cannot answer/);
  for (const href of [...asset.links, ...place.links]) expect([href, (await send(href)).status]).toEqual([href, 200]);
  // Only one character that differs is marked.
  expect((await send('/search?q=zzz')).text).not.toContain('<mark>');
});
