import type { WritableSql } from '../index/sql.ts';
import { after, type Eventual } from './eventual.ts';
import { defaultPlans, type Plans } from './plans.ts';
import type { Limits } from './window.ts';

/** The plans of the server that started last on a database, kept beside its keys: `serac keys create` tells what that server will allow. */
export type PlansInUse = {
  /** Whether it counts requests at all. */
  readonly counted: boolean;
  readonly keyed: readonly (readonly [plan: string, limits: Limits])[];
};

/** Writes only what is new: every process of a server may call it. */
export const recordPlans = (sql: WritableSql, { data }: Plans, counted: boolean): Eventual<void> => {
  const text = JSON.stringify({ counted, keyed: [...data.keyed] } satisfies PlansInUse);
  const put = `INSERT INTO plans_in_use VALUES ('data', ?) ON CONFLICT (api) DO UPDATE SET plans = excluded.plans`;
  return after(recorded(sql), (before) => {
    if (before === text) return;
    return after(createTable(sql), () =>
      after(
        sql.write((tx) => tx.all(put, [text])),
        () => undefined,
      ),
    );
  });
};

/** Undefined: no server has started there yet. */
export const plansInUse = (sql: WritableSql): Eventual<PlansInUse | undefined> =>
  after(recorded(sql), (text) => (text === undefined ? undefined : (JSON.parse(text) as PlansInUse)));

/** The default plans with those of a server in place of the ones for keys. */
export const withPlans = ({ keyed }: PlansInUse): Plans => ({ ...defaultPlans, data: { ...defaultPlans.data, keyed: new Map(keyed) } });

const recorded = (sql: WritableSql): Eventual<string | undefined> =>
  after(isMade(sql), (made) => {
    if (!made) return undefined;
    return after(sql.all<{ plans: string }>(`SELECT plans FROM plans_in_use WHERE api = 'data'`, []), ([row]) => row?.plans);
  });

const isMade = (sql: WritableSql): Eventual<boolean> =>
  after(sql.all<{ name: string | null }>(tableNamed[sql.dialect], []), ([row]) => row?.name != null);

const tableNamed = {
  sqlite: `SELECT name FROM sqlite_schema WHERE name = 'plans_in_use'`,
  postgres: `SELECT CAST(to_regclass('plans_in_use') AS TEXT) AS name`,
} as const;

const table = 'CREATE TABLE IF NOT EXISTS plans_in_use(api TEXT PRIMARY KEY, plans TEXT NOT NULL)';

/** Any number that other locks of ours do not use. PostgreSQL's IF NOT EXISTS fails when two processes make the same table at once. */
const tableLock = 0x706c616e;

const createTable = (sql: WritableSql): Eventual<unknown> =>
  sql.dialect === 'sqlite'
    ? sql.write((tx) => tx.all(table, []))
    : sql.write(async (tx) => {
        await tx.all(`SELECT pg_advisory_xact_lock(${tableLock})`, []);
        await tx.all(table, []);
      });
