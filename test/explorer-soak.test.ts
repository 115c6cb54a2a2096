import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, type Page } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { root } from './explorer-client.ts';
import { type ExplorerTabs, openExplorerTabs } from './explorer-tabs.ts';
import { recordFigure } from './figure.ts';
import { pageTexts } from './page-texts.ts';
import { eventually } from './processes.ts';
import { recordProof } from './proofs/proof.ts';
import { prepareSteadyLoad, type SteadyLoad } from './steady-load.ts';

/**
 * Pages that stay open while the chain is busy for long, and every number on them at the end: beside the same page loaded anew, and beside the
 * Data API.
 */
const binary = chromiumBinary();
/** SERAC_SOAK_SECONDS=1200 for twenty minutes. */
const seconds = Number(process.env.SERAC_SOAK_SECONDS ?? 8);
const rate = 50;
const senders = 40;

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of the route
type Json = any;

describe.skipIf(binary === undefined)(`Chromium: ${rate} transactions per second for ${seconds} s`, () => {
  let node: DevNode;
  let load: SteadyLoad;
  let open: ExplorerTabs;
  const get = async (path: string): Promise<Json> => JSON.parse((await node.program().client.send('GET', path)).text);
  const number = (text: string): number => Number(text.replaceAll(',', '').split(' ')[0]);

  beforeAll(async () => {
    node = await startDevNode('in memory', '--accounts=1');
    load = await prepareSteadyLoad(node.program().client, senders);
    open = await openExplorerTabs(binary!, node.program().url, load);
    for (const tab of open.tabs.values()) await tab.run('window.isSamePage = true');
  });
  afterAll(async () => {
    await open?.close();
    await node?.stop();
  });

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
      const { home, tabs } = open;
      await home.show();
      const before = await home.heapBytes();
      const until = performance.now() + seconds * 1000;
      const [issued] = await Promise.all([load.run({ rate, until }), open.showInTurn(until)]);
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
      const numbers = {
        seconds,
        transactions: issued,
        pages: tabs.size,
        'heap of the first page larger by MB': Number((grown / 1e6).toFixed(1)),
      };
      recordProof('explorer-soak', seconds, numbers, []);
      recordFigure({ name: `growth of the heap of the explorer in ${seconds} s`, unit: 'MB', value: grown / 1e6, limit: 10 });
    },
    (seconds + 240) * 1000,
  );

  async function compareWithApi(): Promise<void> {
    const { home, tabs } = open;
    const { addresses, asset } = load;
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
      ['Transfer', figures.txCountByType.BaseTx],
      ['Operation', figures.txCountByType.OperationTx],
      ['Create asset', figures.txCountByType.CreateAssetTx],
      ['Import', figures.txCountByType.ImportTx],
      ['Export', figures.txCountByType.ExportTx],
      ['Height', Number(blocks[0].blockNumber)],
      ['Pending', 0],
      ['Transactions, 24 h', txs.lastDay],
      ['Addresses', used.allTime],
      ['Active addresses, 24 h', active.lastDay],
      ['Burned, 24 h', fees.lastDay / 1e9],
      ['Exports waiting', count(outbound)],
      ['Outputs to import', count(inbound)],
    ]);
    const { transactions } = await get(`${root}/transactions?pageSize=12`);
    const latest = await cellsOf(home, 'latest');
    expect(latest.map(([, id]) => id)).toEqual(transactions.map(({ txHash }: Json) => txHash));
    for (const [at, tx] of transactions.entries())
      if (tx.txType === 'BaseTx') expect([tx.txHash, latest[at]?.[3]]).toEqual([tx.txHash, sentAmount(tx)]);
    const shownBlocks = await cellsOf(tabs.get('/blocks')!, 'blocks');
    // The counts of all kinds are in one cell.
    const countAll = (kinds: string): number => (kinds.match(/\d+/g) ?? []).reduce((sum, digits) => sum + Number(digits), 0);
    expect(shownBlocks.map(([height, kinds, , burned]) => [number(height!), countAll(kinds!), Number(burned)])).toEqual(
      blocks
        .slice(0, shownBlocks.length)
        .map(({ blockNumber, txCount, burned }: Json) => [Number(blockNumber), txCount, Number(burned) / 1e9]),
    );
    const minute = await factsOf(tabs.get('/throughput?range=minute')!);
    expect([number(minute.Transactions!), number(minute.Blocks!), number(minute['Peak second']!)]).toEqual([
      figures.txCount,
      figures.blockCount,
      figures.peakTps,
    ]);
    const [ice, { holders, holderList }] = await Promise.all([
      get(`${root}/assets/${asset}`),
      get(`${root}/assets/${asset}/holders?pageSize=50`),
    ]);
    const shownAsset = await factsOf(tabs.get(`/asset/${asset}`)!);
    expect([number(shownAsset['Supply on this chain']!), number(shownAsset.Holders!), number(shownAsset.Transactions!)]).toEqual([
      Number(ice.supply) / 100,
      holders,
      ice.txCount,
    ]);
    const shownHolders = await cellsOf(tabs.get(`/holders/${asset}`)!, 'holders');
    expect(shownHolders.map(([rank, owner, , , amount]) => [number(rank!), owner, number(amount!)])).toEqual(
      holderList.map(({ rank, address, amount }: Json) => [rank, `X-${address}`, Number(amount) / 100]),
    );
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
