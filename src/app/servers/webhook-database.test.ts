import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../platform/bun/database.ts';
import type { Env } from '../platform/env.ts';
import { openWebhookDatabase, openWebhooksOnUse } from './webhook-database.ts';

const createEnv = (onOpen: () => void) =>
  ({
    makeFolder: (path) => void mkdirSync(path, { recursive: true }),
    openDatabase: (path, options) => {
      onOpen();
      return openDatabase(path, options);
    },
  }) as Pick<Env, 'makeFolder' | 'openDatabase'> as Env;

test('who manages webhooks opens them when they are first used, once, and again after a failure', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-webhook-database-'));
  let opened = 0;
  let isBroken = true;
  const env = createEnv(() => {
    if (isBroken) throw new Error('the disk is gone');
    opened++;
  });
  const config = { store: 'sqlite', dataDir } as const;
  const unused = openWebhooksOnUse(config, env);
  await unused.close();
  const managed = openWebhooksOnUse(config, env);
  await expect(managed.store()).rejects.toThrow('the disk is gone');
  isBroken = false;
  expect(opened).toBe(0);
  const [first, second] = await Promise.all([managed.store(), managed.store()]);
  expect([opened, first === second]).toEqual([1, true]);
  const deliverer = await openWebhookDatabase(config, env, false);
  expect(await deliverer.store.list(0, 10)).toEqual([]);
  deliverer.close();
  await managed.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a file that cannot be used is closed again: it is opened anew at every use', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-webhook-database-'));
  const env = createEnv(() => {});
  const config = { store: 'sqlite', dataDir } as const;
  (await openWebhookDatabase(config, env, true)).close();
  const path = join(dataDir, 'db', 'webhooks.sqlite');
  const changed = openDatabase(path, { readonly: false });
  changed.exec(`UPDATE meta SET value = 9 WHERE name = 'webhooks'`);
  changed.close();
  let open = 0;
  const counting = {
    ...env,
    openDatabase: (...args: Parameters<Env['openDatabase']>) => {
      const database = env.openDatabase(...args);
      open++;
      const close = (): void => {
        open--;
        database.close();
      };
      return { ...database, close };
    },
  } as Env;
  const managed = openWebhooksOnUse(config, counting);
  for (let use = 0; use < 3; use++) await expect(managed.store()).rejects.toThrow('version 9 of the webhooks');
  expect(open).toBe(0);
  rmSync(dataDir, { recursive: true, force: true });
});
