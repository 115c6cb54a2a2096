import { type Migration, migrations, newestVersion } from '../src/ledger/index/migrations.ts';
import { tablesOf } from '../src/ledger/state/schema.ts';
import { fetchRows } from '../src/ledger/store/queries.ts';

/** Transactions that one step of the conversion reads. */
export const rowsPerStep = 16;

/** A made-up next release: a column of a large table, filled in the background. Servers of both versions can read it before, during and after. */
export const nextRelease: readonly Migration[] = [
  ...migrations,
  {
    version: newestVersion + 1,
    shared: () => [],
    chain: (dialect, number) => [`ALTER TABLE ${tablesOf(number).tx} ADD COLUMN size ${dialect === 'sqlite' ? 'INTEGER' : 'bigint'}`],
    background: function* (number, after) {
      const { tx } = tablesOf(number);
      const rows = yield* fetchRows<{ seq: number }>([
        { text: `SELECT seq FROM ${tx} WHERE seq > ? ORDER BY seq LIMIT ${rowsPerStep}`, values: [after] },
      ]);
      const last = rows[rows.length - 1]?.seq;
      // Counts how often a row is converted, to notice one that is converted twice.
      if (last !== undefined)
        yield [{ text: `UPDATE ${tx} SET size = coalesce(size, 0) + length(bytes) WHERE seq > ? AND seq <= ?`, values: [after, last] }];
      return last;
    },
    isReadableByPrevious: true,
    readsPrevious: true,
  },
];

/** The release after it, whose tables only it can read. */
export const secondNextRelease: readonly Migration[] = [
  ...nextRelease,
  { version: newestVersion + 2, shared: () => ['CREATE TABLE note(n INTEGER)'], chain: () => [] },
];
