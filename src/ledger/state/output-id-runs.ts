import { readU32 } from '../../avm/tx/output-layout.ts';
import type { Queries, Query } from '../store/queries.ts';

/*
 * The table `output_id`: which transaction created the output with a UTXO ID. output-ids.ts uses it. It is a log-structured merge tree.
 *
 * entry     8 bytes for an output: the first 4 of its ID (the prefix), then the number of its transaction.
 * run       the sorted entries of many outputs after each other. New runs, of level 0, have 16,384 entries. Eight runs of a level are merged into
 *           one of the next level, so a look-up reads some ten rows of each level, not one of each run.
 * range     a part of a run: the entries whose prefixes begin with the same bits. Each range is one row, of about 128 entries: a run of
 *           level 0 has 128 ranges (7 bits), one of level 1 has 1024 (10 bits), and so on.
 *
 * To merge eight runs at once would hold up a commit. So a merge is done in slices: with every new run, a slice of 16 ranges at each level
 * (`slicesAt`). So a merge of runs of level 0 takes eight new runs: 8 * 16 are all 128 ranges; one of level 1 takes 64 new runs, and so
 * on. Which slice is due depends on the number of new runs alone, so nothing else is stored.
 */

/** The first 4 bytes of an ID. */
export type IdPrefix = number;

export const prefixOfBytes = (id: Uint8Array): IdPrefix => readU32(id, 0);

/** A row of `output_id`. `number`: see `rowNumber`. `last_tx`: the last transaction of the run, or of the newest run that was merged. */
export type OutputIdRow = { readonly number: number; readonly last_tx: number; readonly ids: Uint8Array };

/** Runs of a level that become one of the next level. */
const fanOut = 8;
/** 16,384 * 8^8 outputs are more than there can be transactions. */
const maxLevel = 8;
const numbersPerLevel = 2 ** 40;
const entrySize = 8;

/** Ranges of IDs of a run, and the bits of a prefix below its range. */
const rangesAt = (level: number): number => 128 * fanOut ** level;
const shiftAt = (level: number): number => 25 - 3 * level;

const rowNumber = (level: number, run: number, range: number): number => level * numbersPerLevel + run * rangesAt(level) + range;

/** The numbers of the rows of new runs are below this one. */
export const aboveNewRuns = numbersPerLevel;

/** The run of a row of the lowest level. */
export const newRunOf = (number: number): number => Math.floor(number / rangesAt(0));

/** The rows of a new run. */
export function newRunRows(run: number, lastTx: number, prefixes: readonly IdPrefix[], txs: readonly number[]): OutputIdRow[] {
  const entries = createEntries(prefixes.length);
  for (let i = 0; i < entries.count; i++) entries.set(i, prefixes[i] as number, txs[i] as number);
  return rowsOf(0, run, { from: 0, to: rangesAt(0) }, lastTx, entries);
}

type Entries = ReturnType<typeof createEntries>;

/**
 * Entries to be sorted. The engine sorts 64-bit integers without calling a function; reading each as two numbers, not as a bigint, makes the rows of a
 * new run in 2 ms, not 6.5. Every platform of Bun and Node stores the lower half first.
 */
function createEntries(count: number) {
  const entries = new BigUint64Array(count);
  const halves = new Uint32Array(entries.buffer);
  return {
    count,
    set: (i: number, prefix: IdPrefix, tx: number): void => {
      halves[2 * i] = tx;
      halves[2 * i + 1] = prefix;
    },
    prefixAt: (i: number): IdPrefix => halves[2 * i + 1] as number,
    txAt: (i: number): number => halves[2 * i] as number,
    sort: (): void => void entries.sort(),
  };
}

type Ranges = { readonly from: number; readonly to: number };

/** The rows of some ranges of a run. */
function rowsOf(level: number, run: number, { from, to }: Ranges, lastTx: number, entries: Entries): OutputIdRow[] {
  entries.sort();
  const rows: OutputIdRow[] = [];
  const shift = shiftAt(level);
  let at = 0;
  for (let range = from; range < to; range++) {
    const start = at;
    while (at < entries.count && entries.prefixAt(at) >>> shift <= range) at++;
    const ids = new Uint8Array((at - start) * entrySize);
    const view = new DataView(ids.buffer);
    for (let i = start; i < at; i++) {
      view.setUint32((i - start) * entrySize, entries.prefixAt(i));
      view.setUint32((i - start) * entrySize + 4, entries.txAt(i));
    }
    rows.push({ number: rowNumber(level, run, range), last_tx: lastTx, ids });
  }
  return rows;
}

/** The transactions of a row that may have created the output. */
function findInRow({ ids }: Pick<OutputIdRow, 'ids'>, prefix: IdPrefix): number[] {
  const found: number[] = [];
  for (let at = 0; at < ids.length; at += entrySize) if (readU32(ids, at) === prefix) found.push(readU32(ids, at + 4));
  return found;
}

/** The entries of a row; the views are of its bytes. */
export const entriesOf = ({ ids }: Pick<OutputIdRow, 'ids'>): Uint8Array[] =>
  Array.from({ length: Math.ceil(ids.length / entrySize) }, (_, i) => ids.subarray(i * entrySize, (i + 1) * entrySize));

/** New runs during which a run of a level is merged from eight of the level below. Also the new runs whose entries it has. */
const newRunsPerRun = (level: number): number => fanOut ** level;

/**
 * The number of new runs at which the first merge into a level begins is `newRunsPerRun(level) + mergeDelay(level)`: the eight runs of the level below
 * must be merged completely themselves. That is 1 at level 1, 1 + 8 at level 2, 1 + 8 + 64 at level 3.
 */
const mergeDelay = (level: number): number => 1 + (fanOut ** level - fanOut) / (fanOut - 1);

