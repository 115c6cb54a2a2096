import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import type { Address } from '../../base/bytes/address.ts';
import { idOf, idText } from '../../base/bytes/id.ts';
import type { Postgres } from '../../cluster/postgres/postgres.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import { openSharedFile } from '../access/shared-file.ts';
import type { Attempt, Webhook } from './webhook.ts';
import { createWebhookStore, prepareWebhookTables, type StoredWebhook, type WebhookStore } from './webhook-store.ts';

const url = process.env.SERAC_TEST_POSTGRES;
const address = (byte: number) => byte.toString(16).padStart(2, '0').repeat(20) as Address;

const newWebhook = (id: string, more: Partial<Webhook> = {}): Omit<Webhook, 'number' | 'revision'> => ({
  ...{
    id,
    url: 'https://example.org/',
    secret: 's',
    name: `Läden "ö" 'x'; --`,
    description: '',
    created: 5_000_000_000,
    chainID: idOf(Buffer.from('x')),
    owner: undefined,
  },
  filter: { keyType: 'addresses', keys: [address(1), address(2)] },
  isActive: true,
  inactiveReason: undefined,
  ...more,
});

const limits = { max: 2, maxOfKeys: 2, maxOfKey: 2 };

/** The same checks for every database. `another` is the same database as another process opens it. */
async function checkStore(sql: WritableSql, another: WritableSql): Promise<void> {
  await prepareWebhookTables(sql);
  await prepareWebhookTables(another);
  const [store, other] = [createWebhookStore(sql), createWebhookStore(another)];
  const assets = newWebhook('b', {
    filter: { keyType: 'assets', keys: [idOf(Buffer.from('asset'))] },
    inactiveReason: 'no',
    isActive: false,
  });
  expect(await store.add(newWebhook('a'), 'log-1', limits)).toBe(true);
  expect(await other.add(assets, 'log-2', limits)).toBe(true);
  expect(await store.add(newWebhook('c'), 'log-3', limits)).toBe(false);
  const [a, b] = (await store.list(0, 10)) as [StoredWebhook, StoredWebhook];
  expect(a.webhook).toEqual({ ...newWebhook('a'), number: 1, revision: 1 });
  expect(b.webhook).toEqual({ ...assets, number: 2, revision: 2 });
  expect(a.state).toEqual({
    position: 'log-1',
    delivered: 0,
    failedAttempts: 0,
    deliveredAt: undefined,
    failingSince: undefined,
    lastError: undefined,
    gap: undefined,
  });
  expect((await store.list(1, 10)).map(({ webhook }) => webhook.id)).toEqual(['b']);
  expect((await store.list(0, 10, { isActive: true })).map(({ webhook }) => webhook.id)).toEqual(['a']);
  expect(await store.find('zz')).toBeUndefined();

  // Changes of several processes at once are all made.
  await Promise.all(
    [3, 4, 5, 6].map((byte, i) =>
      (i % 2 === 0 ? store : other).update('a', (webhook) => ({
        ...webhook,
        filter: { keyType: 'addresses', keys: [...(webhook.filter.keys as Address[]), address(byte)] },
      })),
    ),
  );
  expect(new Set((await store.find('a'))?.webhook.filter.keys as Address[])).toEqual(new Set([1, 2, 3, 4, 5, 6].map(address)));
  expect(await store.update('zz', (webhook) => webhook)).toBeUndefined();

  // The deliverer sees what was changed, and its own writes change nothing else.
  const known = await other.revision();
  expect((await other.changedSince(known)).changed).toEqual([]);
  await store.update('b', (webhook) => ({ ...webhook, name: 'new' }));
  expect((await other.changedSince(known)).changed.map(({ webhook }) => webhook.name)).toEqual(['new']);
  const gap = { after: 'log-1', resumedAt: 'log-9', reason: 'lost', time: 5 };
  const state = { position: 'log-9', delivered: 7, deliveredAt: 8, failedAttempts: 2, failingSince: 9, lastError: 'down', gap };
  await other.saveStates(
    new Map([
      ['a', state],
      ['deleted', state],
    ]),
  );
  expect((await store.find('a'))?.state).toEqual(state);
  expect(await store.revision()).toBe((await other.find('b'))?.webhook.revision ?? 0);
  await store.forgetFailures('a');
  expect((await store.find('a'))?.state).toEqual({ ...state, failedAttempts: 0, failingSince: undefined, lastError: undefined });

  await store.remove('a');
  expect((await other.changedSince(known)).ids).toEqual(['b']);
  expect(await other.revision()).toBeGreaterThan(known + 1);
  expect(await store.add(newWebhook('d'), 'log-4', limits)).toBe(true);

  // Webhooks of an API key are counted by themselves too, and listed alone.
  const counts = { max: 10, maxOfKeys: 2, maxOfKey: 1 };
  expect(await store.add(newWebhook('e', { owner: 'key' }), 'log-5', counts)).toBe(true);
  expect(await other.add(newWebhook('f', { owner: 'key' }), 'log-5', counts)).toBe(false);
  expect(await other.add(newWebhook('g', { owner: 'another key' }), 'log-5', counts)).toBe(true);
  // The keys together leave some to the operator.
  expect(await store.add(newWebhook('h', { owner: 'a third key' }), 'log-5', counts)).toBe(false);
  expect(await store.add(newWebhook('h'), 'log-5', counts)).toBe(true);
  await store.remove('h');
  expect((await other.list(0, 10, { owner: 'key' })).map(({ webhook }) => [webhook.id, webhook.owner])).toEqual([['e', 'key']]);
  expect(await store.list(0, 10, { owner: 'key', isActive: false })).toEqual([]);
  await checkAttempts(store);
}

