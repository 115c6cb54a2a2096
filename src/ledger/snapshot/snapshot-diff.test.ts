import { describe, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { Id } from '../../base/bytes/id.ts';
import { registerChain } from '../state/chain-number.ts';
import { tablesOf } from '../state/schema.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { type Database, memoryPath } from '../store/database.ts';
import { createStatementCache } from '../store/statement-cache.ts';
import { openStore } from '../store/store.ts';
import { diffStates, rowsPerStep } from './snapshot-diff.ts';
import { openSnapshots } from './snapshots.ts';

const genesis = '01'.repeat(32) as Id;

/** A chain whose rows of blocks, transactions and balances tests write themselves. */
function openTestChain() {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 1, genesis });
  openSharedMemory(store);
  const chain = registerChain(store, genesis, genesis);
  const t = tablesOf(chain);
  const snapshots = openSnapshots({ store, parts: [], tip: () => ({ height: 0, time: 0 }) });
  const { db } = store;
  const insertBlock = db.prepare(`INSERT OR REPLACE INTO ${t.block} VALUES (?, ?, x'', 0, 0, 9, 0, 0, x'', 0, 0, 0, 0)`);
  const insertTx = db.prepare(`INSERT OR REPLACE INTO ${t.tx} VALUES (?, ?, ?, x'', NULL)`);
  const insertBalance = db.prepare(
    `INSERT OR REPLACE INTO ${t.balance}(address, asset, part, height, amount, count, nfts) VALUES (?, ?, x'', ?, ?, 1, 0)`,
  );
  const number = (value: number, bytes: number): Buffer => {
    const written = Buffer.alloc(bytes);
    written.writeUInt32BE(value, bytes - 4);
    return written;
  };
  /** Writes what the block of a height has; `version` makes its IDs and amounts others. */
  const writeBlock = (height: number, version: number): void => {
    const id = Buffer.concat([number(version, 4), number(height, 28)]);
    insertBlock.run(height, id);
    insertTx.run(height + 1, id, height);
    insertBalance.run(number(height % 7, 20), number(1, 32), height, number(1000 * version + height, 8));
  };
  const deleteFrom = (height: number): void =>
    db.exec(
      `DELETE FROM ${t.block} WHERE height >= ${height}; DELETE FROM ${t.tx} WHERE height >= ${height}; DELETE FROM ${t.balance} WHERE height >= ${height}`,
    );
  const diffWith = (
    prepare: Parameters<typeof diffStates>[0]['prepare'],
    from: string,
    to: string | undefined,
    liveSegment: () => number | undefined = () => undefined,
  ) =>
    diffStates(
      { prepare, undoLog: snapshots.undoLog, chain, segmentsFrom: snapshots.segmentsFrom, liveSegment },
      snapshots.segmentOf(from),
      to === undefined ? to : snapshots.segmentOf(to),
    );
  return { store, snapshots, writeBlock, deleteFrom, diffWith, prepare: createStatementCache(db) };
}

function runToEnd<T>(work: Generator<void, T>, onStep: () => void = () => {}): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    onStep();
  }
}

/** Three states with blocks that were added, removed and replaced between them. */
function createStates() {
  const chain = openTestChain();
  const { snapshots, writeBlock, deleteFrom } = chain;
  for (let height = 0; height < 50; height++) writeBlock(height, 1);
  snapshots.save('a');
  for (let height = 50; height < 1500; height++) writeBlock(height, 1);
  snapshots.save('b');
  deleteFrom(1000);
  for (let height = 1000; height < 1900; height++) writeBlock(height, 2);
  return chain;
}

describe('a comparison of two states', () => {
  test('is of the states at its first step, although blocks change rows between its steps', () => {
    for (const [from, to] of [
      ['a', undefined],
      ['a', 'b'],
      ['b', 'a'],
      ['b', undefined],
    ] as const) {
      const { snapshots, writeBlock, deleteFrom, diffWith, prepare, store } = createStates();
      const expected = runToEnd(diffWith(prepare, from, to));
      expect(expected.blocks.added.length + expected.blocks.removed.length).toBeGreaterThan(900);
      expect(expected.balances).toHaveLength(7);
      let held: ReturnType<typeof snapshots.holdSegments> | undefined;
      let height = 1900;
      const found = runToEnd(
        diffWith(prepare, from, to, () => held?.segment),
        () => {
          held ??= snapshots.holdSegments();
          // The newest blocks, and rows that the comparison has not read or compared yet.
          if (height === 1905) deleteFrom(700);
          writeBlock(height++, 3);
          writeBlock((height * 37) % 1900, 4);
        },
      );
      expect(found).toEqual(expected);
      expect(height).toBeGreaterThan(1915);
      held?.release();
      expect(snapshots.list().map(({ name }) => name)).toEqual(['a', 'b']);
      store.close();
    }
  });

  test('reads no more than some rows in one step, however many differ', () => {
    const { diffWith, store } = createStates();
    let rows = 0;
    const prepare: Database['prepare'] = (sql) => {
      const statement = store.db.prepare<never>(sql);
      const counted = <T>(found: T, count: number): T => {
        rows += count;
        return found;
      };
      return {
        run: statement.run,
        get: (...values) => counted(statement.get(...values), 1),
        all: (...values) => {
          const found = statement.all(...values);
          return counted(found, found.length);
        },
      };
    };
    let most = 0;
    const found = runToEnd(diffWith(prepare, 'a', undefined), () => {
      most = Math.max(most, rows);
      rows = 0;
    });
    most = Math.max(most, rows);
    expect(found.txs.added.length).toBe(1850);
    // A step compares as many rows as it may read, each in two states.
    expect(most).toBeLessThanOrEqual(3 * rowsPerStep);
    store.close();
  });

  test('a segment that a killed process has held is released at the next start', () => {
    const { store, snapshots } = createStates();
    snapshots.holdSegments();
    const reopened = openSnapshots({ store, parts: [], tip: () => ({ height: 0, time: 0 }) });
    expect(reopened.list().map(({ name }) => name)).toEqual(['a', 'b']);
    // One segment per snapshot is left.
    expect(reopened.segmentsFrom(0)).toHaveLength(2);
    store.close();
  });
});
