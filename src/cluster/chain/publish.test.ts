import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { Query } from '../../ledger/store/queries.ts';
import { createCitusWrites, createPlainWrites, type Written } from './publish.ts';

const chain = 'ab'.repeat(32) as Id;
const news: Query = { text: 'NEWS', values: [] };
const work = (more: readonly Query[]) =>
  function* (): Generator<readonly Query[], Written<number>, never> {
    yield [{ text: 'WORK', values: [] }];
    return { result: 7, news: more };
  };

/** A database that lists what was sent to it. The first `unfinishedLooks` times it is asked, a worker has not committed yet. */
function createSql(unfinishedLooks = 0) {
  const sent: string[] = [];
  const short = (text: string): string => text.trim().split(/\s+/).slice(0, 3).join(' ');
  const run = (prefix: string) => async (text: string) => {
    sent.push(prefix + short(text));
    if (text.startsWith('SELECT DISTINCT')) return unfinishedLooks-- > 0 ? [{ name: 'worker:5432' }] : [];
    return [];
  };
  const tx = { dialect: 'citus', all: run('tx '), run: run('tx ') };
  const write = async <T>(body: (one: unknown) => Promise<T>): Promise<T> => {
    sent.push('begin');
    const result = await body(tx);
    sent.push('commit');
    return result;
  };
  return { sent, sql: { dialect: 'citus', all: run(''), write } as never };
}

test('on PostgreSQL the news are part of the transaction', async () => {
  const { sql, sent } = createSql();
  expect(await createPlainWrites(sql)(work([news]) as never)).toBe(7 as never);
  expect(sent).toEqual(['begin', 'tx WORK', 'tx NEWS', 'commit']);
  sent.length = 0;
  await createPlainWrites(sql)(work([]) as never);
  expect(sent).toEqual(['begin', 'tx WORK', 'commit']);
});

test('on Citus the height and the news follow when no worker has a prepared transaction', async () => {
  const { sql, sent } = createSql(2);
  expect(await createCitusWrites(sql, chain).write(work([news]) as never)).toBe(7 as never);
  const look = ['SELECT recover_prepared_transactions()', 'SELECT DISTINCT n.nodename'];
  const pause = 'SELECT pg_sleep(0.25)';
  expect(sent).toEqual([
    'begin',
    'tx WORK',
    'commit',
    ...look,
    pause,
    ...look,
    pause,
    ...look,
    'begin',
    'tx INSERT INTO progress',
    'tx NEWS',
    'commit',
  ]);
});

test('a worker that does not commit within a minute is named, and nothing is published', async () => {
  const { sql, sent } = createSql(Number.POSITIVE_INFINITY);
  const error = (await createCitusWrites(sql, chain)
    .publish([news])
    .catch((reason: unknown) => reason)) as AnyFault;
  expect([error.message, error.fault]).toEqual([
    'the Citus worker worker:5432 does not answer, or has not committed the last blocks',
    { code: 'DATABASE_DOWN', reason: 'prepared transactions' } as never,
  ]);
  expect([sent.filter((one) => one.startsWith('SELECT pg_sleep')).length, sent.includes('begin')]).toEqual([239, false]);
});
