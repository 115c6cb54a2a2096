import { describe, expect, test } from 'bun:test';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { shardOf } from '../../ledger/index/distribution.ts';
import type { Sql, SqlValue } from '../../ledger/index/sql.ts';
import { joinStatements } from './statement-joiner.ts';

const soon = (run: () => void): void => void setImmediate(run);

/** A database that records its statements. */
function openRecorder(all: Sql['all'], dialect: Sql['dialect'] = 'postgres') {
  const statements: { readonly text: string; readonly values: readonly SqlValue[] }[] = [];
  const recorder: Sql = {
    dialect,
    all: (text, values) => {
      statements.push({ text, values });
      return all(text, values);
    },
  };
  return { statements, sql: joinStatements(recorder, soon) };
}

test('on Citus queries are joined by the shard of their address, which the statement names; what reads no divided table is joined as in PostgreSQL', async () => {
  const { statements, sql } = openRecorder(async <Row>() => [] as Row[], 'citus');
  const addresses = Array.from({ length: 100 }, (_, i) => new Uint8Array(20).fill(i));
  const text = 'SELECT h.seq FROM c1_owner h WHERE h.address = ? AND h.shelf = ? LIMIT ? + 0';
  await Promise.all([
    ...addresses.map((address) => sql.all(text, [address, 0, 5])),
    ...[1, 2].map((height) => sql.all('SELECT id FROM c1_block WHERE height = ?', [height])),
    ...[1, 2].map((seq) => sql.all('SELECT id FROM c1_tx WHERE seq = ?', [seq])),
  ]);
  const ofOwners = statements.filter(({ text: one }) => one.includes('c1_owner'));
  expect(ofOwners).toHaveLength(new Set(addresses.map(shardOf)).size);
  for (const { text: one, values } of ofOwners) {
    if (!one.includes('joined')) continue;
    expect(one).toContain('h.address = joined.v0 AND h.address = ANY(CAST(? AS bytea[])) AND h.shelf = joined.v1');
    expect(values).toHaveLength(4);
    expect(values[3]).toEqual(values[0] as string);
  }
  expect(statements.filter(({ text: one }) => one.includes('c1_block'))).toHaveLength(1);
  expect(statements.filter(({ text: one }) => one.includes('c1_tx'))).toHaveLength(2);
});

test('reads that are checked at their end are joined with each other, not with what is checked at once', async () => {
  const sent: string[] = [];
  const database = (name: string): Sql => ({
    dialect: 'citus',
    all: () => [],
    group: async (queries) => {
      sent.push(`${name} ${queries.length}`);
      return queries.map(() => ({ status: 'fulfilled', value: [] }));
    },
  });
  const unchecked = database('unchecked');
  const sql = joinStatements({ ...database('checked'), checkAtEnd: (read) => read(unchecked) }, soon);
  const readAll = (one: Sql) => Promise.all(['SELECT 1', 'SELECT 2'].map((text) => one.all(text, [])));
  await Promise.all([sql.checkAtEnd?.(readAll), sql.checkAtEnd?.((one) => one.all('SELECT 3', []) as Promise<unknown[]>), readAll(sql)]);
  expect(sent.toSorted()).toEqual(['checked 2', 'unchecked 3']);
});

test('queries of one turn with the same text are one statement, and equal ones are run once', async () => {
  const { statements, sql } = openRecorder(
    async <Row>() =>
      [
        { joined_query: 1, n: 'first' },
        { joined_query: 2, n: 'second' },
      ] as Row[],
  );
  const text = 'SELECT n FROM t WHERE a = ? AND b > ?';
  const asked = [
    sql.all(text, [new Uint8Array([1, 255]), 7]),
    sql.all(text, [new Uint8Array([2]), 8]),
    sql.all(text, [new Uint8Array([1, 255]), 7]),
  ];
  const [first, second, again] = await Promise.all(asked);
  expect(first).toMatchObject([{ n: 'first' }]);
  expect(second).toMatchObject([{ n: 'second' }]);
  expect(again).toEqual(first as unknown[]);
  expect(statements.map(({ values }) => values)).toEqual([['{"\\\\x01ff","\\\\x02"}', '{7,8}']]);
});

test('a single query is sent as it is', async () => {
  const { statements, sql } = openRecorder(async () => []);
  await Promise.all([sql.all('SELECT 1', []), sql.all('SELECT ?', [2])]);
  await sql.all('SELECT ?', [3]);
  expect(statements).toEqual([
    { text: 'SELECT 1', values: [] },
    { text: 'SELECT ?', values: [2] },
    { text: 'SELECT ?', values: [3] },
  ]);
});

test('a failed statement fails all its queries, and no others', async () => {
  const { sql } = openRecorder(async (text) => {
    if (text.includes('bad')) throw new RangeError('refused');
    return [];
  });
  const results = await Promise.allSettled([sql.all('bad ?', [1]), sql.all('bad ?', [2]), sql.all('good ?', [1])]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)('on PostgreSQL', () => {
  test('joined queries return what each returns alone', async () => {
    const postgres = openPostgres({ url: server as string, max: 2 });
    const name = `joiner_${crypto.randomUUID().replaceAll('-', '')}`;
    try {
      await postgres.all(`CREATE TABLE ${name}(a bytea, s bigint, t text, PRIMARY KEY (a, s))`, []);
      for (let i = 0; i < 60; i++)
        await postgres.all(`INSERT INTO ${name} VALUES (?, ?, ?)`, [new Uint8Array([i % 5]), i, `a "quoted\\ {text}, ${i}`]);
      const { statements, sql } = openRecorder(postgres.all);
      const range = `SELECT s, a, t FROM ${name} WHERE a = ? AND s > ? ORDER BY s DESC LIMIT ? + 0`;
      const keys = `WITH k(n, id) AS (VALUES (0, CAST(? AS bytea)), (1, ?)) SELECT k.n, x.s FROM k CROSS JOIN ${name} x WHERE x.a = k.id ORDER BY x.s`;
      const byText = `SELECT s FROM ${name} WHERE t = ?`;
      const queries = Array.from({ length: 6 }, (_, i) => [
        { text: range, values: [new Uint8Array([i]), 3 * i, 1 + i] },
        { text: keys, values: [new Uint8Array([i]), null] },
        { text: byText, values: [`a "quoted\\ {text}, ${i}`] },
      ]).flat();
      const joined = await Promise.all(queries.map(({ text, values }) => sql.all<Record<string, unknown>>(text, values)));
      expect(statements).toHaveLength(3);
      for (const [i, { text, values }] of queries.entries()) {
        const rows = joined[i]?.map(({ joined_query: _, joined_row: __, ...row }) => row);
        expect(rows).toEqual(await postgres.all<Record<string, unknown>>(text, values));
      }
    } finally {
      await postgres.all(`DROP TABLE IF EXISTS ${name}`, []);
      await postgres.close();
    }
  });
});
