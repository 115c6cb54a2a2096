import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TxSummary } from '../src/api/contract/answers.ts';
import { sentenceText } from '../src/api/summary/sentence.ts';
import { parseUtxo } from '../src/avm/tx/utxo.ts';
import { parseKey } from '../src/avm/wallet/texts.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { parseId } from '../src/base/bytes/id.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { openEvents } from './event-client.ts';
import { pageTexts } from './page-texts.ts';
import { eventually } from './processes.ts';
import { runProgram } from './program.ts';
import { isLong } from './random.ts';
import { createWallet, importTx, signDraft } from './wallet-kit.ts';

/**
 * The sentence about a transaction, for every kind, in every list of the explorer: in the mempool, live and loaded again, in events, in CSV
 * and in commands. The expected texts are written by hand.
 */

// biome-ignore lint/suspicious/noExplicitAny: results have the shape of the called method
type Json = any;
type Made = { readonly [name: string]: Json };
type Case = {
  readonly name: string;
  /** Issues the transaction; `made` has the results of the cases before. */
  readonly make: (node: DevNode, accounts: readonly string[], made: Made) => Promise<Json>;
  readonly kind: string;
  readonly parties: string;
  readonly amount: string;
  readonly sentence: string;
};

const lockedUntil = 4_000_000_000;

const cases: readonly Case[] = [
  {
    name: 'send',
    make: (node, [, , two]) => node.dev('dev.send', { from: 1, to: two, amount: '1250.5 AVAX' }),
    kind: 'Transfer',
    parties: 'account 1 → account 2',
    amount: '1,250.5 AVAX',
    sentence: 'account 1 sent 1,250.5 AVAX to account 2',
  },
  {
    name: 'send to oneself',
    make: (node, [, one]) => node.dev('dev.send', { from: 1, to: one, amount: '3 AVAX' }),
    kind: 'Transfer',
    parties: 'account 1 → itself',
    amount: '3 AVAX',
    sentence: 'account 1 sent 3 AVAX to itself',
  },
  {
    name: 'lock for oneself',
    make: (node, [, one]) => node.dev('dev.send', { from: 1, to: one, amount: '4 AVAX', locktime: lockedUntil }),
    kind: 'Transfer',
    parties: 'account 1 → itself',
    amount: '4 AVAX',
    sentence: 'account 1 sent 4 AVAX to itself',
  },
  {
    name: 'send to two owners',
    make: (node, [, one, two]) => node.dev('dev.send', { from: 1, to: [one, two], threshold: 2, amount: '7 AVAX' }),
    kind: 'Transfer',
    parties: 'account 1 → 2 of 2 owners',
    amount: '7 AVAX',
    sentence: 'account 1 sent 7 AVAX to 2 of 2 owners',
  },
  {
    name: 'create an asset',
    make: (node, [, one]) =>
      node.dev('dev.createAsset', { name: 'Serac Ice', symbol: 'ICE', denomination: 2, supply: '1000', owner: one, mintable: true }),
    kind: 'Create asset',
    parties: 'by account 0',
    amount: 'Serac Ice, 10 ICE',
    sentence: 'account 0 created the asset Serac Ice (ICE) with 10 ICE for account 1',
  },
  {
    name: 'mint',
    make: (node, [, one], made) => node.dev('dev.mint', { assetID: made['create an asset'].assetID, to: one, amount: '500' }),
    kind: 'Mint',
    parties: 'account 0 → account 1',
    amount: '+5 ICE',
    sentence: 'account 0 minted 5 ICE to account 1',
  },
  {
    name: 'send an asset',
    make: (node, [, , two], made) => node.dev('dev.send', { from: 1, to: two, amount: '250', assetID: made['create an asset'].assetID }),
    kind: 'Transfer',
    parties: 'account 1 → account 2',
    amount: '2.5 ICE',
    sentence: 'account 1 sent 2.5 ICE to account 2',
  },
  {
    name: 'create an NFT family',
    make: (node) => node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD' }),
    kind: 'Create asset',
    parties: 'by account 0',
    amount: 'Cards',
    sentence: 'account 0 created the NFT family Cards (CARD)',
  },
  {
    name: 'mint an NFT',
    make: (node, [, one], made) => node.dev('dev.mintNFT', { assetID: made['create an NFT family'].assetID, to: one, payload: 'ace' }),
    kind: 'Mint',
    parties: 'account 0 → account 1',
    amount: '+1 CARD NFT',
    sentence: 'account 0 minted 1 CARD NFT to account 1',
  },
  {
    name: 'send an NFT',
    make: (node, [, , two], made) => node.dev('dev.sendNFT', { utxoID: made['mint an NFT'].utxoID, to: two }),
    kind: 'Operation',
    parties: 'account 1 → account 2',
    amount: '1 CARD NFT',
    sentence: 'account 1 sent 1 CARD NFT to account 2',
  },
  {
    name: 'create a property',
    make: (node) => node.dev('dev.createProperty', { name: 'Deeds', symbol: 'DEED' }),
    kind: 'Create asset',
    parties: 'by account 0',
    amount: 'Deeds',
    sentence: 'account 0 created the property family Deeds (DEED)',
  },
  {
    name: 'mint a property',
    make: (node, [, one], made) => node.dev('dev.mintProperty', { assetID: made['create a property'].assetID, to: one }),
    kind: 'Mint',
    parties: 'account 0 → account 1',
    amount: '+1 DEED property',
    sentence: 'account 0 minted 1 DEED property to account 1',
  },
  {
    name: 'burn a property',
    make: (node, _, made) => node.dev('dev.burnProperty', { utxoID: made['mint a property'].utxoID }),
    kind: 'Operation',
    parties: 'burned by account 1',
    amount: '1 DEED property',
    sentence: 'account 1 burned 1 DEED property',
  },
  {
    name: 'export to oneself',
    make: (node, [, one]) => node.dev('dev.export', { destinationChain: 'P', from: 1, to: one, amount: '1 AVAX' }),
    kind: 'Export',
    parties: 'account 1 → P-Chain',
    amount: '1 AVAX',
    sentence: 'account 1 exported 1 AVAX to P-Chain',
  },
  {
    name: 'export for another',
    make: (node, [, , two]) => node.dev('dev.export', { destinationChain: 'P', from: 1, to: two, amount: '2 AVAX' }),
    kind: 'Export',
    parties: 'account 1 → P-Chain for account 2',
    amount: '2 AVAX',
    sentence: 'account 1 exported 2 AVAX to P-Chain for account 2',
  },
  {
    name: 'import',
    make: (node, [, one]) => importDeposit(node, one as string),
    kind: 'Import',
    parties: 'from C-Chain → account 1',
    amount: '5 AVAX',
    sentence: 'imported 5 AVAX from C-Chain to account 1',
  },
];

