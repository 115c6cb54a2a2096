import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { Id } from '../../base/bytes/id.ts';
import { idToBytes } from '../../base/bytes/id.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { openIndexedChains } from '../../ledger/index-sqlite/indexed-chains.fixture.ts';
import { createSqliteSql } from '../../ledger/index-sqlite/sqlite-sql.ts';
import { openPostgresEventLog } from './postgres-event-log.ts';

/** A log whose first read finds no block after the position, and whose last height is read afterwards. */
const logWithLastHeight = (height: number | null) => {
  const all = async (text: string) => (text.startsWith('SELECT height FROM progress') && height !== null ? [{ height }] : []);
  return openPostgresEventLog({ dialect: 'postgres', all: all as Sql['all'] }, { number: 1, id: '00'.repeat(32) as Id }, 'log');
};

test('a block that the indexer commits between the two reads is not a loss', async () => {
  expect(await logWithLastHeight(7).read(7)).toEqual([]);
  expect(await logWithLastHeight(8).read(7)).toEqual([]);
  expect(await logWithLastHeight(9).read(7)).toEqual([]);
  expect(await logWithLastHeight(null).read(0)).toEqual([]);
});

test('a last height below the position is a loss', async () => {
  expect(await logWithLastHeight(6).read(7)).toBeUndefined();
  expect(await logWithLastHeight(null).read(7)).toBeUndefined();
});

test('a first block that is not the next one is a loss', async () => {
  const all = async (text: string) =>
    text.includes('FROM c1_block WHERE height >') ? [{ height: 9, header: new Uint8Array(), first_tx: 1, tx_count: 0 }] : [];
  const log = openPostgresEventLog({ dialect: 'postgres', all: all as Sql['all'] }, { number: 1, id: '00'.repeat(32) as Id }, 'log');
  expect(await log.read(7)).toBeUndefined();
});

test('a block that is stored but not published has no entry: on Citus its transactions may be missing yet', async () => {
  const { chains, store, begin, step, close } = openIndexedChains(openDatabase, 5);
  begin();
  for (let i = 0; i < 12; i++) step();
  const [{ spec }] = chains as [(typeof chains)[0]];
  const log = openPostgresEventLog(createSqliteSql(store), spec, 'log');
  const heights = async () => ((await log.read(0)) ?? []).map(({ number }) => number);
  const last = await log.last();
  expect([last > 1, (await heights()).at(-1)]).toEqual([true, last]);
  store.write(() => store.db.prepare('UPDATE progress SET height = height - 1 WHERE chain = ?').run(idToBytes(spec.id)));
  expect([await log.last(), (await heights()).at(-1)]).toEqual([last - 1, last - 1]);
  expect(await log.read(last - 1)).toEqual([]);
  close();
});
