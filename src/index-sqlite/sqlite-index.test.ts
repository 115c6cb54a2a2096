import { describe, expect, test } from 'bun:test';
import { checkIndex, indexChecker } from '../index-check/check-index.ts';
import { outside } from '../index-write/two-chains.fixture.ts';
import { drivers, inScratch } from '../platform/databases.fixture.ts';
import { copyTables } from '../state/copy-tables.fixture.ts';
import { codeOf } from '../state/grow.fixture.ts';
import { type IndexedChain, type IndexedWorld, indexedWorld, indexTables } from './indexed-world.fixture.ts';

const { open } = drivers[0];

/** They do much, perhaps on a machine that does much else. */
const patience = 60_000;

/** All rows of the index, as they stand. */
const dump = ({ store, specs }: IndexedWorld) =>
  indexTables(specs.map(({ number }) => number)).map(({ name, key }) =>
    store.db.prepare<object>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all(),
  );

for (const { name, open, onDisk } of drivers)
  describe(name, () => {
    const within = (work: (path: string | undefined) => void) => (onDisk ? inScratch(work) : work(undefined));

    test(
      'after every block the index is what the chains say',
      () =>
        within((path) => {
          const world = indexedWorld(open, 11, path);
          const checker = indexChecker(world.specs, 'sqlite');
          world.begin();
          expect(world.run(checker.next())).toEqual([]);
          for (let i = 0; i < 120; i++) {
            world.step();
            expect(world.run(checker.next())).toEqual([]);
          }
          expect(world.run(checker.whole())).toEqual([]);
          for (const { index, state } of world.chains) expect(index.height()).toBe(Number(state.height()));
          world.close();
        }),
      patience,
    );
  });

test(
  'many worlds: the whole index is what the chains say',
  () => {
    for (let seed = 100; seed < 110; seed++) {
      const world = indexedWorld(open, seed);
      world.begin();
      for (let i = 0; i < 60; i++) world.step();
      expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
      world.close();
    }
  },
  patience,
);

test(
  'the checker misses any row that is not there',
  () => {
    const world = indexedWorld(open, 31);
    world.begin();
    for (let i = 0; i < 40; i++) world.step();
    const numbers = world.specs.map(({ number }) => number);
    const tables = indexTables(numbers).filter(({ name }) => name !== 'progress');
    for (const { name } of tables) {
      const lost = `CREATE TEMP TABLE kept AS SELECT * FROM ${name}; DELETE FROM ${name};
      INSERT INTO ${name} SELECT * FROM kept LIMIT (SELECT count(*) - 1 FROM kept); DROP TABLE kept;`;
      world.store.db.exec(`BEGIN; ${lost}`);
      expect(world.run(checkIndex(world.specs, 'sqlite')).length).toBeGreaterThan(0);
      world.store.db.exec('ROLLBACK');
    }
    expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
    world.close();
  },
  patience,
);

test(
  'after a revert the writer takes other blocks of the same heights, and the index is what the chains say',
  () => {
    const [world, branch] = [indexedWorld(open, 53), indexedWorld(open, 53)];
    for (const each of [world, branch]) each.begin();
    for (let i = 0; i < 30; i++) for (const each of [world, branch]) each.step();
    const takeFromBranch = (): void => {
      const { block, diff, puts, chain } = branch.step();
      const at = world.chains[branch.chains.indexOf(chain)] as IndexedChain;
      if (puts.length > 0) world.store.write(() => world.memory.put(at.source.id, outside, puts));
      at.state.commit(block, diff, at.index.within);
    };
    const restoreFork = copyTables(world.store);
    // One more random number, and the branch gets other blocks from here on.
    branch.chains[0]?.source.pick(7);
    for (let i = 0; i < 4; i++) takeFromBranch();
    const restoreBranch = copyTables(world.store);
    const heights = world.chains.map(({ state }) => state.height());
    world.store.revert(restoreFork);
    // As high as the branch, with other blocks: the height alone does not tell the two apart.
    for (const [i, chain] of world.chains.entries())
      while (chain.state.height() < (heights[i] as bigint)) world.commit(world.prepare(chain));
    world.store.revert(restoreBranch);
    for (let i = 0; i < 20; i++) takeFromBranch();
    expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
    expect(dump(world)).toEqual(dump(branch));
    for (const each of [world, branch]) each.close();
  },
  patience,
);

test(
  'a block that fails leaves no trace in the index, nor in what its writer remembers',
  () => {
    const world = indexedWorld(open, 41);
    world.begin();
    for (let i = 0; i < 30; i++) world.step();
    for (let i = 0; i < 30; i++) {
      const prepared = world.prepare();
      const { state, index } = prepared.chain;
      const before = dump(world);
      const failsAfter = (stored: Parameters<typeof index.within>[0]) => {
        index.within(stored);
        throw new TypeError('power cut');
      };
      expect(codeOf(() => state.commit(prepared.block, prepared.diff, failsAfter))).toBe('STORE_FAILED');
      expect(dump(world)).toEqual(before);
      world.commit(prepared);
      if (i % 10 === 9) expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
    }
    world.close();
  },
  patience,
);

test(
  'a chain without an index is caught up, and may be left in the middle of it',
  () => {
    const world = indexedWorld(open, 23);
    world.begin(false);
    const prepared = Array.from({ length: 80 }, () => world.step(false));
    const last = prepared[prepared.length - 1] as (typeof prepared)[number];
    expect(codeOf(() => last.chain.state.commit(world.prepare(last.chain).block, last.diff, last.chain.index.within))).toBe(
      'STATE_WRONG_TXS',
    );
    for (const { index, state } of world.chains) {
      const steps = index.catchUp();
      expect(steps.next().value).toEqual({ done: 1, total: Number(state.height()) + 1 });
      const rest = [...index.catchUp()];
      expect(rest[rest.length - 1]).toEqual({ done: Number(state.height()) + 1, total: Number(state.height()) + 1 });
      expect([...index.catchUp()]).toEqual([]);
    }
    expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
    world.close();
  },
  patience,
);

test(
  'an index that lacks a block takes no later one',
  () => {
    const world = indexedWorld(open, 24);
    world.begin();
    const skipped = world.step(false);
    const { chain } = skipped;
    const next = world.prepare(chain);
    expect(codeOf(() => chain.state.commit(next.block, next.diff, chain.index.within))).toBe('INDEX_BEHIND');
    expect([...chain.index.catchUp()]).toHaveLength(1);
    world.commit(next);
    expect(world.run(checkIndex(world.specs, 'sqlite'))).toEqual([]);
    world.close();
  },
  patience,
);

test(
  'blocks written together give the rows they give one by one',
  () => {
    const [single, batched] = [indexedWorld(open, 51), indexedWorld(open, 51)];
    single.begin();
    batched.begin(false);
    for (let i = 0; i < 90; i++) {
      single.step();
      batched.step(false);
    }
    for (const { index } of batched.chains) expect([...index.catchUp()].length).toBeGreaterThan(1);
    expect(batched.run(checkIndex(batched.specs, 'sqlite'))).toEqual([]);
    const own = (world: IndexedWorld) => {
      const tables = indexTables(world.specs.map(({ number }) => number)).filter(({ name }) => !/moved|holding|amount/.test(name));
      return tables.map(({ name, key }) => world.store.db.prepare<object>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all());
    };
    expect(own(batched)).toEqual(own(single));
    single.close();
    batched.close();
  },
  patience,
);
