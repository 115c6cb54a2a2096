import type { Id } from '../bytes/id.ts';
import { migrateStore } from '../index/migrate.ts';
import { syncStepRunner } from '../index/steps.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema } from '../index/tables.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import { openWorld, outside, type WorldBlock, type WorldChain, worldChain, worldChains } from '../index-write/two-chains.fixture.ts';
import { claimedNumber } from '../state/chain-number.ts';
import type { ChainState } from '../state/chain-state.ts';
import type { OpenDatabase } from '../store/database.ts';
import type { Utxo } from '../tx/utxo.ts';
import { type SqliteIndex, sqliteIndex } from './sqlite-index.ts';

/** Both chains of a world in one database, with their indexes. */
export function indexedWorld(open: OpenDatabase, seed: number, path?: string) {
  const world = openWorld(open, path);
  const chains = worldChains.map((id, i): IndexedChain => {
    const peers = worldChains.filter((other) => other !== id);
    const source = worldChain(seed + i, id, peers);
    const number = claimedNumber(world.store, id);
    migrateStore(world.store, number);
    const spec = { number, id, feeAsset: source.feeAsset, completeFrom: 0 };
    return { source, state: world.states[i] as ChainState, spec, index: sqliteIndex(world.store, spec) };
  });
  const begin = (withIndex = true): void => {
    for (const { state, source, index } of chains) state.init(source.genesisTxs, source.first, withIndex ? index.within : undefined);
  };
  const nextChain = (): IndexedChain => chains[(chains[0] as IndexedChain).source.pick(chains.length)] as IndexedChain;

  /** A block that was not stored yet, and what its imports will take. */
  const prepare = (chain = nextChain()): Prepared => {
    const made = chain.source.next(chain.state);
    if (made.puts.length > 0) world.store.write(() => world.memory.put(chain.source.id, outside, made.puts));
    const imported = new Map<Id, Utxo>();
    for (const { effects } of made.diff.applied)
      for (const id of effects.imported?.ids ?? []) {
        const utxo = chain.state.atomic(effects.imported?.from as Id, id);
        if (utxo !== undefined && utxo !== 'unknown') imported.set(id, utxo);
      }
    return { ...made, chain, imported };
  };
  const commit = ({ chain, block, diff }: Prepared, withIndex = true): void => {
    chain.state.commit(block, diff, withIndex ? chain.index.within : undefined);
    for (const { effects } of diff.applied)
      for (const utxo of effects.exported?.utxos ?? [])
        chains.find(({ source }) => source.id === effects.exported?.to)?.source.receive(utxo, chain.source.id);
  };
  /** One more block of one of the chains; what it exports reaches the other one. */
  const step = (withIndex = true): Prepared => {
    const prepared = prepare();
    commit(prepared, withIndex);
    return prepared;
  };
  return { ...world, chains, specs: chains.map(({ spec }) => spec), run: syncStepRunner(world.store.db), begin, prepare, commit, step };
}

export type IndexedWorld = ReturnType<typeof indexedWorld>;
export type IndexedChain = {
  readonly source: WorldChain;
  readonly state: ChainState;
  readonly spec: IndexSpec;
  readonly index: SqliteIndex;
};
export type Prepared = WorldBlock & { readonly chain: IndexedChain; readonly imported: ReadonlyMap<Id, Utxo> };

/** Every table of the index with the columns it is ordered by. */
export const indexTables = (numbers: readonly number[]) => [
  ...numbers.flatMap((number) =>
    (Object.keys(indexSchema) as (keyof typeof indexSchema)[]).map((key) => ({
      name: indexTablesOf(number)[key],
      key: indexSchema[key].key,
    })),
  ),
  ...Object.entries(sharedIndexSchema).map(([name, { key }]) => ({ name, key })),
];
