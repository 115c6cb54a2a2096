import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { defaultPlans, type Plans } from './plans.ts';
import { plansOfServer, readServerPlans, recordServerPlans } from './server-plans.ts';
import { openSharedFile } from './shared-file.ts';

const customPlans: Plans = { ...defaultPlans, data: { ...defaultPlans.data, keyed: new Map([['partner', { perMinute: 7, perDay: 70 }]]) } };

test('stores the plans of the server that was last started', async () => {
  const sql = openSharedFile(openDatabase, ':memory:');
  expect(await readServerPlans(sql)).toBeUndefined();
  await recordServerPlans(sql, defaultPlans, false);
  expect(await readServerPlans(sql)).toEqual({ counted: false, keyed: [...defaultPlans.data.keyed] });
  await Promise.all([recordServerPlans(sql, customPlans, true), recordServerPlans(sql, customPlans, true)]);
  const inUse = await readServerPlans(sql);
  expect(inUse).toEqual({ counted: true, keyed: [['partner', { perMinute: 7, perDay: 70 }]] });
  expect(inUse && plansOfServer(inUse).data.keyed).toEqual(customPlans.data.keyed);
  sql.close();
});
