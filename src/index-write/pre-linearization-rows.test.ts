import { describe, expect, test } from 'bun:test';
import { migrateStore } from '../index/migrate.ts';
import { syncStepRunner } from '../index/steps.ts';
import { checkIndex, indexChecker } from '../index-check/check-index.ts';
import { indexTables } from '../index-sqlite/indexed-world.fixture.ts';
import { sqliteIndex } from '../index-sqlite/sqlite-index.ts';
import { openDatabase } from '../platform/database-bun.ts';
import type { NewBlock } from '../state/block-change.ts';
import { claimChain } from '../state/chain-number.ts';
import { openState } from '../state/chain-state.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { memoryPath } from '../store/database.ts';
import { openStore } from '../store/store.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Utxo } from '../tx/utxo.ts';
import { worldChain, worldChains, worldGenesis } from './two-chains.fixture.ts';

const [chainID] = worldChains;

/** A chain whose genesis outputs nobody knows about, until a block consumes one or somebody asks. */
function oldChain(seed: number, withIndex = true) {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 12345, genesis: worldGenesis });
  const memory = openSharedMemory(store);
  const state = openState(store, memory, { id: chainID, genesis: worldGenesis });
  const source = worldChain(seed, chainID, []);
  const spec = { number: claimChain(store, chainID, worldGenesis), id: chainID, feeAsset: source.feeAsset, completeFrom: 1 };
  migrateStore(store, spec.number);
  const index = sqliteIndex(store, spec);
  const untold = new Map<string, Utxo>(source.genesisTxs.flatMap((tx) => effectsOf(tx).created.map((utxo) => [utxo.id, utxo] as const)));
  const view = { ...state, utxo: (id: Utxo['id']) => state.utxo(id) ?? untold.get(id) };
  state.init(source.genesisTxs, source.first, withIndex ? index.within : undefined, 'unknown');

  const next = (): NewBlock => {
    const { block, diff } = source.next(view, 3);
    const older = [...diff.consumed.values()].filter(({ id }) => untold.delete(id));
    return { block, diff, preLinearizationUtxos: older, imported: new Map() };
  };
  const step = (count: number): void => {
    // Later ones are made on a view of the ones before: so they go in one by one, whatever their number.
    for (let i = 0; i < count; i++) state.commitAll([next()], withIndex ? index.withinAll : undefined);
  };
  const complete = (): void => {
    const some = [...untold.values()].filter(() => source.pick(3) === 0);
    for (const { id } of some) untold.delete(id);
    state.addPreLinearizationUtxos([...some, ...some], withIndex ? index.withinOlder : undefined);
  };
  return { store, state, index, spec, step, complete, pick: source.pick, run: syncStepRunner(store.db) };
}

const dump = ({ store, spec }: ReturnType<typeof oldChain>) =>
  indexTables([spec.number]).map(({ name, key }) => store.db.prepare<object>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all());

describe('outputs older than history', () => {
  test('count from block 0 on, whenever they become known', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const chain = oldChain(seed);
      const checker = indexChecker([chain.spec], 'sqlite');
      for (let i = 0; i < 30; i++) {
        chain.step(1 + chain.pick(2));
        if (chain.pick(4) === 0) chain.complete();
        expect(chain.run(checker.next())).toEqual([]);
      }
      expect(chain.run(checkIndex([chain.spec], 'sqlite'))).toEqual([]);
      chain.store.close();
    }
  }, 60_000);

  test('an index that is made later has the same rows', () => {
    const [live, later] = [oldChain(77), oldChain(77, false)];
    for (const chain of [live, later])
      for (let i = 0; i < 20; i++) {
        chain.step(2);
        if (i % 6 === 5) chain.complete();
      }
    for (const _ of later.index.catchUp());
    expect(dump(later)).toEqual(dump(live));
    live.store.close();
    later.store.close();
  });
});
