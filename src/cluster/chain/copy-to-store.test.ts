import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { zeroId } from '../../base/bytes/id.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import { signerKeySchema, signerKeyTable } from '../../ledger/index/tables.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import { openStore } from '../../ledger/store/store.ts';
import { copyToStore } from './copy-to-store.ts';

/** The reported numbers of rows for a database with an empty chain and three public keys, in two reads, and this estimate. */
async function copyKeys(estimate: number | null) {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 1, genesis: zeroId });
  const columns = Object.keys(signerKeySchema.columns);
  const rowOf = (n: number) => Object.fromEntries(columns.map((column) => [column, new Uint8Array(20).fill(n)]));
  const reads = [[rowOf(1), rowOf(2)], [rowOf(3)], []];
  const all = async (text: string): Promise<unknown[]> => {
    if (text.includes('FROM chain ')) return [{ number: 1, id: new Uint8Array(32), genesis: new Uint8Array(32) }];
    if (text.includes('reltuples')) return [{ rows: estimate }];
    return text.includes(signerKeyTable) ? (reads.shift() ?? []) : [];
  };
  const write = (work: (tx: unknown) => unknown) => work({ dialect: 'postgres', all });
  const reported: unknown[] = [];
  await copyToStore({ dialect: 'postgres', all, write } as unknown as WritableSql, store, (rows) => reported.push(rows));
  const stored = store.db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${signerKeyTable}`).get()?.n;
  return { stored, reported };
}

test('rows are reported as they are copied, beside an estimate of all that is never below them', async () => {
  expect(await copyKeys(5)).toEqual({
    stored: 3,
    reported: [
      { done: 2, total: 5 },
      { done: 3, total: 5 },
    ],
  });
  expect((await copyKeys(null)).reported.at(-1)).toEqual({ done: 3, total: 3 });
});
