import { describe, expect, test } from 'bun:test';
import type { WritableSql } from '../index/sql.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import { openKeysFile } from './keys-file.ts';
import { defaultPlans, type Plans } from './plans.ts';
import { plansInUse, recordPlans, withPlans } from './plans-in-use.ts';

const own: Plans = { ...defaultPlans, data: { ...defaultPlans.data, keyed: new Map([['partner', { perMinute: 7, perDay: 70 }]]) } };

const contract = (name: string, within: (work: (sql: WritableSql) => Promise<void>) => Promise<void>) =>
  test(`${name}: the plans of the server that started last`, () =>
    within(async (sql) => {
      expect(await plansInUse(sql)).toBeUndefined();
      await recordPlans(sql, defaultPlans, false);
      expect(await plansInUse(sql)).toEqual({ counted: false, keyed: [...defaultPlans.data.keyed] });
      await Promise.all([recordPlans(sql, own, true), recordPlans(sql, own, true)]);
      const inUse = await plansInUse(sql);
      expect(inUse).toEqual({ counted: true, keyed: [['partner', { perMinute: 7, perDay: 70 }]] });
      expect(inUse && withPlans(inUse).data.keyed).toEqual(own.data.keyed);
    }));

contract('SQLite', async (work) => {
  const sql = openKeysFile(openDatabase, ':memory:');
  await work(sql);
  sql.close();
});

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)('with a server', () =>
  contract('PostgreSQL', async (work) => {
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
