import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { indexTablesOf } from '../index/tables.ts';
import { chainSchema, tablesOf } from '../state/schema.ts';
import { memoryPath } from '../store/database.ts';
import { createSearchReads } from './read-search.ts';

const tables = { ...tablesOf(7), ...indexTablesOf(7) };

test('assets are compared with a text in pages, so that a long read can pause, and the oldest are listed', () => {
  const db = openDatabase(memoryPath, { readonly: false });
  db.exec(chainSchema(tables));
  const [addAsset, addTx] = [
    db.prepare(`INSERT INTO ${tables.asset} VALUES (?, '0', ?, ?, 0)`),
    db.prepare(`INSERT INTO ${tables.tx} VALUES (?, ?, 1, ?, NULL)`),
  ];
  // The newest has the lowest ID.
  const total = 2500;
  const idOf = (n: number): Buffer => Buffer.alloc(32, (total - n).toString(16).padStart(64, '0'), 'hex');
  db.exec('BEGIN');
  for (let n = 0; n < total; n++) {
    addAsset.run(idOf(n), Buffer.from(n % 1000 === 7 ? 'Gold' : `Coin ${n}`), Buffer.from('COIN'));
    // The first one is from before the indexed history.
    if (n > 0) addTx.run(n, idOf(n), new Uint8Array(1));
  }
  db.exec('COMMIT');
  const { assetsMatching } = createSearchReads('sqlite', tables, { idsBetween: () => expect.unreachable() });
  const find = (text: string, limit: number) => {
    const steps = assetsMatching(text, limit);
    for (let step = steps.next(); ; ) {
      if (step.done) return step.value;
      step = steps.next(
        step.value.map(({ text: sql, values }) => {
          const rows = db.prepare<object>(sql).all(...values);
          expect(rows.length).toBeLessThanOrEqual(1024);
          return rows;
        }),
      );
    }
  };
  const ids = (...numbers: number[]): Id[] => numbers.map((n) => toHex(idOf(n)) as Id);
  expect(find('gold', 10)).toEqual({ exact: ids(7, 1007, 2007), partial: [], total: 3 });
  expect(find('gold', 2)).toEqual({ exact: ids(7, 1007), partial: [], total: 3 });
  expect(find('GOL', 2)).toEqual({ exact: [], partial: ids(7, 1007), total: 3 });
  expect(find('coin', 3)).toEqual({ exact: ids(0, 1, 2), partial: [], total });
  expect(find('silver', 10)).toEqual({ exact: [], partial: [], total: 0 });
  db.close();
});
