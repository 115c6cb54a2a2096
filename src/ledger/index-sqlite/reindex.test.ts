import { describe, expect, test } from 'bun:test';
import { checkIndex } from '../../../test/index-check/check-index.ts';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import type { IndexDifference } from './compare-indexes.ts';
import { openIndexedChains } from './indexed-chains.fixture.ts';
import { openReindex, type Reindex } from './reindex.ts';

function runCompare(reindex: Reindex): IndexDifference[] {
  const steps = reindex.compare();
  let turn = steps.next();
  while (turn.done !== true) turn = steps.next();
  return turn.value;
}

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  describe(name, () => {
    test('an index rebuilt from the blocks equals the one written block by block', () =>
      withScratchDatabase((path) => {
        const testChains = openIndexedChains(open, 71, path);
        testChains.begin();
        for (let i = 0; i < 150; i++) testChains.step();
        const reindex = openReindex({ store: testChains.store, open, path: `${path}-rebuilt`, chains: testChains.specs });
        const steps = [...reindex.build()];
        const total = testChains.chains.reduce((sum, { state }) => sum + Number(state.height()) + 1, 0);
        expect(steps[steps.length - 1]).toEqual({ done: total, total });
        expect(runCompare(reindex)).toEqual([]);
        reindex.close();
        for (let i = 0; i < 10; i++) testChains.step();
        expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
        testChains.close();
      }));

    test('holds at most 32 MiB of pages of the rebuilt index, however long the chain is', () =>
      withScratchDatabase((path) => {
        const testChains = openIndexedChains(open, 71, path);
        const reindex = openReindex({ store: testChains.store, open, path: `${path}-rebuilt`, chains: testChains.specs });
        const { db } = testChains.store;
        // In KiB if negative, in pages otherwise.
        const { cache_size } = db.prepare<{ cache_size: number }>('PRAGMA rebuilt.cache_size').get() ?? { cache_size: 0 };
        expect(cache_size).toBeWithin(-32 * 1024, 0);
        reindex.close();
        testChains.close();
      }));

    test('starts over where a chain has history from before linearization: more of it may have been added since the rebuild was stopped', () =>
      withScratchDatabase((path) => {
        const testChains = openIndexedChains(open, 73, path);
        testChains.begin();
        for (let i = 0; i < 60; i++) testChains.step();
        const chains = testChains.specs.map((spec, i) => ({ ...spec, completeFrom: i === 0 ? 1 : 0 }));
        const nextStep = (): number | undefined => {
          const reindex = openReindex({ store: testChains.store, open, path: `${path}-rebuilt`, chains });
          const done = reindex.build().next().value?.done;
          reindex.close();
          return done;
        };
        const first = nextStep();
        expect(first).toBeGreaterThan(0);
        expect(nextStep()).toBe(first);
        testChains.close();
      }));

    test('continues a stopped rebuild, reports differences, and replaces the damaged index', () =>
      withScratchDatabase((path) => {
        const testChains = openIndexedChains(open, 72, path);
        testChains.begin();
        for (let i = 0; i < 60; i++) testChains.step();
        const options = { store: testChains.store, open, path: `${path}-rebuilt`, chains: testChains.specs };
        const stopped = openReindex(options);
        stopped.build().next();
        stopped.close();
        const number = testChains.specs[0]?.number as number;
        testChains.store.db.exec(`UPDATE c${number}_holder SET seen = seen + 1`);
        testChains.store.db.exec(`DELETE FROM c${number}_history WHERE kind = 4`);
        testChains.store.db.exec(`UPDATE moved SET taken_height = 7 WHERE taken_height IS NOT NULL`);
        const reindex = openReindex(options);
        expect(reindex.build().next().value?.done).toBeGreaterThan(1);
        for (const _ of reindex.build());
        const differences = runCompare(reindex);
        expect(differences.map(({ table }) => table)).toEqual([`c${number}_history`, `c${number}_holder`, 'moved']);
        expect(differences[1]?.left).not.toBe(differences[1]?.right);
        expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).not.toEqual([]);
        reindex.replace();
        expect(runCompare(reindex)).toEqual([]);
        reindex.close();
        expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
        testChains.close();
      }));
  });