/** The last attempts are kept, with so many bytes of bodies; those that failed alike count as one. */
async function checkAttempts(store: WebhookStore): Promise<void> {
  await store.add(newWebhook('hook'), 'p', { max: 20, maxOfKeys: 2, maxOfKey: 1 });
  const attempt = (number: number, error?: string): Attempt => ({
    ...{ messageID: error === undefined ? `m${number}` : 'm', time: number, duration: 1, attempt: number, isSentAgain: false },
    ...{ status: 200, error, body: 'x'.repeat(10_000) },
  });
  const save = (attempts: readonly Attempt[]) =>
    store.saveStates(
      new Map(),
      new Map([
        ['hook', attempts],
        ['unknown', attempts],
      ]),
    );
  await save([attempt(1, 'down'), attempt(2, 'down'), attempt(3, 'slow'), attempt(4, 'down')]);
  expect((await store.attempts('hook')).map(({ attempt, error }) => [attempt, error])).toEqual([
    [4, 'down'],
    [3, 'slow'],
  ]);
  await save(Array.from({ length: 70 }, (_, i) => attempt(i)));
  const kept = await store.attempts('hook');
  expect([kept.length, kept[0]?.attempt, kept.at(-1)?.attempt]).toEqual([50, 69, 20]);
  expect(kept.filter(({ body }) => body !== undefined).length).toBe(13);
  expect(await store.attempts('unknown')).toEqual([]);
  await store.wantAgain('hook', kept[0]?.number ?? 0);
  expect((await store.takeWanted()).map(({ webhookID, attempt }) => [webhookID, attempt])).toEqual([['hook', 69]]);
  expect(await store.takeWanted()).toEqual([]);
  await store.remove('hook');
  expect(await store.attempts('hook')).toEqual([]);
}

/** The tables as they were before webhooks had owners and the version was stored. */
const version1 = [
  `CREATE TABLE webhook(
    id TEXT PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE,
    chain TEXT NOT NULL,
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
  `CREATE TABLE webhook_delivery(
    webhook TEXT PRIMARY KEY,
    position TEXT NOT NULL,
    delivered BIGINT NOT NULL,
    delivered_at BIGINT,
    failed_attempts BIGINT NOT NULL,
    failing_since BIGINT,
    last_error TEXT,
    gap TEXT
  )`,
  'CREATE TABLE webhook_meta(revision BIGINT NOT NULL)',
  'INSERT INTO webhook_meta(revision) VALUES (1)',
  `INSERT INTO webhook VALUES ('old', 1, '${idText(idOf(Buffer.from('x')))}', 5, 1, 'https://example.org/', 's', 'n', '', 'addresses', '${address(1)}', 1, NULL)`,
  `INSERT INTO webhook_delivery VALUES ('old', 'log-7', 3, NULL, 0, NULL, NULL, NULL)`,
];

/** A database of an earlier build: its webhook belongs to the operator and goes on from its position; API keys can add webhooks. */
async function checkMigration(sql: WritableSql): Promise<void> {
  for (const text of version1) await sql.all(text, []);
  for (let start = 0; start < 2; start++) await prepareWebhookTables(sql);
  const store = createWebhookStore(sql);
  const [old] = await store.list(0, 10);
  expect([old?.webhook.id, old?.webhook.owner, old?.state.position, old?.state.delivered]).toEqual(['old', undefined, 'log-7', 3]);
  const counts = { max: 10, maxOfKeys: 2, maxOfKey: 1 };
  expect(await store.add(newWebhook('new', { owner: 'key' }), 'log-8', counts)).toBe(true);
  expect((await store.list(0, 10, { owner: 'key' })).map(({ webhook }) => webhook.id)).toEqual(['new']);
  await sql.all(`UPDATE meta SET value = 9 WHERE name = 'webhooks'`, []);
  expect(await prepareWebhookTables(sql).catch((error: Error) => error.message)).toContain('version 9 of the webhooks');
}

for (const { name, open } of sqliteDrivers)
  test(`${name}: tables of an earlier build are migrated`, async () => {
    const file = openSharedFile(open, ':memory:');
    await checkMigration(file);
    file.close();
  });

for (const { name, open, onDisk } of sqliteDrivers)
  test(`${name}: webhooks and their deliveries`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serac-webhook-store-'));
    const path = onDisk ? join(folder, 'webhooks.sqlite') : ':memory:';
    const first = openSharedFile(open, path);
    const second = onDisk ? openSharedFile(open, path, false) : first;
    try {
      await checkStore(first, second);
    } finally {
      second.close();
      if (onDisk) first.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

describe.skipIf(url === undefined)('PostgreSQL', () => {
  const opened: Postgres[] = [];
  const name = `webhook_store_${process.pid}`;
  afterAll(async () => {
    const [first, ...others] = opened;
    await Promise.all(others.map((postgres) => postgres.close()));
    await first?.all(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, []);
    await first?.close();
  });

  const open = (place: string): Postgres => {
    const postgres = openPostgres({ url: place, max: 2, statementMilliseconds: 10_000 });
    opened.push(postgres);
    return postgres;
  };
  const place = new URL(url ?? 'postgres://none');
  place.pathname = `/${name}`;
  beforeAll(async () => {
    await open(url as string).all(`CREATE DATABASE ${name}`, []);
  });

  test('webhooks and their deliveries', () => checkStore(open(place.href), open(place.href)));

  test('tables of an earlier build are migrated', async () => {
    const sql = open(place.href);
    for (const table of ['webhook', 'webhook_delivery', 'webhook_meta', 'meta']) await sql.all(`DROP TABLE IF EXISTS ${table}`, []);
    await checkMigration(sql);
  });
});