/** The run of a level that is being merged when there are `newRuns` new runs; below 0: none yet. */
const runInMerge = (level: number, newRuns: number): number => Math.floor((newRuns - mergeDelay(level)) / newRunsPerRun(level)) - 1;

/** A slice of the merge into run `run` of a level: some ranges of eight runs of the level below, from the run `firstSource` on. */
type MergeSlice = { readonly level: number; readonly run: number; readonly firstSource: number; readonly sourceRanges: Ranges };

/** The slices that are merged when the number of new runs becomes `newRuns`: one at each level that has a merge. */
function slicesAt(newRuns: number): MergeSlice[] {
  const slices: MergeSlice[] = [];
  for (let level = 1; level <= maxLevel; level++) {
    const run = runInMerge(level, newRuns);
    if (run < 0) break;
    const sliceNumber = (newRuns - mergeDelay(level)) % newRunsPerRun(level);
    const from = sliceNumber * rangesPerSlice;
    slices.push({ level, run, firstSource: run * fanOut, sourceRanges: { from, to: from + rangesPerSlice } });
  }
  return slices;
}

/** The ranges of a source run, divided by the new runs that arrive while it is merged: 16 at every level. */
const rangesPerSlice = rangesAt(0) / fanOut;

/** The rows that may have an ID, when there are `runs` new runs. A reader may know fewer runs than are stored: so one more of each level. */
export function rowsToRead(runs: number, prefix: IdPrefix): number[] {
  const numbers: number[] = [];
  for (let level = 0; level <= maxLevel; level++) {
    const last = level === 0 ? runs - 1 : runInMerge(level, runs) + 1;
    if (last < 0) break;
    for (let run = firstLiveRun(level, runs); run <= last; run++) numbers.push(rowNumber(level, run, prefix >>> shiftAt(level)));
  }
  return numbers;
}

/** The first run of a level that is not merged completely. */
const firstLiveRun = (level: number, runs: number): number => (level === maxLevel ? 0 : Math.max(0, runInMerge(level + 1, runs)) * fanOut);

/** Whether a look-up finds the entries of a row when there are `runs` new runs. */
export function isFindable({ number, ids }: OutputIdRow, runs: number): boolean {
  const prefixes = entriesOf({ ids }).map(prefixOfBytes);
  const range = (number % numbersPerLevel) % rangesAt(Math.floor(number / numbersPerLevel));
  const shift = shiftAt(Math.floor(number / numbersPerLevel));
  if (shift < 0 || prefixes.some((prefix) => prefix >>> shift !== range)) return false;
  return rowsToRead(runs, range * 2 ** shift).includes(number);
}

/** Queries of the table of a chain. */
export function createRunQueries(table: string) {
  const inRange = 'WHERE number >= ? AND number < ?';
  const select = `SELECT last_tx, ids FROM ${table} ${inRange}`;
  const remove = `DELETE FROM ${table} ${inRange}`;
  const insert = `INSERT INTO ${table} VALUES ${Array(rowsPerInsert).fill('(?, ?, ?)').join(', ')}`;
  const byNumber = (count: number) => `SELECT ids FROM ${table} WHERE number IN (${Array(count).fill('?').join(', ')})`;
  const [few, many] = [byNumber(fewRows), byNumber(manyRows)];

  function* mergeSlice({ level, run, firstSource, sourceRanges: { from, to } }: MergeSlice): Queries<void> {
    const bounds = Array.from({ length: fanOut }, (_, i) => [
      rowNumber(level - 1, firstSource + i, from),
      rowNumber(level - 1, firstSource + i, to),
    ]);
    const found = (yield bounds.map((values) => ({ text: select, values }))) as readonly (readonly OutputIdRow[])[];
    const rows = found.flat();
    const entries = createEntries(rows.reduce((sum, { ids }) => sum + ids.length / entrySize, 0));
    let at = 0;
    for (const { ids } of rows) for (let i = 0; i < ids.length; i += entrySize) entries.set(at++, readU32(ids, i), readU32(ids, i + 4));
    const lastTx = rows.reduce((last, { last_tx }) => Math.max(last, last_tx), 0);
    const merged = rowsOf(level, run, { from: from * fanOut, to: to * fanOut }, lastTx, entries);
    const inserts: Query[] = [];
    for (let i = 0; i < merged.length; i += rowsPerInsert) {
      const values = merged.slice(i, i + rowsPerInsert).flatMap(({ number, last_tx, ids }) => [number, last_tx, ids]);
      inserts.push({ text: insert, values });
    }
    yield [...bounds.map((values) => ({ text: remove, values })), ...inserts];
  }

  return {
    /** Merges what becomes due while the number of new runs grows from `before` to `after`. Their rows must be stored. */
    merge: function* (before: number, after: number): Queries<void> {
      for (let runs = before + 1; runs <= after; runs++) for (const slice of slicesAt(runs)) yield* mergeSlice(slice);
    },
    /** Transactions of stored runs that may have created an output. */
    find: function* (runs: number, prefix: IdPrefix): Queries<number[]> {
      const numbers = rowsToRead(runs, prefix);
      const queries: Query[] = [];
      for (let at = 0; at < numbers.length; ) {
        const [count, text] = numbers.length - at <= fewRows ? [fewRows, few] : [manyRows, many];
        // A number that occurs twice is read once.
        queries.push({ text, values: Array.from({ length: count }, (_, i) => numbers[Math.min(at + i, numbers.length - 1)] as number) });
        at += count;
      }
      const rows = queries.length === 0 ? [] : ((yield queries) as readonly OutputIdRow[][]).flat();
      return rows.flatMap((row) => findInRow(row, prefix));
    },
  };
}

const rowsPerInsert = 16;
/** Rows that one query reads. */
const [fewRows, manyRows] = [4, 32];
