import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { type Address, createAddressFormatter } from '../src/base/bytes/address.ts';
import { parseHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, outputOf, startDevNode } from './dev-node.ts';
import { getFrom } from './explorer-client.ts';
import { baseTx, createWallet, ewoq, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Pages with the longest texts, the largest amounts and transactions, and with properties. */
let node: DevNode;
let account: string;
const ids = { long: '', memo: '', property: '', burn: '', nft: '' };
const format = createAddressFormatter('X', 'local');
const hexOf = (n: number): Address => n.toString(16).padStart(40, '0') as Address;
const addressOf = (n: number): string => format(hexOf(n));
const html = async (path: string): Promise<string> =>
  (await fetch(node.program().url + path, { headers: { accept: 'text/html' } }))
    .text()
    .then((text) => text.split('<script type="app')[0] ?? '');

beforeAll(async () => {
  node = await startDevNode('in memory', '--accounts=2');
  const { accounts } = await node.dev('dev.accounts');
  account = accounts[1].address;
  const long = { name: 'W'.repeat(128), symbol: 'WWWW', denomination: 2, supply: '9223372036854775807', owner: account };
  ids.long = (await node.dev('dev.createAsset', long)).assetID;
  // Holders that are no accounts: their addresses are longer than the names of accounts.
  for (const n of [1, 2, 3]) await node.dev('dev.send', { from: 1, to: addressOf(n), amount: '1223372036854775807', assetID: ids.long });
  ids.memo = (await node.dev('dev.send', { from: 1, to: addressOf(1), amount: '1 AVAX', memo: 'm'.repeat(256) })).txID;
  ids.property = (await node.dev('dev.createProperty', { name: 'Titles', symbol: 'TTL' })).assetID;
  const { utxoID } = await node.dev('dev.mintProperty', { assetID: ids.property, to: account });
  ids.burn = (await node.dev('dev.burnProperty', { utxoID })).txID;
  await node.dev('dev.mintProperty', { assetID: ids.property, to: account });
  ids.nft = (await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD' })).assetID;
});
afterAll(() => node.stop());

test('a burned property is no part of the fee, and properties are no NFTs', async () => {
  const page = await html(`/tx/${ids.burn}`);
  const [, fee = ''] = /<dt>Fee<\/dt>(.*?)<\/div>/.exec(page) ?? [];
  expect(fee.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toBe(' 0 .001 AVAX burned: 1 TTL property ');
  const assets = await html('/assets');
  const kindOf = (id: string): string | undefined => new RegExp(`href="/asset/${id}"(.*?)</tr>`).exec(assets)?.[1];
  expect(kindOf(ids.property)).toContain('<td>property family</td>');
  expect(kindOf(ids.nft)).toContain('<td>NFT family</td>');
  expect(await html(`/asset/${ids.property}`)).toContain('property family');
  const owner = await html(`/address/${account}?asset=${ids.property}`);
  expect(owner).toContain('<span class="quiet">property</span>');
  expect(owner).not.toContain('TTL NFT');
  expect(await html(`/graph/${ids.burn}`)).not.toContain('TTL NFT');
});

const wallet = createWallet('large transactions', { keys: [ewoq] });

/** An unspent output that pays for a transaction. */
async function findFunds(): Promise<Utxo> {
  const { result } = await node.program().client.call('/ext/bc/X', 'avm.getUTXOs', { addresses: [format(ewoq.address)] });
  const utxos = (result as unknown as { readonly utxos: readonly string[] }).utxos.map((hex) => parseUtxo(parseHex('hex', hex)));
  return utxos.find(({ output }) => output.kind === 'secp256k1fx.TransferOutput') as Utxo;
}

test('the list of the latest transactions is full, however large they are', async () => {
  let change = await findFunds();
  // More owners than this do not fit into a transaction of 64 KiB.
  const owners = ownedBy(Array.from({ length: 2900 }, (_, n) => hexOf(n + 10)));
  for (let i = 0; i < 12; i++) {
    const tx = signDraft(baseTx(wallet, { utxos: [change] }, [transfer(localChainParams.feeAsset, 1_000_000n, owners)]));
    expect(await node.issue(tx)).toMatchObject({ result: { txID: idText(tx.id) } });
    await node.untilAccepted(tx);
    change = [0, 1].map((at) => outputOf(tx, at)).find(({ output }) => output.addresses.length === 1) as Utxo;
  }
  const { json } = await getFrom(node.program(), 'transaction-summaries?pageSize=12');
  expect(json.transactions.length).toBeLessThan(12);
  const [, list = ''] = /<table data-csv="latest".*?<tbody>(.*?)<\/tbody>/.exec(await html('/')) ?? [];
  expect(list.match(/<tr/g)?.length).toBe(12);
});

const binary = chromiumBinary();
describe.skipIf(binary === undefined)('Chromium', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openChromium(binary!);
  });
  afterAll(() => page.close());
  /** What is cut or covered: elements that reach over the panel or the window that they are in. */
  const cut = (selector: string): Promise<string[]> =>
    page.run(`[...document.querySelectorAll(${JSON.stringify(selector)})].filter((element) => {
      const { left, width } = element.getBoundingClientRect();
      const end = Math.min(element.closest('.panel').getBoundingClientRect().right, document.documentElement.clientWidth);
      return left + Math.max(width, element.scrollWidth) > end + 1;
    }).map(({ textContent }) => textContent)`);
  const open = (path: string): Promise<void> => page.open(node.program().url + path);

  test.each([390, 1440])('a memo and the shares of holders stay in their panels, %d px wide', async (width) => {
    await page.emulate({ width, height: 900 });
    await open(`/tx/${ids.memo}`);
    expect(await cut('.memo p, .memo pre')).toEqual([]);
    await open(`/asset/${ids.long}`);
    expect(await page.run<number>(`document.querySelectorAll('.holders tbody tr').length`)).toBe(4);
    expect(await cut('.holders td')).toEqual([]);
  });

  test.each([390, 1440])(
    'NFT payloads begin at their beginning and end with a whole line, and cards of a row are equally high, %d px wide',
    async (width) => {
      await page.emulate({ width, height: 900 });
      const payload = JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`trait ${n}`, n])));
      for (const text of [payload, 'short']) await node.dev('dev.mintNFT', { assetID: ids.nft, to: account, payload: text });
      await open(`/asset/${ids.nft}`);
      const shown = await page.run<{ top: number; lines: number; uneven: number }>(`(() => {
      const text = document.querySelector('.card pre');
      const range = new Range();
      range.selectNodeContents(text);
      return {
        top: range.getBoundingClientRect().top - document.querySelector('.card-picture').getBoundingClientRect().top,
        lines: text.getBoundingClientRect().height / parseFloat(getComputedStyle(text).lineHeight),
        uneven: [...Map.groupBy(document.querySelectorAll('.card'), (card) => card.offsetTop).values()]
          .filter((row) => new Set(row.map(({ offsetHeight }) => offsetHeight)).size > 1).length,
      };
    })()`);
      expect(shown.top).toBeGreaterThanOrEqual(12);
      expect(Math.abs(shown.lines - Math.round(shown.lines))).toBeLessThan(0.05);
      expect(shown.uneven).toBe(0);
      const [first] = await page.run<string[]>(`[...document.querySelectorAll('.card pre')].map(({ textContent }) => textContent)`);
      expect(first).toContain('"trait 11": 11');
    },
  );

  test('a long name of an asset hides no balance', async () => {
    await page.emulate({ width: 1440, height: 900 });
    await open(`/address/${account}`);
    expect(await cut('[data-csv=balances] td')).toEqual([]);
    expect(await page.run<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBeLessThanOrEqual(0);
    await page.emulate({ width: 390, height: 900 });
    expect(await cut('[data-csv=balances] td:nth-child(3)')).toEqual([]);
  });

  test('a printed page shows all columns', async () => {
    // A4 without margins of 1 cm.
    await page.emulate({ width: 718, height: 1046, isPrinted: true });
    for (const path of [`/address/${account}`, `/asset/${ids.long}`, '/assets', '/', `/tx/${ids.memo}`]) {
      await open(path);
      expect([path, await cut('.panel td, .panel th, .panel .sum')]).toEqual([path, []]);
    }
  });

  test('what is folded on the screen is printed', async () => {
    const outputs = Array.from({ length: 30 }, (_, n) => transfer(localChainParams.feeAsset, 1_000_000n, ownedBy([hexOf(n + 10)])));
    const tx = signDraft(baseTx(wallet, { utxos: [await findFunds()] }, outputs));
    expect(await node.issue(tx)).toMatchObject({ result: { txID: idText(tx.id) } });
    await node.untilAccepted(tx);
    await open(`/tx/${idText(tx.id)}`);
    const isLastShown = `document.querySelector('#out-29').checkVisibility()`;
    await page.emulate({ width: 1440, height: 900 });
    expect(await page.run<boolean>(isLastShown)).toBe(false);
    await page.emulate({ width: 718, height: 1046, isPrinted: true });
    expect(await page.run<boolean>(isLastShown)).toBe(true);
  });
});
