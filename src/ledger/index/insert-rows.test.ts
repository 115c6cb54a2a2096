import { describe, expect, test } from 'bun:test';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { runOnPostgres } from '../index/query-runner.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import { encodeCopyRows } from './copy-rows.ts';
import { createTable, type Dialect } from './ddl.ts';
import { insertRows } from './insert-rows.ts';
import type { SqlValue } from './sql.ts';
import { indexSchema, type Table } from './tables.ts';

const table: Table = {
  columns: { name: { type: 'blob' }, n: { type: 'int' }, rate: { type: 'real' }, note: { type: 'text', null: true } },
  key: ['name', 'n'],
};
const types = Object.values(table.columns).map(({ type }) => type);

/** Rows whose keys are in no order. */
const shuffledRows = (count: number): SqlValue[][] =>
  Array.from({ length: count }, (_, i) => {
    const at = (i * 7919) % count;
    return [Buffer.from([at % 5, 255 - (at % 3)]), at - 40, at / 7, at % 4 === 0 ? null : `note ü ${at}`];
  });

const byKey = ([a, m]: readonly SqlValue[], [b, n]: readonly SqlValue[]): number =>
  Buffer.compare(a as Uint8Array, b as Uint8Array) || (m as number) - (n as number);

const inChunks = (values: readonly SqlValue[]): SqlValue[][] =>
  Array.from({ length: values.length / 4 }, (_, i) => values.slice(i * 4, i * 4 + 4));

test('in PostgreSQL, pages of rows that change often have room for their next versions', () => {
  expect(createTable('postgres', 't', { ...table, updated: true })[0]).toEndWith(' WITH (fillfactor = 50)');
  expect(createTable('postgres', 't', table)[0]).not.toContain('fillfactor');
  expect(indexSchema.holder.updated).toBe(true);
});

describe('inserts', () => {
  const textsOf = (dialect: Dialect, rows: number, onConflict?: string) =>
    insertRows(dialect, 't', table, onConflict)(shuffledRows(rows).flat()).map(({ text }) => text);

  test('are in the order of the key, many rows per statement', () => {
    const queries = insertRows('sqlite', 't', table)(shuffledRows(300).flat());
    expect(inChunks(queries.flatMap(({ values }) => values))).toEqual(shuffledRows(300).sort(byKey));
    expect(queries.length).toBeLessThan(10);
  });

  test('come to PostgreSQL as a COPY in the order of the key, and divided if there are very many', () => {
    const queries = insertRows('postgres', 't', table)(shuffledRows(300).flat());
    expect(queries.map(({ text }) => text)).toEqual(['COPY t(name, n, rate, note) FROM STDIN (FORMAT binary)']);
    expect(queries[0]?.copy?.()).toEqual(encodeCopyRows(types, shuffledRows(300).sort(byKey).flat()));
    for (const dialect of ['postgres', 'citus'] as const) {
      expect(textsOf(dialect, 3000)).toHaveLength(1);
      expect(textsOf(dialect, 10_000)).toHaveLength(3);
    }
  });

  test('are an INSERT if they are few, or if rows may be stored already', () => {
    for (const text of [...textsOf('postgres', 5), ...textsOf('postgres', 300, ' ON CONFLICT DO NOTHING')])
      expect(text).toStartWith('INSERT');
  });

  test('of rows that may be stored already come to Citus as values, which it sends to their shards as they are', () => {
    for (const text of textsOf('citus', 300, ' ON CONFLICT DO NOTHING'))
      expect(text).toStartWith('INSERT INTO t(name, n, rate, note) VALUES (?');
  });

  test('of rows that may be stored already come to PostgreSQL as one array for each column, in the order of the key', () => {
    const queries = insertRows('postgres', 't', table, ' ON CONFLICT DO NOTHING')(shuffledRows(1500).flat());
    expect(queries.map(({ values }) => values.length)).toEqual([4, 4]);
    const numbers = queries.flatMap(({ values }) => String(values[1]).slice(1, -1).split(',').map(Number));
    expect(numbers).toEqual(
      shuffledRows(1500)
        .sort(byKey)
        .map(([, n]) => n as number),
    );
  });

  test('are in the order of the bytes of the key, also where keys begin alike or with zeros, or have no bytes', () => {
    const keys = [
      '',
      '00',
      '0000000000000000',
      '00000000000000ff',
      '0000000000000100',
      'ffffffffffffff00',
      'ffffffffffff',
      'ff',
      '0000000001',
    ];
    const rows = keys.map((key, i): SqlValue[] => [Buffer.from(key, 'hex'), i, 0, null]);
    const stored = insertRows('sqlite', 't', table)(rows.flat()).flatMap(({ values }) => inChunks(values));
    expect(stored).toEqual(rows.toSorted(byKey));
  });
});

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  const name = `serac_copy_rows_${process.pid}`;
  const extremes: SqlValue[][] = [0, 1, -1, 2 ** 31, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].map((n) => [
    new Uint8Array(0),
    n,
    -n / 3,
    '',
  ]);
  const rows = [...shuffledRows(500), ...extremes];

  test('stores copied rows as it stores inserted ones; a row that is there already fails the transaction', async () => {
    const sql = openPostgres({ url: server as string, max: 1, statementMilliseconds: 30_000 });
    const add = insertRows('postgres', name, table);
    function* stored(): Queries<SqlValue[][]> {
      const found = yield* fetchRows<Record<string, SqlValue>>([{ text: `SELECT * FROM ${name} ORDER BY name, n`, values: [] }]);
      return found.map((row) => [Buffer.from(row.name as Uint8Array), row.n as number, row.rate as number, row.note as SqlValue]);
    }
    try {
      for (const text of createTable('postgres', name, table)) await sql.all(text, []);
      await sql.write((tx) =>
        runOnPostgres(
          tx,
          (function* () {
            yield add(rows.flat());
          })(),
        ),
      );
      expect(await runOnPostgres(sql, stored())).toEqual(
        rows.map(([key, ...more]) => [Buffer.from(key as Uint8Array), ...more]).sort(byKey),
      );
      const more = shuffledRows(600).map(([key, n, ...rest]) => [key, (n as number) + 500, ...rest]) as SqlValue[][];
      const again = sql.write((tx) =>
        runOnPostgres(
          tx,
          (function* () {
            yield add([...more, ...extremes].flat());
          })(),
        ),
      );
      await expect(Promise.resolve(again)).rejects.toThrow('duplicate key');
      expect(await runOnPostgres(sql, stored())).toHaveLength(rows.length);
      // As arrays: those that are stored already are left as they are.
      const addNew = insertRows('postgres', name, table, ' ON CONFLICT DO NOTHING');
      await runOnPostgres(
        sql,
        (function* () {
          yield addNew([...more, ...extremes].flat());
        })(),
      );
      const all = [...rows, ...more].map(([key, ...rest]) => [Buffer.from(key as Uint8Array), ...rest] as SqlValue[]);
      const distinct = [...new Map(all.map((row) => [JSON.stringify(row.slice(0, 2)), row])).values()];
      expect(await runOnPostgres(sql, stored())).toEqual(distinct.sort(byKey));
    } finally {
      await sql.all(`DROP TABLE IF EXISTS ${name}`, []);
      await sql.close();
    }
  });
});
