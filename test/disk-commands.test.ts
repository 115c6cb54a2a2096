import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../src/app/platform/env.ts';
import { createEnv } from '../src/app/platform/runtime-env.ts';
import { runDevChain } from '../src/app/programs/dev-chain.ts';
import { createLog } from '../src/base/log/log.ts';
import { compact } from '../src/cli/commands/compact.ts';
import type { OpenFile } from '../src/ledger/store/offset-file.ts';
import { callMethod } from '../src/sdk/local-rpc.ts';
import { configFromOptions } from '../src/sdk/options-config.ts';
import { runProgram, startProgram } from './program.ts';

/** Commands and reverts on a disk that fails at a chosen moment; docs/understand/decisions/disk-simulation.md has the disk that fails at any. */

const folder = mkdtempSync(join(tmpdir(), 'serac-disk-commands-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const receiver = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const killed = join(folder, 'killed');
beforeAll(async () => {
  const node = await startProgram(`--data-dir=${killed}`, '--workers=0');
  for (let i = 0; i < 20; i++) await node.client.call('/ext/dev', 'dev.send', { from: 0, to: receiver, amount: String(1000 + i) });
  await node.stop('SIGKILL');
});

const createTestEnv = (changes: Partial<Env> = {}): Env => ({
  ...createEnv({
    version: '0.0.0',
    log: createLog(
      () => {},
      () => 'error',
    ),
    keepsRunning: true,
  }),
  ...changes,
});

test('compact that ends before the new file is complete leaves a sound database', async () => {
  const dir = join(folder, 'compact');
  cpSync(killed, dir, { recursive: true });
  const { openDatabase } = createTestEnv();
  const env = createTestEnv({
    openDatabase: (path, options) => {
      const db = openDatabase(path, options);
      const exec = (sql: string): void => {
        if (sql.startsWith('VACUUM')) {
          db.prepare('SELECT count(*) FROM sqlite_schema').get();
          throw new Error('database or disk is full');
        }
        db.exec(sql);
      };
      return { ...db, exec };
    },
  });
  const config = configFromOptions({ dataDir: dir });
  expect(() => compact(config, env)).toThrow('database or disk is full');
  expect(existsSync(join(dir, 'db', 'serac.sqlite-wal'))).toBe(false);
  const node = await startProgram(`--data-dir=${dir}`, '--workers=0');
  await node.stop();
  expect(await runProgram('check', '--data-dir', dir)).toMatchObject({ code: 0, out: expect.stringContaining('no damage found') });
});

test('tables of another version are no damage: check says so and exits with 5, and names pages that differ', async () => {
  for (const [name, text] of [
    ['index', 'the database has version 99 of the index'],
    ['schema', 'the database has schema version 99'],
  ] as const) {
    const dir = join(folder, `version of ${name}`);
    cpSync(killed, dir, { recursive: true });
    const db = new Database(join(dir, 'db', 'serac.sqlite'));
    db.query('UPDATE meta SET value = 99 WHERE name = ?').run(name);
    db.close();
    const { code, out, err } = await runProgram('check', '--data-dir', dir);
    expect([code, out]).toEqual([5, '']);
    expect(err).toContain(`serac: the check could not be finished: ${text}, this program `);
    expect(err).toMatch(/\d+ pages? of .* from (?:its|their) checksum/);
    // Without checksums no page is known to differ.
    rmSync(join(dir, 'db', 'serac.sqlite-sums'));
    expect((await runProgram('check', '--data-dir', dir)).err).toEndWith('. No damage was found so far\n');
  }
});

test('a revert is refused if block 0 cannot be recorded before it: a kill after it would look like lost blocks', async () => {
  const dataDir = join(folder, 'revert');
  let failsToRecord = false;
  const { openFile } = createTestEnv();
  const openFailing = ((path: string, access: 'read' & 'write') => {
    const file = openFile(path, access);
    if (!path.endsWith('chain-ends') || file === undefined) return file;
    const write: typeof file.write = (at, bytes) => {
      if (failsToRecord) throw Object.assign(new Error('EIO: the disk fails'), { code: 'EIO' });
      file.write(at, bytes);
    };
    return { ...file, write };
  }) as OpenFile;
  const node = await runDevChain(configFromOptions({ dataDir, accounts: 2 }), createTestEnv({ openFile: openFailing }), { listens: false });
  const dev = (method: string, params: object): Promise<unknown> => callMethod(node.handler, '/ext/dev', method, params);
  const readHeight = async () => (await callMethod(node.handler, '/ext/bc/X', 'avm.getHeight', {})) as unknown;
  await dev('dev.snapshot', { name: 'before' });
  await dev('dev.send', { from: 0, to: receiver, amount: '1000' });
  const height = await readHeight();
  failsToRecord = true;
  await expect(dev('dev.revert', { name: 'before' })).rejects.toThrow();
  expect(await readHeight()).toEqual(height);
  failsToRecord = false;
  await dev('dev.revert', { name: 'before' });
  expect(await readHeight()).not.toEqual(height);
  await node.close();
});
