import { afterAll, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { type Id, idToBytes, zeroId } from '../../base/bytes/id.ts';
import { indexTablesOf, txKinds } from '../index/tables.ts';
import { transferRunKind } from '../index/transfer-runs.ts';
import { memoryPath } from '../store/database.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import { createAssetDayReads, daySeconds } from './read-asset-days.ts';

/** Days with more rows than one query reads; explorer-reads.test.ts compares small days with a scan of all transactions. */

const tables = indexTablesOf(1);
const [asset, feeAsset] = ['aa'.repeat(32), 'bb'.repeat(32)] as [Id, Id];
const perDay = 50_000;
const db = openDatabase(memoryPath, { readonly: false });
afterAll(() => db.close());
db.exec(`CREATE TABLE ${tables.history} (subject blob, kind int, tx int, PRIMARY KEY (subject, kind, tx)) WITHOUT ROWID`);

/** Adds rows whose numbers are `first`, `first + step` and so on. */
function addRows(subject: Id, kind: number, first: number, step: number, count: number): void {
  db.prepare(`WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
    INSERT INTO ${tables.history} SELECT ?, ?, ? + i * ? FROM n`).run(count, idToBytes(subject), kind, first, step);
}

/** Counts two days of 50,000 transactions each: 1 to 50,000, and 50,001 to 100,000. */
function countDays(of: Id, maxRows: number): number[] {
  const blocks = {
    lastTxsBefore: function* () {
      return new Map([0, 1, 2].map((day) => [day * daySeconds, day * perDay]));
    },
  };
  const assetDays = createAssetDayReads(tables, blocks, feeAsset);
  const pin = { height: 1, id: zeroId, time: 2 * daySeconds, lastTx: 2 * perDay };
  return sqliteRunner(db as never)(assetDays({ asset: of, days: [0, daySeconds], pin, maxRows }));
}

test('the rows of a day are counted by several queries, and not beyond the limit', () => {
  // 20,000 are exactly one query, 45,000 are two and a part.
  addRows(asset, txKinds.BaseTx, 1, 1, 20_000);
  addRows(asset, txKinds.BaseTx, perDay + 1, 1, 45_000);
  expect(countDays(asset, 100_000)).toEqual([20_000, 45_000]);
  expect(countDays(asset, 65_000)).toEqual([20_000, 45_000]);
  expect(countDays(asset, 64_999)).toEqual([20_000]);
  expect(countDays(asset, 19_999)).toEqual([]);
});

test('a day may have exactly as many rows as the limit allows', () => {
  const busy = 'cc'.repeat(32) as Id;
  addRows(busy, txKinds.BaseTx, 1, 1, 45_000);
  expect([countDays(busy, 45_000), countDays(busy, 44_999)]).toEqual([[45_000, 0], []]);
});

test('the runs of transfers of the fee asset are read by several queries, and none is counted twice', () => {
  // Every second transaction is a transfer: two boundaries each, 100,000 in all; a query reads 40,001.
  addRows(feeAsset, transferRunKind, 2 * 1, 4, perDay);
  addRows(feeAsset, transferRunKind, 2 * 2 + 1, 4, perDay);
  expect(countDays(feeAsset, 1000)).toEqual([perDay / 2, perDay / 2]);
});
