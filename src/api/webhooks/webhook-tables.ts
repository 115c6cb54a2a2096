import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText, parseId } from '../../base/bytes/id.ts';
import type { SqlValue } from '../../ledger/index/sql.ts';
import type { TableSet } from '../../ledger/index/table-set.ts';
import { toQuery } from '../../ledger/store/queries.ts';
import type { Attempt, DeliveryState, Gap, Webhook, WebhookFilter, WebhookSettings } from './webhook.ts';

/**
 * The tables of webhooks, the same in SQLite and PostgreSQL. The deliverer writes webhook_delivery only, and those who manage webhooks write
 * webhook: neither overwrites the other.
 * webhook           what was set. keys: addresses in hex or IDs of assets, separated by commas. active: 0 or 1. owner: an API key; empty: the
 *                   operator.
 * webhook_delivery  how far its deliveries are.
 * webhook_attempt   the last requests to the receiver of a webhook, in the order of number. wanted: 1 if the message shall be sent again.
 * webhook_meta      one row. revision: rises with every change of `webhook`, so that the deliverer in another process sees it.
 */
const attemptTable = `CREATE TABLE IF NOT EXISTS webhook_attempt(
    webhook TEXT NOT NULL,
    number BIGINT NOT NULL,
    message TEXT NOT NULL,
    time BIGINT NOT NULL,
    duration BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    again BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    body TEXT,
    wanted BIGINT NOT NULL,
    PRIMARY KEY (webhook, number)
  )`;

const webhookSchema = [
  `CREATE TABLE IF NOT EXISTS webhook(
    id TEXT PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE,
    chain TEXT NOT NULL,
    owner TEXT NOT NULL,
    created BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    key_type TEXT NOT NULL,
    keys TEXT NOT NULL,
    active BIGINT NOT NULL,
    reason TEXT
  )`,
  `CREATE TABLE IF NOT EXISTS webhook_delivery(
    webhook TEXT PRIMARY KEY,
    position TEXT NOT NULL,
    delivered BIGINT NOT NULL,
    delivered_at BIGINT,
    failed_attempts BIGINT NOT NULL,
    failing_since BIGINT,
    last_error TEXT,
    gap TEXT
  )`,
  attemptTable,
  'CREATE TABLE IF NOT EXISTS webhook_meta(revision BIGINT NOT NULL)',
  'INSERT INTO webhook_meta(revision) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM webhook_meta)',
];

/** Version 2 added the owner: whoever has created a webhook before that is the operator. Version 3 added the attempts. */
export const webhookTables: TableSet = {
  name: 'webhooks',
  create: webhookSchema,
  upgrades: [
    function* () {
      yield [toQuery(`ALTER TABLE webhook ADD COLUMN owner TEXT NOT NULL DEFAULT ''`)];
    },
    function* () {
      yield [toQuery(attemptTable)];
    },
  ],
  addedColumn: { table: 'webhook', column: 'owner' },
};

export type WebhookRow = {
  readonly id: string;
  readonly number: number;
  readonly chain: string;
  readonly owner: string;
  readonly created: number;
  readonly revision: number;
  readonly url: string;
  readonly secret: string;
  readonly name: string;
  readonly description: string;
  readonly key_type: string;
  readonly keys: string;
  readonly active: number;
  readonly reason: string | null;
};

export type DeliveryRow = {
  readonly webhook: string;
  readonly position: string;
  readonly delivered: number;
  readonly delivered_at: number | null;
  readonly failed_attempts: number;
  readonly failing_since: number | null;
  readonly last_error: string | null;
  readonly gap: string | null;
};

/** The columns of the settings, in the order of `settingValues`. */
export const settingColumns = ['url', 'secret', 'name', 'description', 'key_type', 'keys', 'active', 'reason'] as const;

export const settingValues = ({ url, secret, name, description, filter, isActive, inactiveReason }: WebhookSettings): SqlValue[] => [
  url,
  secret,
  name,
  description,
  filter.keyType,
  (filter.keyType === 'addresses' ? filter.keys : filter.keys.map(idText)).join(','),
  isActive ? 1 : 0,
  inactiveReason ?? null,
];

export const webhookOf = ({ key_type, keys, active, reason, chain, owner, ...row }: WebhookRow): Webhook => ({
  id: row.id,
  number: row.number,
  created: row.created,
  revision: row.revision,
  url: row.url,
  secret: row.secret,
  name: row.name,
  description: row.description,
  chainID: parseId(chain),
  owner: owner === '' ? undefined : owner,
  filter: filterOf(key_type, keys.split(',')),
  isActive: active === 1,
  inactiveReason: reason ?? undefined,
});

const filterOf = (keyType: string, keys: readonly string[]): WebhookFilter =>
  keyType === 'addresses'
    ? { keyType, keys: keys as readonly Address[] }
    : { keyType: 'assets', keys: keys.map((text): Id => parseId(text)) };

/** The columns of the state, in the order of `stateValues`. */
export const stateColumns = ['position', 'delivered', 'delivered_at', 'failed_attempts', 'failing_since', 'last_error', 'gap'] as const;

export const stateValues = (state: DeliveryState): SqlValue[] => [
  state.position,
  state.delivered,
  state.deliveredAt ?? null,
  state.failedAttempts,
  state.failingSince ?? null,
  state.lastError ?? null,
  state.gap === undefined ? null : JSON.stringify(state.gap),
];

export const stateOf = (row: DeliveryRow): DeliveryState => ({
  position: row.position,
  delivered: row.delivered,
  deliveredAt: row.delivered_at ?? undefined,
  failedAttempts: row.failed_attempts,
  failingSince: row.failing_since ?? undefined,
  lastError: row.last_error ?? undefined,
  gap: row.gap === null ? undefined : (JSON.parse(row.gap) as Gap),
});

export type AttemptRow = {
  readonly number: number;
  readonly message: string;
  readonly time: number;
  readonly duration: number;
  readonly attempt: number;
  readonly again: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly body: string | null;
};

export const attemptOf = (row: AttemptRow): Attempt & { readonly number: number } => ({
  number: row.number,
  messageID: row.message,
  time: row.time,
  duration: row.duration,
  attempt: row.attempt,
  isSentAgain: row.again === 1,
  status: row.status ?? undefined,
  error: row.error ?? undefined,
  body: row.body ?? undefined,
});
