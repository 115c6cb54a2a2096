import { idText } from '../../base/bytes/id.ts';
import { runInWrite } from '../../ledger/index/query-runner.ts';
import type { SqlValue, WritableSql } from '../../ledger/index/sql.ts';
import { migrateTableSet } from '../../ledger/index/table-set.ts';
import type { Queries } from '../../ledger/store/queries.ts';
import { addAttempts, readAttempts, readWanted } from './attempt-store.ts';
import type { Attempt, DeliveryState, Webhook, WebhookSettings } from './webhook.ts';
import {
  type DeliveryRow,
  settingColumns,
  settingValues,
  stateColumns,
  stateOf,
  stateValues,
  type WebhookRow,
  webhookOf,
  webhookTables,
} from './webhook-tables.ts';

/**
 * Storage of webhooks in SQLite or PostgreSQL. Any process may manage them; one delivers. It finds changes of the others by `revision`, which
 * rises with every change.
 */
export type WebhookStore = {
  /**
   * Returns false, and adds nothing, if there are `max` webhooks already; for a webhook of an API key also if there are `maxOfKeys` of all keys, or
   * `maxOfKey` of this one.
   */
  readonly add: (webhook: Omit<Webhook, 'number' | 'revision'>, position: string, limits: WebhookCounts) => Promise<boolean>;
  readonly find: (id: string) => Promise<StoredWebhook | undefined>;
  /** Webhooks with a higher number than `after`, in order; `filter` selects some. */
  readonly list: (after: number, limit: number, filter?: ListFilter) => Promise<readonly StoredWebhook[]>;
  /** Changes the settings. Returns the changed webhook; undefined if there is none. `change` may run again if another process was faster. */
  readonly update: (id: string, change: (webhook: Webhook) => WebhookSettings) => Promise<Webhook | undefined>;
  /** Forgets failed attempts, so that a webhook that is started again has its full time. */
  readonly forgetFailures: (id: string) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
  readonly revision: () => Promise<number>;
  /** The IDs of all webhooks, and those that were changed after a revision. */
  readonly changedSince: (revision: number) => Promise<{ readonly ids: readonly string[]; readonly changed: readonly StoredWebhook[] }>;
  /** Stores how far deliveries are, and the attempts since. */
  readonly saveStates: (states: ReadonlyMap<string, DeliveryState>, attempts?: ReadonlyMap<string, readonly Attempt[]>) => Promise<void>;
  /** The last attempts of a webhook, newest first. */
  readonly attempts: (id: string) => Promise<readonly StoredAttempt[]>;
  /** Asks the deliverer to send the message of an attempt again. */
  readonly wantAgain: (id: string, number: number) => Promise<void>;
  /** The attempts that shall be sent again, each once. */
  readonly takeWanted: () => Promise<readonly (StoredAttempt & { readonly webhookID: string })[]>;
};

type WebhookCounts = { readonly max: number; readonly maxOfKeys: number; readonly maxOfKey: number };
type ListFilter = { readonly isActive?: boolean | undefined; readonly owner?: string | undefined };

export type StoredAttempt = Attempt & { readonly number: number };

export type StoredWebhook = { readonly webhook: Webhook; readonly state: DeliveryState };

/** Creates or migrates the tables. In PostgreSQL only `serac index` does, which holds a lock. */
export async function prepareWebhookTables(sql: WritableSql): Promise<void> {
  await sql.write((tx) => runInWrite(tx, migrateTableSet(webhookTables, tx.dialect)));
}

