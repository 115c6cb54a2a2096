import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { parseHex } from '../src/base/bytes/hex.ts';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { root } from './explorer-client.ts';
import { recordFigure } from './figure.ts';
import { createLanes } from './network-nodes.ts';
import { pageTexts } from './page-texts.ts';
import { eventually } from './processes.ts';

/**
 * Pages that stay open while the chain is busy for long, and every number on them at the end: beside the same page loaded anew, and beside the
 * Data API.
 */
const binary = chromiumBinary();
/** SERAC_SOAK_SECONDS=1200 for twenty minutes. */
const seconds = Number(process.env.SERAC_SOAK_SECONDS ?? 8);
const rate = 50;
const senders = 40;
/** Milliseconds for which a page is in front before another is. */
const turn = 3000;

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of the route
type Json = any;

describe.skipIf(binary === undefined)(`Chromium: ${rate} transactions per second for ${seconds} s`, () => {
  let node: DevNode;
  let home: Page;
  /** The first one is that of the account that pays for the rare transactions, and sends nothing in the load. */
  let lanes: ReturnType<typeof createLanes>;
  let addresses: readonly string[];
  let [asset, family] = ['', ''];
  const tabs = new Map<string, Page>();
  const get = async (path: string): Promise<Json> => JSON.parse((await node.program().client.send('GET', path)).text);
  const number = (text: string): number => Number(text.replaceAll(',', '').split(' ')[0]);

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=1');
    const { accounts } = await node.dev('dev.accounts');
    const { utxos } = (await node.program().client.call('/ext/bc/X', 'avm.getUTXOs', { addresses: [accounts[0].address] })).result as Json;
    lanes = createLanes(senders + 1, parseUtxo(parseHex('hex', utxos[0])));
    expect((await node.issue(lanes.first)).error).toBeUndefined();
    await node.untilAccepted(lanes.first);
    addresses = lanes.addresses.map(createAddressFormatter('X', 'local'));
    const owner = addresses[1];
    ({ assetID: asset } = await node.dev('dev.createAsset', {
      name: 'Ice',
      symbol: 'ICE',
      denomination: 2,
      supply: '1000',
      owner,
      mintable: true,
    }));
    ({ assetID: family } = await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD' }));
    home = await openChromium(binary!);
    await home.emulate({ width: 1280, height: 900 });
    const { url } = node.program();
    await home.open(`${url}/`);
    tabs.set('/', home);
    for (const path of [
      '/blocks',
      '/assets',
      '/mempool',
      '/cross-chain',
      '/throughput?range=minute',
      '/throughput?range=hour',
      `/asset/${asset}`,
      `/asset/${family}`,
      `/address/${owner}`,
      `/outputs/${owner}?state=all`,
    ])
      tabs.set(path, await home.openTab(url + path));
    for (const tab of tabs.values()) await tab.run('window.isSamePage = true');
  }, 120_000);
  afterAll(async () => {
    await home?.close();
    await node?.stop();
  });

  /** Every 25th transaction is of another kind than a transfer. One whose output waits in another is refused, which is no fault. */
  const rare: readonly ((to: string) => readonly [method: string, params: object])[] = [
    (to) => ['dev.mint', { assetID: asset, to, amount: '500' }],
    (to) => ['dev.mintNFT', { assetID: family, to, payload: 'ace' }],
    (to) => ['dev.export', { destinationChain: 'P', from: 1, to, amount: '0.5 AVAX' }],
    () => ['dev.createAsset', { name: 'Soak', symbol: 'SOAK', supply: '1000' }],
    (to) => ['dev.atomicDeposit', { from: 'C', to, amount: '1 AVAX' }],
    () => ['dev.createNFT', { name: 'More cards', symbol: 'MORE' }],
  ];
  const issueRare = async (number: number, to: string): Promise<void> => {
    const [method, params] = rare[number % rare.length]?.(to) ?? ['', {}];
    await node.program().client.call('/ext/dev', method, params);
  };

  /** Issues transactions at the rate; those that the machine is too slow for are not made up for. */
  async function runLoad(until: number): Promise<number> {
    let issued = 0;
    let due = performance.now();
    const runLane = async (lane: number): Promise<void> => {
      let last: Tx | undefined;
      for (;;) {
        const at = due;
        due = Math.max(due + 1000 / rate, performance.now() - 1000);
        if (at >= until) return;
        await Bun.sleep(Math.max(0, at - performance.now()));
        const number = issued++;
        if (number % 25 === 0) await issueRare(number / 25, addresses[lane] as string);
        else {
          // The next one spends its change; it is accepted long before.
          if (last !== undefined) await node.untilAccepted(last);
          last = lanes.next(lane);
          expect((await node.issue(last)).error).toBeUndefined();
        }
      }
    };
    await Promise.all(Array.from({ length: senders }, (_, at) => runLane(at + 1)));
    return issued;
  }

  /** Shows the pages in turn, the first page half of the time. */
  async function showInTurn(until: number): Promise<void> {
    while (performance.now() < until)
      for (const tab of tabs.values()) {
        for (const one of [home, tab]) {
          await one.show();
          await Bun.sleep(Math.min(turn, Math.max(0, until - performance.now())));
        }
        if (performance.now() >= until) return;
      }
  }

  const factsOf = (tab: Page): Promise<Record<string, string>> =>
    tab.run(
      `Object.fromEntries([...document.querySelectorAll('main dt')].map((term) => [term.textContent, term.nextElementSibling.textContent]))`,
    );
  /** Cells of a table by its CSV name. */
  const cellsOf = (tab: Page, name: string): Promise<string[][]> =>
    tab.run(`[...document.querySelectorAll('table[data-csv=${JSON.stringify(name)}] tbody tr')].map((row) =>
      [...row.children].map((cell) => cell.querySelector('a[title]')?.title ?? cell.querySelector('[data-amount]')?.dataset.amount ?? cell.textContent.trim()))`);

  test(
    'pages that were open all the time show what pages loaded anew show, and what the Data API says',
    async () => {
      await home.show();
      const before = await home.heapBytes();
      const until = performance.now() + seconds * 1000;
      const [issued] = await Promise.all([runLoad(until), showInTurn(until)]);
      await eventually(
        async () => (await get(`${root}/mempool`)).txCount,
        (count) => count === 0,
        60_000,
      );
      // Ages and windows of time stand still.
      await node.dev('dev.freezeTime');
      for (const [path, tab] of tabs) {
        await tab.show();
        const { shown, loaded } = await eventually(
          () => pageTexts(tab),
          (both) => both.shown === both.loaded,
          30_000,
        );
        expect([path, shown]).toEqual([path, loaded]);
        expect([path, await tab.run('window.isSamePage'), tab.console]).toEqual([path, true, []]);
      }
      await compareWithApi();
      await home.show();
      const grown = (await home.heapBytes()) - before;
      process.stdout.write(
        `explorer: ${issued} transactions in ${seconds} s (${(issued / seconds).toFixed(1)} per second), ${tabs.size} pages equal, heap of the first page ${(grown / 1e6).toFixed(1)} MB larger\n`,
      );
      recordFigure({ name: `growth of the heap of the explorer in ${seconds} s`, unit: 'MB', value: grown / 1e6, limit: 10 });
    },
    (seconds + 240) * 1000,
  );

  async function compareWithApi(): Promise<void> {
    const window = async (metric: string): Promise<Json> => (await get(`/v2/chains/X/rollingWindowMetrics/${metric}`)).result;
    const [txs, fees, used, active] = await Promise.all(['txCount', 'feesPaid', 'cumulativeAddresses', 'activeAddresses'].map(window));
    const { outbound, inbound } = await get(`${root}/cross-chain/balances`);
    const { blocks } = await get(`${root}/block-summaries?pageSize=100`);
    const { figures } = await get(`${root}/throughput?seconds=60`);
    const count = (list: readonly Json[]): number => list.reduce((sum, { utxoCount }) => sum + utxoCount, 0);
    const facts = await factsOf(home);
    expect(
      Object.entries(facts)
        .filter(([name]) => !(name in endpoints))
        .map(([name, value]) => [name, number(value)]),
    ).toEqual([
      ['Height', Number(blocks[0].blockNumber)],
      ['Pending', 0],
      ['Transactions, 24 h', txs.lastDay],
      ['Addresses', used.allTime],
      ['Active addresses, 24 h', active.lastDay],
      ['Burned, 24 h', fees.lastDay / 1e9],
      ['Transfer', figures.txCountByType.BaseTx],
      ['Operation', figures.txCountByType.OperationTx],
      ['Create asset', figures.txCountByType.CreateAssetTx],
      ['Import', figures.txCountByType.ImportTx],
      ['Export', figures.txCountByType.ExportTx],
      ['Exports waiting', count(outbound)],
      ['Outputs to import', count(inbound)],
    ]);
    const { transactions } = await get(`${root}/transactions?pageSize=12`);
    const latest = await cellsOf(home, 'latest');
    expect(latest.map(([, id]) => id)).toEqual(transactions.map(({ txHash }: Json) => txHash));
    for (const [at, tx] of transactions.entries())
      if (tx.txType === 'BaseTx') expect([tx.txHash, latest[at]?.[3]]).toEqual([tx.txHash, sentAmount(tx)]);
    const shownBlocks = await cellsOf(tabs.get('/blocks')!, 'blocks');
    expect(shownBlocks.map(([height, , shown]) => [number(height!), number(shown!)])).toEqual(
      blocks.slice(0, shownBlocks.length).map(({ blockNumber, txCount }: Json) => [Number(blockNumber), txCount]),
    );
    const minute = await factsOf(tabs.get('/throughput?range=minute')!);
    expect([number(minute.Transactions!), number(minute.Blocks!), number(minute['Peak second']!)]).toEqual([
      figures.txCount,
      figures.blockCount,
      figures.peakTps,
    ]);
    const [ice, { holders }] = await Promise.all([get(`${root}/assets/${asset}`), get(`${root}/assets/${asset}/holders`)]);
    const shownAsset = await factsOf(tabs.get(`/asset/${asset}`)!);
    expect([number(shownAsset['Supply on this chain']!), number(shownAsset.Holders!), number(shownAsset.Transactions!)]).toEqual([
      Number(ice.supply) / 100,
      holders,
      ice.txCount,
    ]);
    const { balances } = await get(`${root}/balances?addresses=${addresses[1]}`);
    const rows = await cellsOf(tabs.get(`/address/${addresses[1]}`)!, 'balances');
    const unlocked = balances.unlocked.map(({ assetId, amount, denomination, type }: Json) => [
      assetId,
      Number(amount) / 10 ** (type === 'nft' ? 0 : denomination),
    ]);
    expect(rows.map(([id, , shown]) => [id, number(shown!)])).toEqual(expect.arrayContaining(unlocked));
  }

  /** Names of the panel with URLs. */
  const endpoints = { RPC: true, Data: true, Metrics: true, Events: true };

  /** What a transfer sends to others, in AVAX. */
  function sentAmount({ consumedUtxos, emittedUtxos }: Json): string {
    const own = new Set(consumedUtxos.flatMap((utxo: Json) => utxo.addresses));
    const sent = emittedUtxos.filter((utxo: Json) => !utxo.addresses.some((address: string) => own.has(address)));
    const units: bigint = sent.reduce((sum: bigint, utxo: Json) => sum + BigInt(utxo.asset.amount), 0n);
    return `${units / 1_000_000_000n}.${String(units % 1_000_000_000n).padStart(9, '0')}`.replace(/\.?0+$/, '');
  }
});
