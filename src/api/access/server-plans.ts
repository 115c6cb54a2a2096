import type { WritableSql } from '../../ledger/index/sql.ts';
import { defaultPlans, type Plans } from './plans.ts';
import type { Limits } from './rate-limit.ts';

/**
 * The plans of the node that was last started on a data directory. Stored next to its keys, so that `serac keys create` can print the limits.
 * `serac api` writes nothing to its database, so there they are not stored.
 */
type ServerPlans = {
  /** Whether that server counts requests. */
  readonly counted: boolean;
  readonly keyed: readonly (readonly [plan: string, limits: Limits])[];
};

/** Stores the plans of a server that is starting. Writes only if they have changed, so every process of a server may call it. */
export async function recordServerPlans(sql: WritableSql, { data }: Plans, counted: boolean): Promise<void> {
  const text = JSON.stringify({ counted, keyed: [...data.keyed] } satisfies ServerPlans);
  if ((await readRecorded(sql)) === text) return;
  await sql.write((tx) => tx.all('CREATE TABLE IF NOT EXISTS plans_in_use(api TEXT PRIMARY KEY, plans TEXT NOT NULL)', []));
  const put = `INSERT INTO plans_in_use VALUES ('data', ?) ON CONFLICT (api) DO UPDATE SET plans = excluded.plans`;
  await sql.write((tx) => tx.all(put, [text]));
}

/** Returns undefined if no server was started on this database yet. */
export async function readServerPlans(sql: WritableSql): Promise<ServerPlans | undefined> {
  const text = await readRecorded(sql);
  return text === undefined ? undefined : (JSON.parse(text) as ServerPlans);
}

/** The default plans, with the plans for keys replaced by those of a server. */
export const plansOfServer = ({ keyed }: ServerPlans): Plans => ({
  ...defaultPlans,
  data: { ...defaultPlans.data, keyed: new Map(keyed) },
});

async function readRecorded(sql: WritableSql): Promise<string | undefined> {
  const tables = await sql.all(`SELECT name FROM sqlite_schema WHERE name = 'plans_in_use'`, []);
  if (tables.length === 0) return undefined;
  const [row] = await sql.all<{ plans: string }>(`SELECT plans FROM plans_in_use WHERE api = 'data'`, []);
  return row?.plans;
}
