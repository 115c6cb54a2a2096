import { expect, test } from 'bun:test';
import { type ModelBlock, metricsApi, modelServed, pagesOf } from '../../test/stats-model.ts';
import type { Id } from '../bytes/id.ts';
import { migrateStore } from '../index/migrate.ts';
import { openReads } from '../index-read/open-reads.ts';
import { sqliteIndex } from '../index-sqlite/sqlite-index.ts';
import { sqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { burnedBy } from '../index-write/block-facts.ts';
import { openWorld, outside, worldChain, worldChains } from '../index-write/two-chains.fixture.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { claimedNumber } from '../state/chain-number.ts';
import type { ChainState } from '../state/chain-state.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import { metricNames, metrics } from './metric.ts';

/** A chain with every kind of transaction, in the database with its index and as plain lists. */
function grow(seed: number) {
  const source = worldChain(seed, worldChains[0], []);
  const { store, memory, states, close } = openWorld(openDatabase);
  const state = states[0] as ChainState;
  const chain = { number: claimedNumber(store, source.id), id: source.id, feeAsset: source.feeAsset, completeFrom: 0 };
  migrateStore(store, chain.number);
  const index = sqliteIndex(store, chain);
  state.init(source.genesisTxs, source.first, index.within);

  const outputs = new Map<Id, Utxo>();
  const ownersOf = (utxos: readonly Utxo[]) => utxos.flatMap(({ output }) => output.addresses);
  const told = (tx: Tx) => {
    const { spent, created, imported, exported } = effectsOf(tx);
    const consumed = [...spent, ...(imported?.ids ?? [])].map((id) => outputs.get(id) as Utxo);
    for (const utxo of created) outputs.set(utxo.id, utxo);
    return { from: ownersOf(consumed), to: ownersOf([...created, ...(exported?.utxos ?? [])]), fee: burnedBy(tx, source.feeAsset) };
  };
  const blocks: ModelBlock[] = [{ time: Number(source.first.time), txs: source.genesisTxs.map(told) }];
  const step = (): void => {
    const { block, diff, puts } = source.next(state);
    for (const utxo of puts) outputs.set(utxo.id, utxo);
    if (puts.length > 0) store.write(() => memory.put(source.id, outside, puts));
    state.commit(block, diff, index.within);
    blocks.push({ time: Number(block.time), txs: block.txs.map(told) });
  };
  return { blocks, reads: openReads(sqliteSql(store), chain), step, close };
}

const targets = [
  '/v1/avg_tps/X',
  ...metricNames.flatMap((metric) => [
    `/v2/chains/X/rollingWindowMetrics/${metric}`,
    `/v2/chains/X/metrics/${metric}?pageSize=13`,
    ...metrics[metric].units.map((unit) => `/v2/chains/X/metrics/${metric}?timeInterval=${unit}&pageSize=2160`),
  ]),
];

test('from the index of a real chain comes what counting its blocks gives', async () => {
  const { blocks, reads, step, close } = grow(5);
  for (const height of [0, 1, 4, 20, 120]) {
    while (blocks.length <= height) step();
    const last = blocks.at(-1)?.time as number;
    for (const now of [last - 3, last, last + 1, last + 3600, last + 86_400, last + 40 * 86_400]) {
      const counted = modelServed(blocks, () => now);
      const indexed = { ...counted, chains: [{ ...counted.chains[0], reads }] as const };
      const [byIndex, byCounting] = [metricsApi(indexed), metricsApi(counted)];
      const textsOf = async (api: typeof byIndex, target: string) => (await pagesOf(api, target)).map(({ text }) => text);
      for (const target of targets) expect(await textsOf(byIndex, target)).toEqual(await textsOf(byCounting, target));
    }
  }
  close();
}, 60_000);
