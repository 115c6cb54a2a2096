import { andThen, type MaybePromise } from '../../base/timing/promise.ts';
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
export const recordServerPlans = (sql: WritableSql, { data }: Plans, counted: boolean): MaybePromise<void> => {
  const text = JSON.stringify({ counted, keyed: [...data.keyed] } satisfies ServerPlans);
  const put = `INSERT INTO plans_in_use VALUES ('data', ?) ON CONFLICT (api) DO UPDATE SET plans = excluded.plans`;
  return andThen(readRecorded(sql), (before) => {
    if (before === text) return;
    return andThen(createTable(sql), () =>
      andThen(
        sql.write((tx) => tx.all(put, [text])),
        () => undefined,
      ),
    );
  });
};

/** Returns undefined if no server was started on this database yet. */
export const readServerPlans = (sql: WritableSql): MaybePromise<ServerPlans | undefined> =>
  andThen(readRecorded(sql), (text) => (text === undefined ? undefined : (JSON.parse(text) as ServerPlans)));

/** The default plans, with the plans for keys replaced by those of a server. */
export const plansOfServer = ({ keyed }: ServerPlans): Plans => ({
  ...defaultPlans,
  data: { ...defaultPlans.data, keyed: new Map(keyed) },
});

const readRecorded = (sql: WritableSql): MaybePromise<string | undefined> =>
  andThen(tableExists(sql), (exists) => {
    if (!exists) return undefined;
    return andThen(sql.all<{ plans: string }>(`SELECT plans FROM plans_in_use WHERE api = 'data'`, []), ([row]) => row?.plans);
  });

const tableExists = (sql: WritableSql): MaybePromise<boolean> =>
  andThen(sql.all(`SELECT name FROM sqlite_schema WHERE name = 'plans_in_use'`, []), (rows) => rows.length > 0);

const createTable = (sql: WritableSql): MaybePromise<unknown> =>
  sql.write((tx) => tx.all('CREATE TABLE IF NOT EXISTS plans_in_use(api TEXT PRIMARY KEY, plans TEXT NOT NULL)', []));
