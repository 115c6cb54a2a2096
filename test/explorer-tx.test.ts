import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { parseKey } from '../src/avm/wallet/texts.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { parseHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';
import { baseTx, createWallet, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** The page of an accepted transaction: what stands out, and what is folded. */
let node: DevNode;
let keys: readonly Key[];
let addresses: readonly string[];
const paid = Array.from({ length: 40 }, (_, at) => BigInt(at + 1) * 1_000_000n);
const ids = { many: '', shared: '' };

const utxosOf = async (address: string): Promise<Utxo[]> => {
  const { result } = await node.program().client.call('/ext/bc/X', 'avm.getUTXOs', { addresses: [address], encoding: 'hex' });
  return (result as unknown as { readonly utxos: readonly string[] }).utxos.map((hex) => parseUtxo(parseHex('hex', hex)));
};
/** Spends outputs with these keys and pays `amounts`, each to an owner of its own. */
const pay = async (signers: readonly Key[], utxos: readonly Utxo[], amounts: readonly bigint[]): Promise<string> => {
  const owner = (at: number): Address => (at + 10).toString(16).padStart(40, '0') as Address;
  const outputs = amounts.map((amount, at) => transfer(localChainParams.feeAsset, amount, ownedBy([owner(at)])));
  const tx = signDraft(baseTx(createWallet('page of a transaction', { count: 0, keys: signers }), { utxos }, outputs));
  expect(await node.issue(tx)).toMatchObject({ result: { txID: idText(tx.id) } });
  await node.untilAccepted(tx);
  return idText(tx.id);
};
/** The HTML of a page as it comes, without the data for its script. */
const html = async (path: string): Promise<string> =>
  (await (await fetch(node.program().url + path, { headers: { accept: 'text/html' } })).text()).split('<script type="app')[0] ?? '';

beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=3');
  const { accounts } = await node.dev('dev.accounts');
  keys = accounts.map(({ privateKey }: { readonly privateKey: string }) => parseKey(privateKey));
  addresses = accounts.map(({ address }: { readonly address: string }) => address);
  await node.dev('dev.send', { from: 1, to: addresses.slice(1, 4), threshold: 2, amount: '70 AVAX' });
  const shared = await eventually(
    async () => (await utxosOf(addresses[2] as string)).filter(({ output }) => output.addresses.length === 3),
    ({ length }) => length === 1,
  );
  ids.shared = await pay([keys[1] as Key, keys[3] as Key], shared, [20_000_000_000n]);
  ids.many = await pay([keys[2] as Key], await utxosOf(addresses[2] as string), paid);
});
afterAll(() => node.stop());

/** The text of a part of a page; links of addresses have the names of accounts. */
const textOf = (part: string): string =>
  part
    .replace(/<svg.*?<\/svg>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

test('a shared input says how many must sign, who signed and who did not', async () => {
  const page = await html(`/tx/${ids.shared}`);
  const [, row = ''] = /<li id="in-0">.*?<div class="owner"><p>(.*?)<\/p>/.exec(page) ?? [];
  expect(textOf(row)).toBe('2 of 3 must sign signed: account 1 , account 3 did not sign: account 2');
  const [, credentials = ''] = /<table data-csv="credentials">.*?<tbody>(.*?)<\/tbody>/.exec(page) ?? [];
  const owners = [...credentials.matchAll(/<tr><td[^>]*>0<\/td><td[^>]*>(.*?)<\/td>/g)].map(([, owner = '']) => textOf(owner));
  expect(owners.toSorted()).toEqual(['account 1', 'account 3']);
});

test('of 41 outputs 20 are in sight, and the others are in the page without script, folded', async () => {
  const [, produced = ''] = /<h2>Produced<\/h2>(.*?)<\/section>/.exec(await html(`/tx/${ids.many}`)) ?? [];
  const [inSight = '', folded = ''] = produced.split('<details><summary>21 more</summary>');
  expect([inSight, folded].map((rows) => rows.match(/<li id="out-/g)?.length)).toEqual([20, 21]);
});

test('a block with one transaction shows its sentence and its flow, which links to its page', async () => {
  const { result } = await node.program().client.call('/ext/bc/X', 'avm.getHeight', {});
  const page = await html(`/block/${(result as unknown as { readonly height: string }).height}`);
  expect(textOf(/<h2>(.*?)<\/h2>/.exec(page)?.[1] ?? '')).toBe('account 2 sent 0 .82 AVAX to X-local1 qqqqq…jr4lsc and 39 more');
  expect(page).toContain('data-picture="flow"');
  expect(page).not.toContain('data-picture="block"');
  expect(page).toContain(`href="/tx/${ids.many}#out-39"`);
});

test('a block with several transactions says what they move and names the largest payments, largest first', async () => {
  await node.dev('dev.setAutomine', { enabled: false });
  for (const [from, amount] of [1, 3, 9, 5].entries()) await node.dev('dev.send', { from, to: addresses[0], amount: `${amount} AVAX` });
  const { height } = await node.dev('dev.mine', { blocks: 1 });
  await node.dev('dev.setAutomine', { enabled: true });
  const page = await html(`/block/${height}`);
  // Account 0 pays itself, which moves nothing.
  expect(textOf(/<h2>(.*?)<\/h2>/.exec(page)?.[1] ?? '')).toBe('4 transactions moved 17 AVAX');
  const [, list = ''] = /<ol [^>]*aria-label="Largest payments">(.*?)<\/ol>/.exec(page) ?? [];
  const named = [...list.matchAll(/<span class="sentence[^"]*">(.*?)<\/span> <a class="mono"/g)].map(([, one = '']) => textOf(one));
  expect(named).toEqual(['account 2 sent 9 AVAX to account 0', 'account 3 sent 5 AVAX to account 0', 'account 1 sent 3 AVAX to account 0']);
  expect(page).toContain('data-picture="block"');
  expect(textOf(/<div class="table-foot">(.*?)<\/div>/.exec(page)?.[1] ?? '')).toBe('1–4 of 4 transactions');
  const row = (await html('/blocks')).split('<tr>').find((one) => one.includes(`href="/block/${height}"`)) ?? '';
  const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => textOf(cell));
  expect(cells.slice(0, 4)).toEqual([height, '4 Transfer', '17 AVAX', '0.004']);
});

const binary = chromiumBinary();
describe.skipIf(binary === undefined)('Chromium', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openChromium(binary!);
  });
  afterAll(() => page.close());

  test('all outputs are saved as CSV, and a link to a folded one unfolds it', async () => {
    await page.open(`${node.program().url}/tx/${ids.many}`);
    // Until then its script does not listen for clicks.
    await eventually(() => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean);
    const csv = await page.run<string>(`new Promise((resolve) => {
      URL.createObjectURL = (blob) => (blob.text().then(resolve), 'about:blank');
      HTMLAnchorElement.prototype.click = () => undefined;
      document.querySelector('[data-save-csv=Produced]').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    })`);
    expect(csv.split('\n')).toHaveLength(1 + paid.length + 1);
    expect(csv).toContain('"0.04","AVAX"');
    await page.run(`void (location.hash = 'out-39')`);
    expect(await eventually(() => page.run<boolean>(`document.querySelector('.outputs details').open`), Boolean)).toBe(true);
    expect(page.console).toEqual([]);
  });
});
