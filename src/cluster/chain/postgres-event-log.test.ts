import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { openPostgresEventLog } from './postgres-event-log.ts';

/** A log whose first read finds no block after the position, and whose last height is read afterwards. */
const logWithLastHeight = (height: number | null) => {
  const all = async (text: string) => (text.includes('max(height)') ? [{ height }] : []);
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
