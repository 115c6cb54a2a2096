import { describe, expect, test } from 'bun:test';
import { someOf } from '../../../test/random.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Sql } from '../index/sql.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import { assetChecks } from './asset-checks.fixture.ts';
import { blockChecks } from './block-checks.fixture.ts';
import type { IndexUnderTest } from './index-under-test.fixture.ts';
import { openExplorerReads } from './open-explorer-reads.ts';
import { openReads } from './open-reads.ts';
import { outputChecks } from './output-checks.fixture.ts';
import { openReadsChains } from './reads-chains.fixture.ts';
import { openPostgresReads, openSqliteReads } from './reads-databases.fixture.ts';

/** Compares the reads of the explorer routes with a scan of all transactions of random chains. */

const pauseAlways: LongWork = { begin: () => () => new Promise((resolve) => void setImmediate(resolve)) };
const server = process.env.SERAC_TEST_POSTGRES;

contract('SQLite', openSqliteReads, [41, 42, 43]);
contract('SQLite with pauses', (seed) => openSqliteReads(seed, pauseAlways), [44]);
if (server === undefined) test.skip('PostgreSQL: skipped, SERAC_TEST_POSTGRES is not set', () => {});
else contract('PostgreSQL', (seed) => openPostgresReads(server, seed), [45]);
const citus = process.env.SERAC_TEST_CITUS;
if (citus === undefined) test.skip('Citus: skipped, SERAC_TEST_CITUS is not set', () => {});
else contract('Citus', (seed) => openPostgresReads(citus, seed, undefined, 'citus'), [45]);

function contract(name: string, open: (seed: number) => Promise<IndexUnderTest>, seeds: readonly number[]): void {
  for (const seed of someOf(seeds))
    describe(`${name}, chain ${seed}`, () => {
      test('every read', async () => {
        const indexed = await open(seed);
        try {
          for (let i = 0; i < 60; i++) indexed.chains.step();
          await indexed.sync();
          for (const check of [...assetChecks, ...blockChecks, ...outputChecks]) await check(indexed, name);
        } finally {
          await indexed.close();
        }
      });
    });
}

test('holders and days of an asset are read through the database for slow reads, and nothing else is', async () => {
  const chains = openReadsChains(openDatabase, 46);
  try {
    for (let i = 0; i < 20; i++) chains.step();
    const sql = createSqliteSql(chains.store);
    let slow = 0;
    const all: Sql['all'] = (text, values) => {
      slow++;
      return sql.all(text, values);
    };
    const chain = { number: chains.number, id: chainID, feeAsset: chains.feeAsset };
    const explorer = openExplorerReads(sql, { ...chain, hasInbound: true }, undefined, { dialect: 'sqlite', all });
    const countSlow = async (work: Promise<unknown>): Promise<number> => {
      const before = slow;
      await work;
      return slow - before;
    };
    const pin = await openReads(sql, chain).tip();
    expect(await countSlow(explorer.createdAssets({ pin, order: 'asc', after: undefined, limit: 2 }))).toBe(0);
    expect(await countSlow(explorer.holders(chains.feeAsset, 0, 2))).toBeGreaterThan(0);
    expect(await countSlow(explorer.assetDays({ pin, asset: chains.feeAsset, days: [0], maxRows: 10 }))).toBeGreaterThan(0);
  } finally {
    chains.close();
  }
});
