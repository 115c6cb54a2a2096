import { describe, expect, test } from 'bun:test';
import { checkIndex, createIndexChecker } from '../../../test/index-check/check-index.ts';
import { someOf } from '../../../test/random.ts';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { unindexedChainID } from '../index-write/two-chains.fixture.ts';
import { copyTables } from '../state/copy-tables.fixture.ts';
import { codeOf } from '../state/open-chain.fixture.ts';
import { type IndexedChains, type IndexedTestChain, openIndexedChains, sortedIndexTables } from './indexed-chains.fixture.ts';

const { open } = sqliteDrivers[0];

/** These tests take long on a busy machine. Milliseconds. */

/** All rows of the index. */
const dump = ({ store, specs }: IndexedChains) =>
  sortedIndexTables(specs.map(({ number }) => number)).map(({ name, key }) =>
    store.db.prepare<object>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all(),
  );

for (const { name, open, onDisk } of sqliteDrivers)
  describe(name, () => {
    const within = (work: (path: string | undefined) => void) => (onDisk ? withScratchDatabase(work) : work(undefined));

    test('the index matches the chains after every block', () =>
      within((path) => {
        const testChains = openIndexedChains(open, 11, path);
        const checker = createIndexChecker(testChains.specs, 'sqlite');
        testChains.begin();
        expect(testChains.run(checker.checkNew())).toEqual([]);
        for (let i = 0; i < 120; i++) {
          testChains.step();
          expect(testChains.run(checker.checkNew())).toEqual([]);
        }
        expect(testChains.run(checker.checkAll())).toEqual([]);
        for (const { index, state } of testChains.chains) expect(index.height()).toBe(Number(state.height()));
        testChains.close();
      }));
  });

test('the whole index matches the chains, for many random chains', () => {
  for (const seed of someOf([100, 101, 102, 103, 104, 105, 106, 107, 108, 109])) {
    const testChains = openIndexedChains(open, seed);
    testChains.begin();
    for (let i = 0; i < 60; i++) testChains.step();
    expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
    testChains.close();
  }
});

test('the checker notices any missing row', () => {
  const testChains = openIndexedChains(open, 31);
  testChains.begin();
  for (let i = 0; i < 40; i++) testChains.step();
  const numbers = testChains.specs.map(({ number }) => number);
  const tables = sortedIndexTables(numbers).filter(({ name }) => name !== 'progress');
  for (const { name } of tables) {
    const deleteOneRow = `CREATE TEMP TABLE copied AS SELECT * FROM ${name}; DELETE FROM ${name};
      INSERT INTO ${name} SELECT * FROM copied LIMIT (SELECT count(*) - 1 FROM copied); DROP TABLE copied;`;
    testChains.store.db.exec(`BEGIN; ${deleteOneRow}`);
    expect(testChains.run(checkIndex(testChains.specs, 'sqlite')).length).toBeGreaterThan(0);
    testChains.store.db.exec('ROLLBACK');
  }
  expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
  testChains.close();
});

test('after a revert the index follows other blocks of the same heights', () => {
  const [testChains, branch] = [openIndexedChains(open, 53), openIndexedChains(open, 53)];
  for (const each of [testChains, branch]) each.begin();
  for (let i = 0; i < 30; i++) for (const each of [testChains, branch]) each.step();
  const takeFromBranch = (): void => {
    const { block, diff, inboundUtxos, chain } = branch.step();
    const at = testChains.chains[branch.chains.indexOf(chain)] as IndexedTestChain;
    if (inboundUtxos.length > 0) testChains.store.write(() => testChains.sharedMemory.put(at.source.id, unindexedChainID, inboundUtxos));
    at.state.commitAll([{ block, diff }], at.index.indexBlocks);
  };
  const restoreFork = copyTables(testChains.store);
  // Consuming one more random number makes the branch generate other blocks from here on.
  branch.chains[0]?.source.pick(7);
  for (let i = 0; i < 4; i++) takeFromBranch();
  const restoreBranch = copyTables(testChains.store);
  const heights = testChains.chains.map(({ state }) => state.height());
  testChains.store.revert(restoreFork);
  // The same heights as the branch, with other blocks: the height alone must not identify a state.
  for (const [i, chain] of testChains.chains.entries())
    while (chain.state.height() < (heights[i] as bigint)) testChains.commit(testChains.prepare(chain));
  testChains.store.revert(restoreBranch);
  for (let i = 0; i < 20; i++) takeFromBranch();
  expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
  expect(dump(testChains)).toEqual(dump(branch));
  for (const each of [testChains, branch]) each.close();
});

