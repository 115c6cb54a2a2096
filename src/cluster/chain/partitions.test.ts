import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Sql, SqlValue } from '../../ledger/index/sql.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import type { IndexedTestChain } from '../../ledger/index-sqlite/indexed-chains.fixture.ts';
import { outputsPerTx } from '../../ledger/state/output-number.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { joinStatements } from '../postgres/statement-joiner.ts';
import { openPartitions, partitionedTables, verifyPartitions } from './partitions.ts';
import { type PostgresTestChain, withPostgresChain } from './test-database.fixture.ts';

const server = process.env.SERAC_TEST_POSTGRES;
const partitionSize = 16;

type Plan = { readonly 'Relation Name'?: string; readonly 'Actual Loops': number; readonly Plans?: readonly Plan[] };

/** The tables that a plan has read, not only named. */
const tablesIn = ({ 'Relation Name': name, 'Actual Loops': loops, Plans = [] }: Plan): string[] =>
  loops === 0 ? [] : [...(name === undefined ? [] : [name]), ...Plans.flatMap(tablesIn)];

const literalOf = (value: SqlValue): string =>
  typeof value === 'number' ? String(value) : `'${value instanceof Uint8Array ? `\\x${toHex(value)}` : value}'`;

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  /** Runs work on a chain of 60 blocks in a database of its own. */
  const withChain = (work: (open: () => Postgres, chain: IndexedTestChain, grow: PostgresTestChain['grow']) => Promise<void>) =>
    withPostgresChain(server as string, { seed: 71, partitionSize }, async ({ open, chain, grow }) => {
      await grow(60);
      await work(open, chain, grow);
    });

  const partitionsOf = async (sql: Sql, table: string): Promise<string[]> =>
    (
      await sql.all<{ name: string }>(
        `SELECT CAST(c.relname AS text) AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass(?)`,
        [table],
      )
    ).map(({ name }) => name);

  test('a page of recent transactions, a transaction and a block read the partitions that have them', () =>
    withChain(async (open, { spec, state }) => {
      const sql = open();
      const asked: { text: string; values: readonly SqlValue[] }[] = [];
      const recording: Sql = {
        dialect: 'postgres',
        all: (text, values) => {
          asked.push({ text, values });
          return sql.all(text, values);
        },
      };
      // As `serac api`: its statements are planned once, without their values.
      const reads = openReads(
        joinStatements(recording, (run) => void setImmediate(run)),
        spec,
      );
      const all = (await Promise.all(partitionedTables(spec.number).map(({ name }) => partitionsOf(sql, name)))).flat();
      /** The partitions that the queries of a read have read, of each table. */
      const partitionsRead = async (read: () => Promise<unknown>, isCounted = (_: string) => true): Promise<string[]> => {
        asked.length = 0;
        await read();
        const found = new Set<string>();
        for (const { text, values } of asked.splice(0).filter((one) => isCounted(one.text))) {
          let count = 0;
          await sql.all(`PREPARE asked AS ${text.replace(/\?/g, () => `$${++count}`)}`, []);
          const execute = values.length === 0 ? 'EXECUTE asked' : `EXECUTE asked(${values.map(literalOf).join()})`;
          const [row] = await sql.all<{ 'QUERY PLAN': [{ Plan: Plan }] | string }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`, []);
          await sql.all('DEALLOCATE asked', []);
          const plan = row?.['QUERY PLAN'] ?? '[]';
          const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: Plan }];
          for (const name of tablesIn(Plan)) if (all.includes(name)) found.add(name);
        }
        return [...found].sort();
      };
      const pin = await reads.tip();
      expect(pin.height).toBe(60);
      const txPartitions = await partitionsOf(sql, 'c1_tx');
      expect(txPartitions.length).toBeGreaterThanOrEqual(5);
      const nameOf = (table: string, number: number) => `${table}_${Math.floor(number / partitionSize) * partitionSize}`;
      const times = { from: undefined, to: undefined };
      const query = { pin, subjects: undefined, kinds: undefined, times, after: undefined, order: 'desc', limit: 5 } as const;
      let seqs: number[] = [];
      const page = await partitionsRead(async () => {
        seqs = await reads.txSeqs(query);
      });
      expect(seqs).toHaveLength(5);
      expect(page).toEqual([]);
      // The transactions of an address, the oldest ones: those partitions, and those of the transactions that spent their outputs.
      const [owner] = (await reads.txs([pin.lastTx], pin))[0]?.emitted[0]?.utxo.output.addresses ?? [];
      const ofOwner = await reads.txSeqs({ ...query, subjects: [{ address: owner as Address }], order: 'asc' });
      // A transaction with an ID may be in any partition.
      const isByNumber = (text: string) => !/\bid = /.test(text);
      const listed = await partitionsRead(() => reads.txs(ofOwner, pin), isByNumber);
      const spends = await sql.all<{ tx: number }>(`SELECT tx FROM c1_spend WHERE utxo / ${outputsPerTx} IN (${ofOwner.join()})`, []);
      const expected = new Set([...ofOwner, ...spends.map(({ tx }) => tx)].map((seq) => nameOf('c1_tx', seq)));
      expect(ofOwner.length).toBeGreaterThan(2);
      expect(expected.size).toBeLessThan(txPartitions.length);
      expect(listed.filter((name) => name.startsWith('c1_tx_'))).toEqual([...expected].sort());
      // A transaction by number, with its block; its inputs and outputs are in few others.
      const [seq = 0] = seqs;
      const one = await partitionsRead(() => reads.txs([seq], pin));
      expect(one.filter((name) => name.startsWith('c1_block_') && !name.includes('tx_ids'))).toEqual([nameOf('c1_block', 60)]);
      expect(one.filter((name) => name.startsWith('c1_tx_')).length).toBeLessThan(txPartitions.length / 2);
      const block = await partitionsRead(() => reads.block({ height: 40 }));
      expect(block.filter((name) => name.startsWith('c1_block_') && !name.includes('tx_ids'))).toEqual([nameOf('c1_block', 40)]);
      expect(block.filter((name) => name.startsWith('c1_tx_')).length).toBeLessThanOrEqual(2);
      // A recent transaction by its ID: partitions are searched from the newest on.
      const newest = state.lastAccepted();
      const [last] = (await reads.txs([pin.lastTx], pin)) ?? [];
      expect(newest.height).toBe(60n);
      const byId = await partitionsRead(() => reads.txSeq(toHex(last?.tx.id as Uint8Array) as Id, pin));
      expect(byId.filter((name) => name.startsWith('c1_tx_')).length).toBeLessThanOrEqual(2);
    }));

  test('partitions are created ahead while transactions read the tables, and the size of new ones may change', () =>
    withChain(async (open, _, grow) => {
      const reader = open();
      const before = await partitionsOf(reader, 'c1_tx');
      await reader.write(async (tx) => {
        for (const { name } of partitionedTables(1)) await tx.all(`SELECT count(*) AS n FROM ${name}`, []);
        // The indexer creates partitions although this transaction still has locks on the tables; the transaction then sees the new ones.
        await grow(40);
        expect((await partitionsOf(tx, 'c1_tx')).length).toBeGreaterThan(before.length);
        const [row] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM c1_block', []);
        expect(Number(row?.n)).toBe(101);
      });
      const sql = open();
      await openPartitions(sql, 1, 1000).createAhead({ tx: 2000, height: 100 });
      await verifyPartitions(sql, 1);
      const [last] = await sql.all<{ seq: number }>('SELECT max(seq) AS seq FROM c1_tx', []);
      await grow(5);
      const [after] = await sql.all<{ seq: number }>('SELECT max(seq) AS seq FROM c1_tx', []);
      expect(Number(after?.seq)).toBeGreaterThan(Number(last?.seq));
    }));

  test('a lock on a table delays only the partition that is created ahead; a detached range is reported with its remedy', () =>
    withChain(async (open, _, grow) => {
      const [sql, operator] = [open(), open()];
      await sql.all('SELECT 1 AS one', []);
      const before = (await partitionsOf(sql, 'c1_block')).length;
      expect(before).toBe(5);
      await operator.write(async (tx) => {
        await tx.all('LOCK TABLE c1_block IN SHARE UPDATE EXCLUSIVE MODE', []);
        await grow(17);
        expect((await partitionsOf(sql, 'c1_block')).length).toBe(before);
      });
      await grow(1);
      expect((await partitionsOf(sql, 'c1_block')).length).toBe(before + 1);
      await sql.all(`ALTER TABLE c1_tx DETACH PARTITION c1_tx_${partitionSize}`, []);
      const fault = await verifyPartitions(sql, 1).catch((error: unknown) => error as Error);
      expect(fault as unknown).toMatchObject({ fault: { code: 'INDEX_DETACHED_RANGE', table: 'c1_tx', from: 16, to: 32 } });
      expect(String(fault?.message)).toContain('attach c1_tx_16 again');
      const attach = `ALTER TABLE c1_tx ATTACH PARTITION c1_tx_16 FOR VALUES FROM (16) TO (32)`;
      await sql.all(attach, []);
      await verifyPartitions(sql, 1);
      // The first range too, which has no lower bound.
      await sql.all('ALTER TABLE c1_spend DETACH PARTITION c1_spend_0', []);
      const first = await verifyPartitions(sql, 1).catch((error: unknown) => error);
      expect(first).toMatchObject({ fault: { code: 'INDEX_DETACHED_RANGE', table: 'c1_spend', from: 0, to: 16 } });
    }));
});
