import { describe, expect, test } from 'bun:test';
import { checkIndex } from '../index-check/check-index.ts';
import { drivers, inScratch } from '../platform/databases.fixture.ts';
import type { Difference } from './compare-indexes.ts';
import { indexedWorld } from './indexed-world.fixture.ts';
import { openReindex, type Reindex } from './reindex.ts';

function compared(reindex: Reindex): Difference[] {
  const steps = reindex.compare();
  let turn = steps.next();
  while (turn.done !== true) turn = steps.next();
  return turn.value;
}

for (const { name, open } of drivers.filter(({ onDisk }) => onDisk))
  describe(name, () => {
    test(
      'an index made anew from the blocks equals the one that grew with them',
      () =>
        inScratch((path) => {
          const world = indexedWorld(open, 71, path);
          world.begin();
          for (let i = 0; i < 150; i++) world.step();
          const reindex = openReindex({ store: world.store, open, path: `${path}-rebuilt`, chains: world.specs });
          const steps = [...reindex.build()];
          const total = world.chains.reduce((sum, { state }) => sum + Number(state.height()) + 1, 0);
          expect(steps[steps.length - 1]).toEqual({ done: total, total });
          expect(compared(reindex)).toEqual([]);
          reindex.close();
          for (let i = 0; i < 10; i++) world.step();
          expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
          world.close();
        }),
      60_000,
    );

    test(
      'it goes on where it was left, tells what differs, and puts it right',
      () =>
        inScratch((path) => {
          const world = indexedWorld(open, 72, path);
          world.begin();
          for (let i = 0; i < 60; i++) world.step();
          const options = { store: world.store, open, path: `${path}-rebuilt`, chains: world.specs };
          const begun = openReindex(options);
          begun.build().next();
          begun.close();
          const number = world.specs[0]?.number as number;
          world.store.db.exec(`UPDATE c${number}_holder SET seen = seen + 1`);
          world.store.db.exec(`DELETE FROM c${number}_history WHERE kind = 4`);
          world.store.db.exec(`UPDATE moved SET taken_height = 7 WHERE taken_height IS NOT NULL`);
          const reindex = openReindex(options);
          expect(reindex.build().next().value?.done).toBeGreaterThan(1);
          for (const _ of reindex.build());
          const differences = compared(reindex);
          expect(differences.map(({ table }) => table)).toEqual([`c${number}_history`, `c${number}_holder`, 'moved']);
          expect(differences[1]?.left).not.toBe(differences[1]?.right);
          expect(world.run(checkIndex(world.specs, 'sqlite'))).not.toEqual([]);
          reindex.replace();
          expect(compared(reindex)).toEqual([]);
          reindex.close();
          expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
          world.close();
        }),
      60_000,
    );
  });
