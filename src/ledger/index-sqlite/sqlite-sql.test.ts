import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { codeOf, openChain } from '../state/open-chain.fixture.ts';
import { createSqliteSql } from './sqlite-sql.ts';

const openSql = () => {
  const chain = openChain(openDatabase);
  const sql = createSqliteSql(chain.store);
  chain.store.write(() => chain.store.db.exec('CREATE TABLE number (n INTEGER)'));
  const numbers = () => chain.store.db.prepare<{ n: number }>('SELECT n FROM number').all();
  return { ...chain, sql, numbers, insert: (n: number) => chain.store.db.prepare('INSERT INTO number VALUES (?)').run(n) };
};

test('a write that waits is refused and rolled back: other code could write into its transaction', () => {
  const { sql, numbers, insert, close } = openSql();
  const waiting = async (): Promise<void> => void insert(1);
  expect([codeOf(() => sql.write(waiting)), numbers()]).toEqual(['INDEX_WAITING_WRITE', []]);
  const write = (): string => {
    insert(2);
    return 'done';
  };
  expect([sql.write(write as never) as unknown, numbers()]).toEqual(['done', [{ n: 2 }]]);
  close();
});

test('rows are read with values, and what was read until a commit is read again after it', () => {
  const { sql, store, insert, close } = openSql();
  store.write(() => [1, 2, 3].map(insert));
  const rows = sql.all<{ n: number }>('SELECT n FROM number WHERE n > ? ORDER BY n', [1]);
  expect([rows as unknown, sql.dialect]).toEqual([[{ n: 2 }, { n: 3 }], 'sqlite']);
  let reads = 0;
  const read = sql.untilCommit?.(() => ++reads);
  expect([read?.(), read?.()]).toEqual([1, 1]);
  store.write(() => insert(4));
  expect(read?.()).toBe(2);
  close();
});
