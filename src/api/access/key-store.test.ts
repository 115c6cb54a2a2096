import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import type { Postgres } from '../../cluster/postgres/postgres.ts';
import { type KeyStore, openKeyStore } from './key-store.ts';
import { type KeyDetails, makeKey } from './keys.ts';
import { openSharedFile } from './shared-file.ts';

const url = process.env.SERAC_TEST_POSTGRES;

const newKey = (details: Partial<KeyDetails> = {}) =>
  makeKey(randomBytes(32), { name: 'shop', plan: 'pro', created: 100, expires: undefined, routes: [], ...details });

/** The same checks for every database. `another` opens the same database as another process would. */
async function checkStore(store: KeyStore, another: () => Promise<KeyStore>): Promise<void> {
  expect(await store.list()).toEqual([]);
  const plain = newKey({ created: 5_000_000_000 });
  const full = newKey({ name: `Läden "ö" 'x'; --`, expires: 5_000_000_001, routes: ['data', 'data:list*'], created: 100 });
  await store.add(plain.key);
  await store.add(full.key);
  expect(await store.list()).toEqual([full.key, plain.key]);
  expect(await store.find(full.key.hash)).toEqual(full.key);
  expect(await store.find('0'.repeat(64))).toBeUndefined();

  const other = await another();
  expect(await other.find(plain.key.hash)).toEqual(plain.key);
  await other.revoke(plain.key.id, 300);
  await other.revoke(plain.key.id, 400);
  await other.revoke('unknown', 400);
  expect(await store.find(plain.key.hash)).toEqual({ ...plain.key, revoked: 300 });
  expect(await store.list()).toEqual([full.key, { ...plain.key, revoked: 300 }]);

  const twice = await Promise.resolve()
    .then(() => store.add(full.key))
    .then(
      () => 'added',
      () => 'refused',
    );
  expect(twice).toBe('refused');
  expect(await store.list()).toHaveLength(2);
}

for (const { name, open, onDisk } of sqliteDrivers)
  test(`${name}: adds, finds, lists and revokes keys`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serac-keys-'));
    const path = onDisk ? join(folder, 'keys.sqlite') : ':memory:';
    const first = openSharedFile(open, path);
    const second = onDisk ? openSharedFile(open, path) : first;
    try {
      await checkStore(await openKeyStore(first), async () => openKeyStore(second));
    } finally {
      second.close();
      if (onDisk) first.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

describe.skipIf(url === undefined)('SERAC_TEST_POSTGRES', () => {
  const name = `serac_access_${randomUUID().replaceAll('-', '')}`;
  const opened: Postgres[] = [];
  const connect = (database: string): Postgres => {
    const place = new URL(url as string);
    place.pathname = `/${database}`;
    const postgres = openPostgres({ url: place.href, max: 2, statementMilliseconds: 10_000 });
    opened.push(postgres);
    return postgres;
  };
  let server: Postgres;
  beforeAll(async () => {
    server = connect(new URL(url as string).pathname.slice(1));
    await server.all(`CREATE DATABASE ${name}`, []);
  });
  afterAll(async () => {
    await Promise.all(opened.slice(1).map((postgres) => postgres.close()));
    await server.all(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, []);
    await server.close();
  });

  test('PostgreSQL: many processes that start at once create the table once', async () => {
    const many = Array.from({ length: 6 }, () => connect(name));
    const stores = await Promise.all(many.map((postgres) => openKeyStore(postgres)));
    expect(await Promise.all(stores.map((store) => store.list()))).toEqual(stores.map(() => []));
  });

  test('PostgreSQL: adds, finds, lists and revokes keys', async () => {
    await checkStore(await openKeyStore(connect(name)), async () => openKeyStore(connect(name)));
  });

  test('PostgreSQL: a connection that can only read finds the keys', async () => {
    const store = await openKeyStore(connect(name));
    const { key } = newKey();
    await store.add(key);
    const reader = connect(name);
    const readOnly = { ...reader, write: () => Promise.reject(new Error('may not write')) };
    expect(await (await openKeyStore(readOnly)).find(key.hash)).toEqual(key);
  });
});
