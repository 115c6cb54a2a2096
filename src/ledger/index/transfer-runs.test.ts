import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { memoryPath } from '../store/database.ts';
import { createTable } from './ddl.ts';
import { indexSchema } from './tables.ts';
import { boundaryAt, createRunReads, isRunOpen, seqsInRuns, transferRunKind } from './transfer-runs.ts';

const subject = new Uint8Array(0);

/** A `history` table with the boundaries of a list of transactions, of which every one is in a run or not. */
function openRuns(flags: readonly boolean[]) {
  const db = openDatabase(memoryPath, { readonly: false });
  for (const statement of createTable('sqlite', 'history', indexSchema.history)) db.exec(statement);
  const insert = db.prepare('INSERT INTO history VALUES (?, ?, ?)');
  const last = db.prepare<{ tx: number | null }>('SELECT max(tx) AS tx FROM history');
  let rows = 0;
  for (const [i, isInRun] of flags.entries()) {
    const boundary = boundaryAt(i + 1, isRunOpen(last.get()?.tx ?? undefined), isInRun);
    if (boundary === undefined) continue;
    insert.run(subject, transferRunKind, boundary);
    rows++;
  }
  const reads = createRunReads('history');
  const list = (low: number, high: number, order: 'asc' | 'desc', count: number): number[] => {
    const { text, values } = reads.query(subject, [low], [high], order, count);
    const found = db.prepare<{ boundary: number }>(text).all(...values);
    return seqsInRuns(reads.runsOf(found, low, high, order, count).runs, order, count);
  };
  return { list, rows, close: db.close };
}

test('a list of transfers is the same as if each had a row', () => {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (const share of [0, 0.1, 0.5, 0.9, 1]) {
    const flags = Array.from({ length: 60 }, () => random() < share);
    const all = flags.flatMap((flag, i) => (flag ? [i + 1] : []));
    const { list, close } = openRuns(flags);
    for (let low = 0; low < 61; low += 3)
      for (let high = low; high <= 61; high += 4)
        for (const count of [1, 2, 7, 100]) {
          const inRange = all.filter((seq) => seq > low && seq < high);
          expect(list(low, high, 'asc', count)).toEqual(inRange.slice(0, count));
          expect(list(low, high, 'desc', count)).toEqual(inRange.toReversed().slice(0, count));
        }
    close();
  }
});

test('a transfer after a transfer adds no row', () => {
  const runOf = (flags: readonly boolean[]): number => {
    const { rows, close } = openRuns(flags);
    close();
    return rows;
  };
  expect(runOf([false])).toBe(0);
  expect(runOf([false, true, true, true])).toBe(1);
  expect(runOf([true, true, false, true, true])).toBe(3);
});
