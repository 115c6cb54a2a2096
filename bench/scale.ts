import { join } from 'node:path';
import { idText } from '../src/bytes/id.ts';
import { openChainStore } from './chain-store.ts';
import { BenchError } from './fault.ts';
import { addressText, createSpends, loadFixture, rpcBody, xPath } from './fixture.ts';
import { type Load, posts } from './load.ts';
import { isWanted, measureIssue, measureRates, measureStarts, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { type Row, tableOf } from './report.ts';
import { growChain, type Sample, utxosPerBlock } from './scale-chain.ts';
import { type Place, type Subject, serac } from './subject.ts';

/** A long chain beside a short one, both Serac's: what is asked must cost the same. */
export async function runScale(place: Place, load: Load, options: Options): Promise<void> {
  const chains: Sides<Chain> = { ours: await makeChain(place, 100_000), theirs: await makeChain(place, 1000) };
  const rows: Row[] = [];
  const report = (row: Row): void => {
    rows.push(row.unit === '/s' ? { ...row, target: flat } : row);
    console.error(`  ${row.name}`);
  };
  await measureStarts({ ours: serac(place, chains.ours.dir), theirs: serac(place, chains.theirs.dir) }, options, report);
  const servers = { ours: await serac(place, chains.ours.dir).start(), theirs: await serac(place, chains.theirs.dir).start() };
  const sides: Sides<Served> = { ours: { ...servers.ours, ...chains.ours }, theirs: { ...servers.theirs, ...chains.theirs } };
  for (const { name, bodies } of scaleRows.filter((row) => isWanted(row.name, options))) {
    const rates = await measureRates(sides, ({ sample }) => posts(xPath, bodies(sample)), load, options);
    report({ name, unit: '/s', ...rates, target: flat });
  }
  const spends = new Map<Served, Spends>();
  for (const side of [sides.ours, sides.theirs]) {
    const made = createSpends(side.sample.change, options.rounds, options.issued);
    await loadFixture(made, side.port, load);
    spends.set(side, made);
  }
  await measureIssue(sides, (side, round) => spends.get(side)?.toIssue[round] ?? [], load, options, report);
  console.log(tableOf(rows, { ours: '10^6 UTXOs', theirs: '10^4 UTXOs', judged: true }));
  for (const { blocks, committedPerSecond } of [chains.ours, chains.theirs])
    console.log(
      `${blocks} blocks with ${blocks * utxosPerBlock} UTXOs: ${committedPerSecond.map(Math.round).join(', then ')} blocks/s made and committed, by tenths`,
    );
  await Promise.all([servers.ours.stop(), servers.theirs.stop()]);
}

type Chain = { readonly dir: string; readonly blocks: number; readonly sample: Sample; readonly committedPerSecond: readonly number[] };
type Served = Subject & Chain;
type Spends = ReturnType<typeof createSpends>;

/** What stays within a quarter: less could not be told from noise. */
const flat = { atLeast: 0.75 };

type ScaleRow = { readonly name: string; readonly bodies: (sample: Sample) => string[] };

const perTx =
  (method: string, more = {}) =>
  (s: Sample) =>
    s.txIDs.map((id) => rpcBody(method, { txID: idText(id), ...more }));
const perAddress =
  (method: string, more = {}) =>
  (s: Sample) =>
    s.addresses.map((a) => rpcBody(method, { address: addressText(a), ...more }));

/** Answers have the same size on both chains: only what has to be found them in differs. */
const scaleRows: readonly ScaleRow[] = [
  { name: 'getHeight', bodies: () => [rpcBody('avm.getHeight')] },
  { name: 'getTxStatus', bodies: perTx('avm.getTxStatus') },
  { name: 'getTx hex', bodies: perTx('avm.getTx') },
  { name: 'getTx json', bodies: perTx('avm.getTx', { encoding: 'json' }) },
  { name: 'getBlock', bodies: (s) => s.blockIDs.map((id) => rpcBody('avm.getBlock', { blockID: idText(id) })) },
  { name: 'getBlockByHeight', bodies: (s) => s.heights.map((height) => rpcBody('avm.getBlockByHeight', { height: String(height) })) },
  { name: 'getUTXOs of 10', bodies: (s) => s.addresses.map((a) => rpcBody('avm.getUTXOs', { addresses: [addressText(a)] })) },
  { name: 'getBalance of 10', bodies: perAddress('avm.getBalance', { assetID: 'AVAX' }) },
  { name: 'getAllBalances of 10', bodies: perAddress('avm.getAllBalances') },
  { name: 'getAllBalances of half of all', bodies: (s) => [rpcBody('avm.getAllBalances', { address: addressText(s.hotAddress) })] },
  { name: 'getUTXOs of half of all, first 100', bodies: (s) => [hotPage(s)] },
  { name: 'getUTXOs of half of all, 100 anywhere', bodies: (s) => s.hotUtxos.map((id) => hotPage(s, idText(id))) },
];

function hotPage({ hotAddress }: Sample, after?: string): string {
  const address = addressText(hotAddress);
  return rpcBody('avm.getUTXOs', {
    addresses: [address],
    limit: 100,
    ...(after === undefined ? {} : { startIndex: { address, utxo: after } }),
  });
}

/** Writes a chain into a new data directory. */
async function makeChain(place: Place, blocks: number): Promise<Chain> {
  console.error(`making ${blocks} blocks`);
  const dir = join(place.dir, `chain-${blocks}`);
  const { ledger, close } = openChainStore(dir, 'write');
  try {
    const committedPerSecond: number[] = [];
    let since = performance.now();
    const sample = await growChain(ledger, blocks, (made) => {
      if (made % (blocks / 10) !== 0) return;
      if (place.signal.aborted) throw new BenchError('stopped');
      committedPerSecond.push(blocks / 10 / ((performance.now() - since) / 1000));
      since = performance.now();
    });
    return { dir, blocks, sample, committedPerSecond };
  } finally {
    close();
  }
}
