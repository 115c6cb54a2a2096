import { describe, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/database-bun.ts';
import { openPostgres } from '../../app/platform/postgres-bun.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import { openKeysFile } from './keys-file.ts';
import { defaultPlans, type Plans } from './plans.ts';
import { plansOfServer, readServerPlans, recordServerPlans } from './server-plans.ts';

const customPlans: Plans = { ...defaultPlans, data: { ...defaultPlans.data, keyed: new Map([['partner', { perMinute: 7, perDay: 70 }]]) } };

const testServerPlans = (name: string, withDatabase: (work: (sql: WritableSql) => Promise<void>) => Promise<void>) =>
  test(`${name}: stores the plans of the server that was last started`, () =>
    withDatabase(async (sql) => {
      expect(await readServerPlans(sql)).toBeUndefined();
      await recordServerPlans(sql, defaultPlans, false);
      expect(await readServerPlans(sql)).toEqual({ counted: false, keyed: [...defaultPlans.data.keyed] });
      await Promise.all([recordServerPlans(sql, customPlans, true), recordServerPlans(sql, customPlans, true)]);
      const inUse = await readServerPlans(sql);
      expect(inUse).toEqual({ counted: true, keyed: [['partner', { perMinute: 7, perDay: 70 }]] });
      expect(inUse && plansOfServer(inUse).data.keyed).toEqual(customPlans.data.keyed);
    }));

testServerPlans('SQLite', async (work) => {
  const sql = openKeysFile(openDatabase, ':memory:');
  await work(sql);
  sql.close();
});

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)('SERAC_TEST_POSTGRES', () =>
  testServerPlans('PostgreSQL', async (work) => {
    const admin = openPostgres({ url: server as string, max: 1 });
    const name = `serac_plans_${process.pid}`;
    await admin.all(`CREATE DATABASE ${name}`, []);
    const url = new URL(server as string);
    url.pathname = `/${name}`;
    const sql = openPostgres({ url: url.href, max: 2 });
    try {
      await work(sql);
    } finally {
      await sql.close();
      await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
      await admin.close();
    }
  }),
);
