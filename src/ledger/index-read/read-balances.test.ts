import { describe, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { addressFromBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { idFromBytes, zeroId } from '../../base/bytes/id.ts';
import { chainTables } from '../index/chain-tables.ts';
import { createTable } from '../index/ddl.ts';
import type { Sql, SqlValue } from '../index/sql.ts';
import { indexTablesOf } from '../index/tables.ts';
import { amountToBytes, partToBytes } from '../state/balance.ts';
import { tablesOf } from '../state/schema.ts';
import { encodeStoredUtxo } from '../state/stored-utxo.ts';
import { memoryPath } from '../store/database.ts';
import type { UtxoQuery } from './index-reads.ts';
import { createBalanceReads } from './read-balances.ts';
import type { StoredPinnedOutput } from './read-outputs.ts';
import { queryRunnerOn } from './read-runner.ts';
import type { ListedOutputs } from './read-utxos.ts';

const tables = { ...tablesOf(7), ...indexTablesOf(7) };
const pin = { height: 10, id: zeroId, time: 0, lastTx: 0 };
const now = 300;
const noUtxos = { listNow: () => [][Symbol.iterator]() as never };

const owners = Array.from({ length: 20 }, (_, i) => Buffer.alloc(20, i + 1));
const assets = [1, 2].map((byte) => Buffer.alloc(32, byte));

/** A row of the balance table; `amount` is what it adds to the sum at the pinned height. */
type TestRow = { readonly asset: Buffer; readonly locktime: number; readonly amount: bigint; readonly values: SqlValue[] };

/** Rows of all outputs and of i % 9 lock times of each asset for owner i. Some keys have several rows, some are spent, some start after the pinned height. */
function* rows(): Iterable<TestRow> {
  for (const [i, owner] of owners.entries())
    for (const asset of assets)
      for (let at = 0; at <= i % 9; at++) {
        const locktime = at * 100;
        const row = (height: number, amount: bigint, count: number) => ({
          asset,
          locktime,
          amount: height <= pin.height ? amount : 0n,
          values: [owner, asset, partToBytes(BigInt(locktime)), height, amountToBytes(amount), count, 0],
        });
        if (at === 0) {
          yield { ...row(4, 20_000_000n, 99), amount: 0n };
          yield row(10, 10_000_000n, 100);
          yield row(11, 1n, 1);
        } else if (at % 4 === 1) yield row(11, 1_000_000n, 1);
        else if (at % 4 === 2) yield row(10, 0n, 0);
        else {
          yield { ...row(3, 999_999n, 9), amount: 0n };
          yield row(9, BigInt(i * 10 + at + 1), 1);
          yield row(12, 5_000_000n, 1);
        }
      }
}

async function expectSums(sql: Sql): Promise<void> {
  for (const statement of createTable(sql.dialect, tables.balance, chainTables.balance)) await sql.all(statement, []);
  const expected = new Map<string, bigint>();
  for (const { asset, locktime, amount, values } of rows()) {
    await sql.all(`INSERT INTO ${tables.balance} VALUES (?, ?, ?, ?, ?, ?, ?)`, values);
    // The row of all outputs (lock time 0) includes those of every lock time.
    const add = (isLocked: boolean, sum: bigint): void => {
      const key = `${idFromBytes(asset)} ${isLocked}`;
      expected.set(key, (expected.get(key) ?? 0n) + sum);
    };
    if (locktime === 0) add(false, amount);
    if (locktime > now && amount > 0n) {
      add(true, amount);
      add(false, -amount);
    }
  }
  for (const rowsPerPage of [1, 2, 3, 5, 512]) {
    const { singleOwner } = createBalanceReads(tables, noUtxos, sql.dialect, { rowsPerPage });
    const found = await queryRunnerOn(sql)(() => singleOwner(owners.map(addressFromBytes), pin, now));
    expect(new Map(found.map(({ asset, isLocked, amount }) => [`${asset} ${isLocked}`, amount]))).toEqual(expected);
  }
}

describe('sums of many assets and lock times do not depend on the page size', () => {
  test('SQLite', async () => {
    const db = openDatabase(memoryPath, { readonly: false });
    await expectSums({
      dialect: 'sqlite',
      all: <Row>(text: string, values: readonly SqlValue[]) => db.prepare<Row>(text).all(...values),
      read: (work) => work(),
    });
    db.close();
  });

  const server = process.env.SERAC_TEST_POSTGRES;
  if (server === undefined) test.skip('PostgreSQL: skipped: SERAC_TEST_POSTGRES is not set', () => {});
  else
    test('PostgreSQL', async () => {
      const sql = openPostgres({ url: server, max: 1 });
      const schema = `balances_${process.pid}`;
      await sql.all(`CREATE SCHEMA ${schema}`, []);
      await sql.all(`SET search_path TO ${schema}`, []);
      try {
        await expectSums(sql);
      } finally {
        await sql.all(`DROP SCHEMA ${schema} CASCADE`, []);
        await sql.close();
      }
    });
});

test('on SQLite one row of each asset and lock time is read, and one more if it is newer than the block, however long their histories are', () => {
  const all = [...rows()];
  const keys = new Set(all.map(({ asset, locktime, values }) => `${toHex(values[0] as Uint8Array)} ${idFromBytes(asset)} ${locktime}`));
  const db = openDatabase(memoryPath, { readonly: false });
  for (const statement of createTable('sqlite', tables.balance, chainTables.balance)) db.exec(statement);
  for (const { values } of all) db.prepare(`INSERT INTO ${tables.balance} VALUES (?, ?, ?, ?, ?, ?, ?)`).run(...values);
  const steps = createBalanceReads(tables, noUtxos, 'sqlite').singleOwner(owners.map(addressFromBytes), pin, now);
  let read = 0;
  for (let step = steps.next(); step.done !== true; ) {
    const [query, ...others] = step.value;
    expect(others).toEqual([]);
    // A recursive query takes twice the time.
    expect(query?.text).not.toContain('RECURSIVE');
    const found = db.prepare<object>(query?.text ?? '').all(...(query?.values ?? []));
    read += found.length;
    step = steps.next([found]);
  }
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(2 * keys.size);
  db.close();
});

test('SQLite reads an asset of an address with one query, and none to find that there is no further one', () => {
  const db = openDatabase(memoryPath, { readonly: false });
  for (const statement of createTable('sqlite', tables.balance, chainTables.balance)) db.exec(statement);
  const [owner, another] = owners as [Buffer, Buffer];
  const insert = db.prepare(`INSERT INTO ${tables.balance} VALUES (?, ?, ?, ?, ?, ?, ?)`);
  for (const asset of assets) insert.run(owner, asset, partToBytes(0n), 4, amountToBytes(5n), 1, 0);
  // Only shares of an output: the first asset has no row of the part that comes first.
  insert.run(another, assets[0] as Buffer, partToBytes(-1n), 4, amountToBytes(5n), 1, 0);
  const { singleOwner } = createBalanceReads(tables, noUtxos, 'sqlite');
  const run = (address: Buffer) => {
    let queries = 0;
    const steps = singleOwner([addressFromBytes(address)], pin, now);
    for (let step = steps.next(); ; ) {
      if (step.done) return { queries, amounts: step.value.map(({ amount }) => amount) };
      queries += step.value.length;
      step = steps.next(step.value.map(({ text, values }) => db.prepare(text).all(...values)));
    }
  };
  expect(run(owner)).toEqual({ queries: 2, amounts: [5n, 5n] });
  expect(run(another)).toEqual({ queries: 2, amounts: [] });
  db.close();
});

test('multi-owner outputs are summed a page at a time, so that a million of them are never in memory', () => {
  const output = {
    kind: 'secp256k1fx.TransferOutput',
    amount: 7n,
    locktime: 0n,
    threshold: 1,
    addresses: owners.slice(0, 2).map(addressFromBytes),
  } as const;
  const stored = encodeStoredUtxo(makeUtxo(zeroId, 0, idFromBytes(assets[0] as Buffer), output));
  const total = 2500;
  const limits: number[] = [];
  const listNow = function* ({ after = total + 1, limit }: UtxoQuery) {
    limits.push(limit);
    const count = Math.min(limit, after - 1);
    const outputs = Array.from({ length: count }, (_, i) => ({ seq: after - 1 - i, stored }) as StoredPinnedOutput);
    return {
      outputs,
      // biome-ignore lint/correctness/useYield: a result without a query.
      asPinned: function* () {
        return { outputs, readTo: undefined };
      },
    };
  };
  const { sumOthers } = createBalanceReads(tables, { listNow } as never, 'postgres');
  const query = { limit: 1024 } as UtxoQuery;
  const steps = sumOthers(owners.map(addressFromBytes), pin, now, listNow(query).next().value as ListedOutputs);
  const { done, value } = steps.next();
  expect({ done, value }).toMatchObject({ done: true, value: [{ amount: 7n * BigInt(total), count: total, isLocked: false }] });
  expect(limits).toEqual([1024, 1024, 1024]);
});
