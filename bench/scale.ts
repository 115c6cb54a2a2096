import { join } from 'node:path';
import type { Address } from '../src/base/bytes/address.ts';
import { idText } from '../src/base/bytes/id.ts';
import { localChainParams } from '../test/wallet-kit.ts';
import type { QueriedChain } from './data-dir.ts';
import { printDataCosts } from './data-scale.ts';
import { createSpendFixture, formatXAddress, issueFixture, rpcBody, xPath } from './fixture.ts';
import { createPosts, type LoadGenerator } from './load.ts';
import { isSelected, measureIssue, measureRates, measureStarts, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { formatTable, type ReportRow } from './report.ts';
import { type ChainSample, utxosPerBlock } from './scale-chain.ts';
import { prepareScaleDir, type ScaleDir } from './scale-dir.ts';
import { printUpkeep } from './scale-upkeep.ts';
import { type BenchEnv, type BenchServer, serac } from './servers.ts';

/** Compares Serac with a long chain to Serac with a short chain: the same requests must cost the same. */
export async function runScale(env: BenchEnv, load: LoadGenerator, options: Options): Promise<void> {
  const prepare = (blocks: number): Promise<ScaleDir> => {
    console.error(`a chain of ${blocks} blocks with ${blocks * utxosPerBlock} UTXOs`);
    return prepareScaleDir(join(options.keep ?? env.dir, `utxos-${blocks * utxosPerBlock}`), blocks, env.signal);
  };
  const longBlocks = options.blocks ?? (options.quick ? 10_000 : 100_000);
  const shortBlocks = Math.max(fewestBlocks, longBlocks / 100);
  const chains: Sides<ScaleDir> = { ours: await prepare(longBlocks), theirs: await prepare(shortBlocks) };
  const rows: ReportRow[] = [];
  const report = (row: ReportRow): void => {
    rows.push(row.unit === '/s' ? { ...row, target: sameCost } : row);
    console.error(`  ${row.name}`);
  };
  await measureStarts({ ours: serac(env, chains.ours.dir), theirs: serac(env, chains.theirs.dir) }, options, report);
  const servers = { ours: await serac(env, chains.ours.dir).start(), theirs: await serac(env, chains.theirs.dir).start() };
  const sides: Sides<ServedChain> = { ours: { ...servers.ours, ...chains.ours }, theirs: { ...servers.theirs, ...chains.theirs } };
  for (const { name, bodies } of scaleRows.filter((row) => isSelected(row.name, options))) {
    const rates = await measureRates(sides, ({ sample }) => createPosts(xPath, bodies(sample)), load, options);
    report({ name, unit: '/s', ...rates, target: sameCost });
  }
  const spends = new Map<ServedChain, Spends>();
  for (const side of [sides.ours, sides.theirs]) {
    const made = createSpendFixture(side.sample.change, options.rounds, options.issued);
    await issueFixture(made, side.port, load);
    spends.set(side, made);
  }
  await measureIssue(sides, (side, round) => spends.get(side)?.toIssue[round] ?? [], load, options, report);
  console.log(
    formatTable(rows, {
      ours: `${longBlocks * utxosPerBlock} UTXOs`,
      theirs: `${shortBlocks * utxosPerBlock} UTXOs`,
      showTargets: true,
    }),
  );
  for (const { blocks, megabytes, perSecond } of [chains.ours, chains.theirs])
    console.log(
      `${blocks} blocks with ${blocks * utxosPerBlock} UTXOs, ${megabytes} MB: ${perSecond.join(', then ')} blocks/s made, stored and indexed, by tenths`,
    );
  await Promise.all([servers.ours.stop(), servers.theirs.stop()]);
  await printDataCosts({ ours: toQueried(chains.ours), theirs: toQueried(chains.theirs) }, options);
  if (options.only === undefined) await printUpkeep([chains.theirs, chains.ours], env);
}

const toQueried = ({ dir, blocks, sample }: ScaleDir): QueriedChain => ({
  dir,
  blocks,
  addresses: sample.addresses.length,
  addressAt: (index) => sample.addresses[index % sample.addresses.length] as Address,
  hotAddress: sample.hotAddress,
  busyAsset: localChainParams.feeAsset,
  txIDs: sample.txIDs,
});

/** As many as the samples of addresses and pages need. */
const fewestBlocks = 1000;

type ServedChain = BenchServer & ScaleDir;
type Spends = ReturnType<typeof createSpendFixture>;

/** A rate within 25% counts as equal; smaller differences cannot be distinguished from noise. */
const sameCost = { atLeast: 0.75 };

type ScaleRow = { readonly name: string; readonly bodies: (sample: ChainSample) => string[] };

const perTx =
  (method: string, more = {}) =>
  (s: ChainSample) =>
    s.txIDs.map((id) => rpcBody(method, { txID: idText(id), ...more }));
const perAddress =
  (method: string, more = {}) =>
  (s: ChainSample) =>
    s.addresses.map((a) => rpcBody(method, { address: formatXAddress(a), ...more }));

/** Requests whose responses have the same size on both chains. */
const scaleRows: readonly ScaleRow[] = [
  { name: 'getHeight', bodies: () => [rpcBody('avm.getHeight')] },
  { name: 'getTxStatus', bodies: perTx('avm.getTxStatus') },
  { name: 'getTx hex', bodies: perTx('avm.getTx') },
  { name: 'getTx json', bodies: perTx('avm.getTx', { encoding: 'json' }) },
  { name: 'getBlock', bodies: (s) => s.blockIDs.map((id) => rpcBody('avm.getBlock', { blockID: idText(id) })) },
  { name: 'getBlockByHeight', bodies: (s) => s.heights.map((height) => rpcBody('avm.getBlockByHeight', { height: String(height) })) },
  { name: 'getUTXOs of 10', bodies: (s) => s.addresses.map((a) => rpcBody('avm.getUTXOs', { addresses: [formatXAddress(a)] })) },
  { name: 'getBalance of 10', bodies: perAddress('avm.getBalance', { assetID: 'AVAX' }) },
  { name: 'getAllBalances of 10', bodies: perAddress('avm.getAllBalances') },
  { name: 'getAllBalances of half of all', bodies: (s) => [rpcBody('avm.getAllBalances', { address: formatXAddress(s.hotAddress) })] },
  { name: 'getUTXOs of half of all, first 100', bodies: (s) => [hotAddressPage(s)] },
  { name: 'getUTXOs of half of all, 100 anywhere', bodies: (s) => s.hotUtxos.map((id) => hotAddressPage(s, idText(id))) },
];

function hotAddressPage({ hotAddress }: ChainSample, after?: string): string {
  const address = formatXAddress(hotAddress);
  return rpcBody('avm.getUTXOs', {
    addresses: [address],
    limit: 100,
    ...(after === undefined ? {} : { startIndex: { address, utxo: after } }),
  });
}
