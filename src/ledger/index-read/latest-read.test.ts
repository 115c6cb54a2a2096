import { expect, test } from 'bun:test';
import type { Sql } from '../index/sql.ts';
import { latestReaderOn } from './read-run.ts';

const single = { query: { text: 'SELECT 1', values: [] }, resultOf: (rows: readonly unknown[]) => rows[0] as number };

test('the newest state is read again only after a commit on SQLite, and every time on PostgreSQL', async () => {
  let reads = 0;
  let version = 1;
  const all = (() => [++reads]) as unknown as Sql['all'];
  const untilCommit = <T>(read: () => T) => {
    let cached: { readonly version: number; readonly value: T } | undefined;
    return () => {
      if (cached?.version !== version) cached = { version, value: read() };
      return cached.value;
    };
  };
  const sqlite = latestReaderOn({ dialect: 'sqlite', all, untilCommit })(single);
  expect([await sqlite.read(), sqlite.known(), await sqlite.read()]).toEqual([1, 1, 1]);
  version++;
  expect([sqlite.known(), await sqlite.read()]).toEqual([2, 2]);
  const postgres = latestReaderOn({ dialect: 'postgres', all })(single);
  expect([postgres.known(), await postgres.read(), await postgres.read()]).toEqual([undefined, 3, 4]);
});
