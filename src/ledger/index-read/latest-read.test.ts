import { expect, test } from 'bun:test';
import type { Sql } from '../index/sql.ts';
import { latestReaderOn } from './read-runner.ts';

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
  expect([await sqlite.read(), sqlite.recent(), await sqlite.readRecent()]).toEqual([1, 1, 1]);
  version++;
  expect([sqlite.recent(), await sqlite.read()]).toEqual([2, 2]);
  const postgres = latestReaderOn({ dialect: 'postgres', all })(single);
  expect([postgres.recent(), await postgres.read(), await postgres.readRecent()]).toEqual([undefined, 3, 4]);
  let recent: number | undefined = 100;
  const told = latestReaderOn({ dialect: 'postgres', all })(single, () => recent);
  expect([told.recent(), await told.readRecent(), await told.read()]).toEqual([100, 100, 5]);
  recent = undefined;
  expect([told.recent(), await told.readRecent()]).toEqual([undefined, 6]);
});
