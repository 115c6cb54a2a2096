import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import { migrateStore } from '../index/migrate.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import {
  type BlockGenerator,
  createBlockGenerator,
  type GeneratedBlock,
  openTwoChains,
  twoChainIDs,
  unindexedChainID,
} from '../index-write/two-chains.fixture.ts';
import { getChainNumber } from '../state/chain-number.ts';
import type { ChainState } from '../state/chain-state.ts';
import type { OpenDatabase } from '../store/database.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import { indexTablesOfChains } from './compare-indexes.ts';
import { openSqliteIndex, type SqliteIndex } from './sqlite-index.ts';

/** The two test chains in one database, with their indexes. */
export function openIndexedChains(open: OpenDatabase, seed: number, path?: string) {
  const twoChains = openTwoChains(open, path);
  const chains = twoChainIDs.map((id, i): IndexedTestChain => {
    const otherIDs = twoChainIDs.filter((other) => other !== id);
    const source = createBlockGenerator(seed + i, id, otherIDs);
    const number = getChainNumber(twoChains.store, id);
    migrateStore(twoChains.store, number);
    const spec = { number, id, feeAsset: source.feeAsset, completeFrom: 0 };
    return { source, state: twoChains.states[i] as ChainState, spec, index: openSqliteIndex(twoChains.store, spec) };
  });
  const initChains = (withIndex = true): void => {
    for (const { state, source, index } of chains)
      state.init(source.genesisTxs, source.firstBlock, withIndex ? index.indexBlocks : undefined);
  };
  const nextChain = (): IndexedTestChain => chains[(chains[0] as IndexedTestChain).source.pick(chains.length)] as IndexedTestChain;

  /** Generates the next block without storing it, and looks up the outputs that it imports. */
  const prepareBlock = (chain = nextChain()): PreparedBlock => {
    const generated = chain.source.next(chain.state);
    if (generated.inboundUtxos.length > 0)
      twoChains.store.write(() => twoChains.sharedMemory.put(chain.source.id, unindexedChainID, generated.inboundUtxos));
    const imported = new Map<Id, Utxo>();
    for (const { effects } of generated.diff.applied)
      for (const id of effects.imported?.ids ?? []) {
        const utxo = chain.state.atomic(effects.imported?.from as Id, id);
        if (utxo !== undefined && utxo !== 'unknown') imported.set(id, utxo);
      }
    return { ...generated, chain, imported };
  };
  const commit = ({ chain, block, diff }: PreparedBlock, withIndex = true): void => {
    chain.state.commitAll([{ block, diff }], withIndex ? chain.index.indexBlocks : undefined);
    for (const { effects } of diff.applied)
      for (const utxo of effects.exported?.utxos ?? [])
        chains.find(({ source }) => source.id === effects.exported?.to)?.source.receive(utxo, chain.source.id);
  };
  /** Adds a block to one of the chains; the other chain receives its exports. */
  const addBlock = (withIndex = true): PreparedBlock => {
    const prepared = prepareBlock();
    commit(prepared, withIndex);
    return prepared;
  };
  return {
    ...twoChains,
    chains,
    specs: chains.map(({ spec }) => spec),
    run: sqliteRunner(twoChains.store.db),
    begin: initChains,
    prepare: prepareBlock,
    commit,
    step: addBlock,
  };
}

export type IndexedChains = ReturnType<typeof openIndexedChains>;
export type IndexedTestChain = {
  readonly source: BlockGenerator;
  readonly state: ChainState;
  readonly spec: IndexSpec;
  readonly index: SqliteIndex;
};
export type PreparedBlock = GeneratedBlock & { readonly chain: IndexedTestChain; readonly imported: ReadonlyMap<Id, Utxo> };

/** All tables of the index with their key columns. */
export const sortedIndexTables = (numbers: readonly number[]) =>
  indexTablesOfChains(numbers).map(({ name, table }) => ({ name, key: table.key }));