export function createWebhookStore(sql: WritableSql): WebhookStore {
  const select = async (condition: string, values: readonly SqlValue[]): Promise<StoredWebhook[]> => {
    const rows = await sql.all<WebhookRow & DeliveryRow>(
      `SELECT * FROM webhook JOIN webhook_delivery ON webhook_delivery.webhook = webhook.id ${condition}`,
      values,
    );
    return rows.map((row) => ({ webhook: webhookOf(row), state: stateOf(row) }));
  };
  const find = async (id: string): Promise<StoredWebhook | undefined> => (await select('WHERE id = ?', [id]))[0];
  const readRevision = async (): Promise<number> => {
    const [row] = await sql.all<{ revision: number }>('SELECT revision FROM webhook_meta', []);
    return row?.revision ?? 0;
  };

  return {
    add: async (webhook, position, { max, maxOfKeys, maxOfKey }) => {
      const { owner } = webhook;
      const hasRoom =
        owner === undefined
          ? ''
          : `AND (SELECT count(*) FROM webhook WHERE owner <> '') < ${maxOfKeys} AND (SELECT count(*) FROM webhook WHERE owner = ?) < ${maxOfKey}`;
      const rows = await runAll(sql, [
        raiseRevision,
        [
          `INSERT INTO webhook(id, chain, owner, created, number, revision, ${settingColumns.join(', ')})
           SELECT ?, ?, ?, ${bigint(webhook.created)}, (SELECT coalesce(max(number), 0) + 1 FROM webhook), revision, ${settingColumns.map((column) => (column === 'active' ? 'CAST(? AS BIGINT)' : '?')).join(', ')}
           FROM webhook_meta WHERE (SELECT count(*) FROM webhook) < ${max} ${hasRoom}`,
          [webhook.id, idText(webhook.chainID), owner ?? '', ...settingValues(webhook), ...(owner === undefined ? [] : [owner])],
        ],
        [
          'INSERT INTO webhook_delivery(webhook, position, delivered, failed_attempts) SELECT id, ?, 0, 0 FROM webhook WHERE id = ? RETURNING webhook',
          [position, webhook.id],
        ],
      ]);
      return rows.length > 0;
    },
    find,
    list: (after, limit, { isActive, owner } = {}) =>
      select(
        `WHERE number > ? ${isActive === undefined ? '' : `AND active = ${isActive ? 1 : 0}`} ${owner === undefined ? '' : 'AND owner = ?'} ORDER BY number LIMIT ${Math.floor(limit)}`,
        [after, ...(owner === undefined ? [] : [owner])],
      ),
    update: async (id, change) => {
      for (;;) {
        const found = await find(id);
        if (found === undefined) return undefined;
        const changed = { ...found.webhook, ...change(found.webhook) };
        const rows = await runAll<{ revision: number }>(sql, [
          raiseRevision,
          [
            `UPDATE webhook SET revision = (SELECT revision FROM webhook_meta), ${settingColumns.map((column) => `${column} = ?`).join(', ')}
             WHERE id = ? AND revision = ? RETURNING revision`,
            [...settingValues(changed), id, found.webhook.revision],
          ],
        ]);
        if (rows[0] !== undefined) return { ...changed, revision: rows[0].revision };
      }
    },
    forgetFailures: async (id) => {
      await runAll(sql, [
        ['UPDATE webhook_delivery SET failed_attempts = 0, failing_since = NULL, last_error = NULL WHERE webhook = ?', [id]],
      ]);
    },
    remove: async (id) => {
      await runAll(sql, [
        raiseRevision,
        ['DELETE FROM webhook WHERE id = ?', [id]],
        ['DELETE FROM webhook_delivery WHERE webhook = ?', [id]],
        ['DELETE FROM webhook_attempt WHERE webhook = ?', [id]],
      ]);
    },
    revision: readRevision,
    changedSince: async (revision) => ({
      ids: (await sql.all<{ id: string }>('SELECT id FROM webhook', [])).map(({ id }) => id),
      changed: await select('WHERE revision > ? ORDER BY number', [revision]),
    }),
    saveStates: async (states, attempts = new Map()) => {
      await runAll(sql, [
        ...[...states].map(
          ([id, state]): Statement => [
            `UPDATE webhook_delivery SET ${stateColumns.map((column) => `${column} = ?`).join(', ')} WHERE webhook = ?`,
            [...stateValues(state), id],
          ],
        ),
        ...[...attempts].flatMap(([id, added]) => addAttempts(id, added)),
      ]);
    },
    attempts: (id) => readAttempts(sql, id),
    wantAgain: async (id, number) => {
      await runAll(sql, [raiseRevision, ['UPDATE webhook_attempt SET wanted = 1 WHERE webhook = ? AND number = ?', [id, number]]]);
    },
    takeWanted: async () => {
      const wanted = await readWanted(sql);
      if (wanted.length > 0)
        await runAll(
          sql,
          wanted.map(
            ({ webhookID, number }): Statement => [
              'UPDATE webhook_attempt SET wanted = 0 WHERE webhook = ? AND number = ?',
              [webhookID, number],
            ],
          ),
        );
      return wanted;
    },
  };
}

type Statement = readonly [text: string, values: readonly SqlValue[]];

const raiseRevision: Statement = ['UPDATE webhook_meta SET revision = revision + 1', []];

/** A number that is known to be an integer, where a value would have no type in PostgreSQL. */
const bigint = (value: number): string => `CAST(${Math.floor(value)} AS BIGINT)`;

/** Runs statements in one transaction and returns the rows of the last. SQLite runs all of them before this returns. */
const runAll = async <Row>(sql: WritableSql, statements: readonly Statement[]): Promise<readonly Row[]> =>
  statements.length === 0 ? [] : sql.write((tx) => runInWrite(tx, rowsOfLast<Row>(statements)));

function* rowsOfLast<Row>(statements: readonly Statement[]): Queries<readonly Row[]> {
  let rows: readonly unknown[] = [];
  for (const [text, values] of statements) [rows = []] = yield [{ text, values }];
  return rows as readonly Row[];
}
