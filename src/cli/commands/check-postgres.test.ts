import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFrom } from '../../app/config/config.ts';
import { parseFlags } from '../../app/config/flags.ts';
import { createBunEnv } from '../../app/platform/bun/env.ts';
import type { Env } from '../../app/platform/env.ts';
import type { Postgres } from '../../cluster/postgres/postgres.ts';
import { checkPostgres } from './check-postgres.ts';

/** A primary with an answer to the probe of its kind and to no other statement. Counts the connections that are open. */
function scriptPostgres() {
  let open = 0;
  const primary = { is_replica: false, wal: '000000010000000000000001', started: '0', direct: 'on', schema: 'public', is_divided: false };
  const openPostgres = () => {
    open++;
    return {
      dialect: 'postgres',
      all: async () => [primary],
      write: () => Promise.reject(new RangeError('the server has gone')),
      close: async () => void open--,
    } as unknown as Postgres;
  };
  return { openPostgres, open: () => open };
}

test('a copy that fails closes its connection to PostgreSQL and its database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-check-'));
  const server = scriptPostgres();
  const opened: string[] = [];
  const progress: string[] = [];
  const real = createBunEnv({ version: '0.0.0', log: Object.assign(() => {}, { isShown: () => false }) });
  const env: Env = {
    ...real,
    loadPostgres: async () => server.openPostgres,
    showProgress: (shown) => progress.push(shown === undefined ? 'cleared' : 'shown'),
    openDatabase: (path, options) => {
      const database = real.openDatabase(path, options);
      opened.push(path);
      const close = (): void => {
        opened.splice(opened.indexOf(path), 1);
        database.close();
      };
      return { ...database, close };
    },
  };
  const flags = parseFlags(['check', `--data-dir=${folder}`, '--database-url=postgres://127.0.0.1/serac'], { vars: {}, readFile: String });
  if (flags.kind !== 'run') throw new TypeError(JSON.stringify(flags));
  try {
    await expect(checkPostgres(configFrom(flags.options), env)).rejects.toThrow('the server has gone');
    expect([server.open(), opened, progress]).toEqual([0, [], ['cleared']]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