test("a block that fails to commit changes neither the index nor the writer's cache", () => {
  const testChains = openIndexedChains(open, 41);
  testChains.begin();
  for (let i = 0; i < 30; i++) testChains.step();
  for (let i = 0; i < 30; i++) {
    const prepared = testChains.prepare();
    const { state, index } = prepared.chain;
    const before = dump(testChains);
    const failsAfter = (stored: Parameters<typeof index.indexBlocks>[0]) => {
      index.indexBlocks(stored);
      throw new TypeError('power cut');
    };
    expect(codeOf(() => state.commitAll([{ block: prepared.block, diff: prepared.diff }], failsAfter))).toBe('STORE_FAILED');
    expect(dump(testChains)).toEqual(before);
    testChains.commit(prepared);
    if (i % 10 === 9) expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
  }
  testChains.close();
});

test('indexes a chain without an index, also after stopping in between', () => {
  const testChains = openIndexedChains(open, 23);
  testChains.begin(false);
  const prepared = Array.from({ length: 80 }, () => testChains.step(false));
  const last = prepared[prepared.length - 1] as (typeof prepared)[number];
  expect(
    codeOf(() =>
      last.chain.state.commitAll([{ block: testChains.prepare(last.chain).block, diff: last.diff }], last.chain.index.indexBlocks),
    ),
  ).toBe('STATE_WRONG_TXS');
  for (const { index, state } of testChains.chains) {
    const steps = index.catchUp();
    expect(steps.next().value).toEqual({ done: 1, total: Number(state.height()) + 1 });
    const rest = [...index.catchUp()];
    expect(rest[rest.length - 1]).toEqual({ done: Number(state.height()) + 1, total: Number(state.height()) + 1 });
    expect([...index.catchUp()]).toEqual([]);
  }
  expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
  testChains.close();
});

test('an index that lacks a block rejects later ones', () => {
  const testChains = openIndexedChains(open, 24);
  testChains.begin();
  const skipped = testChains.step(false);
  const { chain } = skipped;
  const next = testChains.prepare(chain);
  expect(codeOf(() => chain.state.commitAll([{ block: next.block, diff: next.diff }], chain.index.indexBlocks))).toBe('INDEX_BEHIND');
  expect([...chain.index.catchUp()]).toHaveLength(1);
  testChains.commit(next);
  expect(testChains.run(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
  testChains.close();
});

test('blocks indexed in a batch give the same rows as one by one', () => {
  const [single, batched] = [openIndexedChains(open, 51), openIndexedChains(open, 51)];
  single.begin();
  batched.begin(false);
  for (let i = 0; i < 90; i++) {
    single.step();
    batched.step(false);
  }
  for (const { index } of batched.chains) expect([...index.catchUp()].length).toBeGreaterThan(1);
  expect(batched.run(checkIndex(batched.specs, 'sqlite'))).toEqual([]);
  const chainTables = (testChains: IndexedChains) => {
    const tables = sortedIndexTables(testChains.specs.map(({ number }) => number)).filter(({ name }) => !/moved/.test(name));
    return tables.map(({ name, key }) => testChains.store.db.prepare<object>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all());
  };
  expect(chainTables(batched)).toEqual(chainTables(single));
  single.close();
  batched.close();
});