/** Deposits 5 AVAX from the C-Chain and imports them. */
async function importDeposit(node: DevNode, to: string): Promise<{ txID: string }> {
  await node.dev('dev.atomicDeposit', { from: 'C', to, amount: '5 AVAX' });
  const { accounts } = await node.dev('dev.accounts');
  const key = parseKey(accounts[1].privateKey);
  const call = async (path: string, method: string, params: object): Promise<Json> =>
    (await node.program().client.call(path, method, params)).result;
  const { utxos } = await call('/ext/bc/X', 'avm.getUTXOs', { addresses: [to], sourceChain: 'C', encoding: 'hex' });
  const { blockchainID } = await call('/ext/info', 'info.getBlockchainID', { alias: 'C' });
  const deposit = parseUtxo(parseHex('hex', utxos[0]));
  const tx = signDraft(importTx(createWallet('sentences', { count: 0, keys: [key] }), { utxos: [] }, parseId(blockchainID), [deposit]));
  return call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes) });
}

const binary = chromiumBinary();

describe.skipIf(binary === undefined)('Chromium: the sentence about every kind of transaction', () => {
  let node: DevNode;
  let page: Page;
  let accounts: readonly string[];
  let titles: Readonly<Record<string, string>>;
  const made: Record<string, Json> = {};
  const heights: Record<string, number> = {};
  const idOf = (name: string): string => made[name].txID ?? made[name].assetID;
  const expectedRow = ({ kind, parties, amount }: Case) => ({ kind, parties, amount });

  /** The row of a transaction in a list of a page that is loaded now, or of the page that is shown. Addresses are replaced by names. */
  const rowIn = (path: string | undefined, id: string): Promise<ReturnType<typeof expectedRow> | null> =>
    page.run(`(async () => {
      const names = ${JSON.stringify(Object.fromEntries(accounts.map((address, at) => [address, `account ${at}`])))};
      const text = ${path === undefined ? 'undefined' : `await (await fetch(${JSON.stringify(path)}, { headers: { accept: 'text/html' } })).text()`};
      const shown = text === undefined ? document : new DOMParser().parseFromString(text, 'text/html');
      const row = shown.querySelector('tbody a[href="/tx/${id}"]')?.closest('tr');
      if (!row) return null;
      const heads = [...row.closest('table').querySelectorAll('th')].map((head) => head.textContent);
      const cell = (name) => {
        const copy = row.children[heads.indexOf(name)]?.cloneNode(true);
        for (const link of copy?.querySelectorAll('a.address') ?? []) link.textContent = names[link.title] ?? link.title;
        return copy?.textContent.trim().replaceAll(/\\s+/g, ' ');
      };
      return { kind: cell('Kind'), parties: cell('From → to'), amount: cell('Amount') };
    })()`);
  /** The sentence in the head of a page of a transaction; of an accepted one it is the title. */
  const sentenceOn = (id: string, selector = 'main header .sentence'): Promise<string> =>
    page.run(`(async () => {
      const names = ${JSON.stringify(Object.fromEntries(accounts.map((address, at) => [address, `account ${at}`])))};
      const text = await (await fetch('/tx/${id}', { headers: { accept: 'text/html' } })).text();
      const sentence = new DOMParser().parseFromString(text, 'text/html').querySelector('${selector}');
      for (const link of sentence.querySelectorAll('a.address')) link.textContent = names[link.title] ?? link.title;
      return sentence.textContent.trim().replaceAll(/\\s+/g, ' ');
    })()`);

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=3');
    accounts = (await node.dev('dev.accounts')).accounts.map(({ address }: Json) => address);
    const chainID = async (alias: string) =>
      ((await node.program().client.call('/ext/info', 'info.getBlockchainID', { alias })).result as Json).blockchainID;
    titles = { [await chainID('P')]: 'P-Chain', [await chainID('C')]: 'C-Chain' };
    page = await openChromium(binary!);
  });
  afterAll(async () => {
    await page?.close();
    await node?.stop();
  });

  test('in the mempool, in the event, and live on the first page', async () => {
    const events = openEvents(node.program().port, '?kind=tx');
    await page.open(`${node.program().url}/`);
    await eventually(
      () => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`),
      (isLive) => isLive,
    );
    for (const one of cases) {
      await node.dev('dev.setAutomine', { enabled: false });
      made[one.name] = await one.make(node, accounts, made);
      const id = idOf(one.name);
      expect([one.name, await rowIn('/mempool', id)]).toEqual([one.name, expectedRow(one)]);
      expect([one.name, await sentenceOn(id)]).toEqual([one.name, one.sentence]);
      heights[one.name] = Number((await node.dev('dev.mine')).height);
      await node.dev('dev.setAutomine', { enabled: true });
      const [event] = (await events.until(({ data }) => data.txID === id)).filter(({ data }) => data.txID === id);
      const summary = event?.data.summary as TxSummary;
      const labels: Readonly<Record<string, { symbol: string; denomination: number }>> = await labelsOf(summary);
      const amounts = summary.amounts.map((amount) => ({ ...amount, ...labels[amount.assetId] }));
      const name = (address: string) => `account ${accounts.indexOf(address)}`;
      expect(sentenceText({ ...summary, amounts }, { address: name, chain: (chain) => titles[chain] ?? chain })).toBe(one.sentence);
      // The symbol of an asset is read when its first transaction comes.
      const live = await eventually(
        () => rowIn(undefined, id),
        (row) => row !== null && !row.amount.includes('…'),
      );
      expect([one.name, live]).toEqual([one.name, expectedRow(one)]);
    }
    events.close();
    expect(page.console).toEqual([]);
  });

  const get = async (path: string): Promise<Json> =>
    JSON.parse((await node.program().client.send('GET', `/v1/networks/local/blockchains/x-chain/${path}`)).text);
  const labelsOf = async ({ amounts }: TxSummary) =>
    Object.fromEntries(
      await Promise.all(amounts.map(async ({ assetId }) => [assetId, pickLabel(await get(`assets/${assetId}`))] as const)),
    );
  const pickLabel = ({ symbol, denomination }: Json) => ({ symbol, denomination });

  test('the same after a reload: on the first page, of the block, of the owner, of the asset, of the transaction, in CSV', async () => {
    const [, one, two] = accounts;
    for (const each of cases) {
      const id = idOf(each.name);
      const lists = [`/block/${heights[each.name]}`];
      // The first page has the last twelve.
      if (cases.indexOf(each) >= cases.length - 12) lists.push('/');
      if (each.name.includes('asset')) lists.push(`/asset/${made['create an asset'].assetID}`);
      for (const path of lists) expect([each.name, path, await rowIn(path, id)]).toEqual([each.name, path, expectedRow(each)]);
      if (!each.name.startsWith('create')) {
        const owner = `/address/${each.parties.includes('account 1') ? one : two}`;
        expect([each.name, owner, (await rowIn(owner, id))?.parties]).toEqual([each.name, owner, each.parties]);
      }
      expect([each.name, await sentenceOn(id, 'main header h1 .sentence')]).toEqual([each.name, each.sentence]);
    }
    await page.open(`${node.program().url}/block/${heights.send}`);
    // Its script listens to clicks once it is loaded.
    await eventually(() => page.run<boolean>(`document.querySelector('.stream-state.live') !== null`), Boolean);
    const csv = await page.run<string>(`new Promise((resolve) => {
      URL.createObjectURL = (blob) => (blob.text().then(resolve), 'about:blank');
      HTMLAnchorElement.prototype.click = () => undefined;
      document.querySelector('[data-save-csv]').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    })`);
    expect(csv).toContain(`"${one} → ${two}"`);
    expect(csv).toContain('"1250.5","AVAX"');
  });

  test('every transaction has the amount and the type that the Data API tells', async () => {
    for (const { name, amount } of cases) {
      const tx = await get(`transactions/${idOf(name)}`);
      const [, number, symbol] = /(?:^|[+ ])([\d,.]+) ([A-Z]+)/.exec(amount) ?? [];
      const utxos: Json[] = [...tx.emittedUtxos, ...tx.consumedUtxos];
      const units = ({ asset: { amount: units, denomination, type } }: Json) => Number(units) / 10 ** (type === 'nft' ? 0 : denomination);
      const told = utxos.filter(({ asset, utxoType }) => asset.symbol === symbol && utxoType === 'transfer').map(units);
      if (number === undefined) expect([name, tx.txType]).toEqual([name, 'CreateAssetTx']);
      else expect([name, told.includes(Number(number.replaceAll(',', '')))]).toEqual([name, true]);
    }
  });

  test('lists that are open show every kind without a reload, as a page loaded anew does', async () => {
    const [, one, two] = accounts;
    const { url } = node.program();
    await node.dev('dev.freezeTime');
    // Before this, the first page has shown every kind as it came.
    const lists = [`/address/${one}`, '/', '/mempool', '/blocks', `/outputs/${two}`, `/asset/${made['create an asset'].assetID}`];
    for (const path of isLong ? lists : lists.slice(0, 1)) {
      await page.open(url + path);
      await page.run('window.isSamePage = true');
      const again: Record<string, Json> = { ...made };
      for (const each of cases) {
        // The page of an asset lists those of this one asset.
        const isKept = path.startsWith('/asset/') && each.name === 'create an asset';
        if (!isKept) again[each.name] = await each.make(node, accounts, again);
        await eventually(
          async () => (await get('mempool')).txCount,
          (count) => count === 0,
        );
        const { shown, loaded } = await eventually(
          () => pageTexts(page),
          (texts) => texts.shown === texts.loaded,
        );
        expect([path, each.name, shown]).toEqual([path, each.name, loaded]);
      }
      expect([path, await page.run('window.isSamePage'), page.console]).toEqual([path, true, []]);
    }
    await node.dev('dev.resetTime');
  });

  test('moved in a block: an export to own addresses is, a transfer to oneself is not', async () => {
    const moved = async (name: string) => (await get(`blocks/${heights[name]}/transactions`)).transactions[0].moved;
    expect([await moved('send'), await moved('send to oneself'), await moved('export to oneself'), await moved('mint an NFT')]).toEqual([
      '1250500000000',
      '0',
      '1000000000',
      '0',
    ]);
  });

  test('in the commands tx and block', async () => {
    const { url } = node.program();
    for (const each of cases.filter(({ name }) => ['send', 'send to two owners', 'mint a property', 'import'].includes(name))) {
      expect((await runProgram('tx', idOf(each.name), '--url', url)).out.split('\n')[0]).toBe(each.sentence);
      expect((await runProgram('block', String(heights[each.name]), '--url', url)).out).toContain(`    ${each.sentence}\n`);
    }
  });
});
