import { describe, expect, test } from 'bun:test';
import { checkIndex, createIndexChecker } from '../../../test/index-check/check-index.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { migrateStore } from '../index/migrate.ts';
import { sortedIndexTables } from '../index-sqlite/indexed-chains.fixture.ts';
import { openSqliteIndex } from '../index-sqlite/sqlite-index.ts';
import type { NewBlock } from '../state/block-change.ts';
import { registerChain } from '../state/chain-number.ts';
import { openState } from '../state/chain-state.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { memoryPath } from '../store/database.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import { openStore } from '../store/store.ts';
import { createBlockGenerator, twoChainIDs, twoChainsGenesis } from './two-chains.fixture.ts';

const [chainID] = twoChainIDs;

/** A chain whose genesis outputs are unknown until a block consumes one or `addSome` adds it. */
function openLinearizedChain(seed: number, withIndex = true) {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 12345, genesis: twoChainsGenesis });
  const sharedMemory = openSharedMemory(store);
  const state = openState(store, sharedMemory, { id: chainID, genesis: twoChainsGenesis });
  const source = createBlockGenerator(seed, chainID, []);
  const spec = { number: registerChain(store, chainID, twoChainsGenesis), id: chainID, feeAsset: source.feeAsset, completeFrom: 1 };
  migrateStore(store, spec.number);
  const index = openSqliteIndex(store, spec);
  const unknownOutputs = new Map<string, Utxo>(
    source.genesisTxs.flatMap((tx) => effectsOf(tx).created.map((utxo) => [utxo.id, utxo] as const)),
  );
  const view = { ...state, utxo: (ref: UtxoRef) => state.utxo(ref) ?? unknownOutputs.get(refId(ref)) };
  state.init(source.genesisTxs, source.firstBlock, withIndex ? index.indexBlocks : undefined, 'unknown');

  const next = (): NewBlock => {
    const { block, diff } = source.next(view, 3);
    const preLinearizationUtxos = [...diff.consumed.values()].filter(({ id }) => unknownOutputs.delete(id));
    return { block, diff, preLinearizationUtxos, imported: new Map() };
  };
  const step = (count: number): void => {
    // Each block is generated on the state after the one before, so they are committed one at a time.
    for (let i = 0; i < count; i++) state.commitAll([next()], withIndex ? index.indexBlocks : undefined);
  };
  const addSome = (): void => {
    const some = [...unknownOutputs.values()].filter(() => source.pick(3) === 0);
    for (const { id } of some) unknownOutputs.delete(id);
    state.addPreLinearizationUtxos([...some, ...some], withIndex ? index.indexPreLinearizationUtxos : undefined);
  };
  return { store, state, index, spec, step, addSome, pick: source.pick, run: sqliteRunner(store.db) };
}

const dump = ({ store, spec }: ReturnType<typeof openLinearizedChain>) =>
  sortedIndexTables([spec.number]).map(({ name, key }) =>
    store.db.prepare<object>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all(),
  );

describe('outputs from before linearization', () => {
  test('count from block 0, whenever they become known', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const chain = openLinearizedChain(seed);
      const checker = createIndexChecker([chain.spec], 'sqlite');
      for (let i = 0; i < 30; i++) {
        chain.step(1 + chain.pick(2));
        if (chain.pick(4) === 0) chain.addSome();
        expect(chain.run(checker.checkNew())).toEqual([]);
      }
      expect(chain.run(checkIndex([chain.spec], 'sqlite'))).toEqual([]);
      chain.store.close();
    }
  });

  test('an index that is built later has the same rows', () => {
    const [live, later] = [openLinearizedChain(77), openLinearizedChain(77, false)];
    for (const chain of [live, later])
      for (let i = 0; i < 20; i++) {
        chain.step(2);
        if (i % 6 === 5) chain.addSome();
      }
    for (const _ of later.index.catchUp());
    expect(dump(later)).toEqual(dump(live));
    live.store.close();
    later.store.close();
  });
});
