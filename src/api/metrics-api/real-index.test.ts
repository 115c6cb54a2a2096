import { expect, test } from 'bun:test';
import { createMetricsApi, type ModelBlock, modelServedChains, pagesOf } from '../../../test/metrics-model.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { refId } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import { migrateStore } from '../../ledger/index/migrate.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import { openSqliteIndex } from '../../ledger/index-sqlite/sqlite-index.ts';
import { createSqliteSql } from '../../ledger/index-sqlite/sqlite-sql.ts';
import { createBlockGenerator, openTwoChains, twoChainIDs, unindexedChainID } from '../../ledger/index-write/two-chains.fixture.ts';
import { burnedAmount } from '../../ledger/state/block-row.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import type { ChainState } from '../../ledger/state/chain-state.ts';
import { metricMeanings, metricNames } from '../contract/metrics.ts';

/** A chain with every kind of transaction, in an indexed database and as a model (plain lists). */
function grow(seed: number) {
  const source = createBlockGenerator(seed, twoChainIDs[0], []);
  const { store, sharedMemory, states, close } = openTwoChains(openDatabase);
  const state = states[0] as ChainState;
  const chain = { number: getChainNumber(store, source.id), id: source.id, feeAsset: source.feeAsset, completeFrom: 0 };
  migrateStore(store, chain.number);
  const index = openSqliteIndex(store, chain);
  state.init(source.genesisTxs, source.firstBlock, index.indexBlocks);

  const outputs = new Map<Id, Utxo>();
  const ownersOf = (utxos: readonly Utxo[]) => utxos.flatMap(({ output }) => output.addresses);
  const modelTx = (tx: Tx) => {
    const { spent, created, imported, exported } = effectsOf(tx);
    const consumed = [...spent.map(refId), ...(imported?.ids ?? [])].map((id) => outputs.get(id) as Utxo);
    for (const utxo of created) outputs.set(utxo.id, utxo);
    return { from: ownersOf(consumed), to: ownersOf([...created, ...(exported?.utxos ?? [])]), fee: burnedAmount(tx, source.feeAsset) };
  };
  const blocks: ModelBlock[] = [{ time: Number(source.firstBlock.time), txs: source.genesisTxs.map(modelTx) }];
  const step = (): void => {
    const { block, diff, inboundUtxos } = source.next(state);
    for (const utxo of inboundUtxos) outputs.set(utxo.id, utxo);
    if (inboundUtxos.length > 0) store.write(() => sharedMemory.put(source.id, unindexedChainID, inboundUtxos));
    state.commitAll([{ block, diff }], index.indexBlocks);
    blocks.push({ time: Number(block.time), txs: block.txs.map(modelTx) });
  };
  return { blocks, reads: openReads(createSqliteSql(store), chain), step, close };
}

const targets = [
  '/v1/avg_tps/X',
  ...metricNames.flatMap((metric) => [
    `/v2/chains/X/rollingWindowMetrics/${metric}`,
    `/v2/chains/X/metrics/${metric}?pageSize=13`,
    ...metricMeanings[metric].units.map((unit) => `/v2/chains/X/metrics/${metric}?timeInterval=${unit}&pageSize=2160`),
  ]),
];

test('metrics from the index equal those counted from the blocks', async () => {
  const { blocks, reads, step, close } = grow(5);
  for (const height of [0, 1, 4, 20, 120]) {
    while (blocks.length <= height) step();
    const last = blocks.at(-1)?.time as number;
    for (const now of [last - 3, last, last + 1, last + 3600, last + 86_400, last + 40 * 86_400]) {
      const counted = modelServedChains(blocks, () => now);
      const indexed = { ...counted, chains: [{ ...counted.chains[0], reads }] as const };
      const [byIndex, byCounting] = [createMetricsApi(indexed), createMetricsApi(counted)];
      const textsOf = async (api: typeof byIndex, target: string) => (await pagesOf(api, target)).map(({ text }) => text);
      for (const target of targets) expect(await textsOf(byIndex, target)).toEqual(await textsOf(byCounting, target));
    }
  }
  close();
});
