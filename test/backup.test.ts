import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIssuer } from './issuer.ts';
import { type Program, runProgram, startProgram } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-backup-'));
const [dataDir, copy] = [join(folder, 'chain'), join(folder, 'copy')];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readHeight = async ({ client }: Program): Promise<number> =>
  Number(((await client.call('/ext/bc/X', 'avm.getHeight')).result as unknown as { height: string }).height);

const readTip = async ({ client }: Program, height: number): Promise<unknown> =>
  (await client.call('/ext/bc/X', 'avm.getBlockByHeight', { height: String(height), encoding: 'hex' })).result;

test('a running node is copied while it accepts transactions, and a node started on the copy has the same chain', async () => {
  const node = await startProgram(`--data-dir=${dataDir}`, '--workers=0');
  const issuer = createIssuer({ seed: 5, client: node.client, invalidPercent: 0 });
  await issuer.fund();
  await issuer.issue(20);
  expect(await runProgram('keys', 'create', '--data-dir', dataDir, '--name', 'alice')).toMatchObject({ code: 0 });
  const owner = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
  expect(await runProgram('webhooks', 'create', 'http://127.0.0.1:9/', owner, '--url', node.url)).toMatchObject({ code: 0 });
  const before = await readHeight(node);

  let isDone = false;
  const backup = runProgram('backup', copy, '--data-dir', dataDir).finally(() => {
    isDone = true;
  });
  while (!isDone) await issuer.issue(5);
  const { code, out, err } = await backup;
  expect([code, err]).toEqual([0, '']);
  const copied = Number(/blocks up to (\d+)\n/.exec(out)?.[1]);
  expect(copied).toBeGreaterThanOrEqual(before);
  expect(out).toContain(`copied to ${copy}; serac --data-dir ${copy} starts a node on it`);

  expect(await runProgram('check', '--data-dir', copy)).toMatchObject({ code: 0, out: expect.stringContaining('no damage found') });
  const restored = await startProgram(`--data-dir=${copy}`, '--workers=0');
  expect(await readHeight(restored)).toBe(copied);
  expect(await readTip(restored, copied)).toEqual(await readTip(node, copied));
  expect((await runProgram('webhooks', 'list', '--url', restored.url)).out).toContain('http://127.0.0.1:9/');
  await restored.stop();
  expect((await runProgram('keys', 'list', '--data-dir', copy)).out).toContain('alice');

  const again = await runProgram('backup', copy, '--data-dir', dataDir);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('exists already; give a new directory')]);
  const inUse = await runProgram('compact', '--data-dir', dataDir);
  expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining('another process is using this data directory')]);
  await node.stop();
});

test('compact makes the database of a stopped node smaller and changes no row', async () => {
  const database = join(dataDir, 'db', 'serac.sqlite');
  const db = new Database(database);
  db.run('CREATE TABLE deleted(bytes)');
  for (let i = 0; i < 200; i++) db.run('INSERT INTO deleted VALUES (randomblob(20000))');
  db.run('DROP TABLE deleted');
  db.close();
  // Another program has changed pages; the check records their checksums again.
  expect(await runProgram('check', '--data-dir', dataDir)).toMatchObject({ code: 0 });
  const before = statSync(database).size;
  const { code, out } = await runProgram('compact', '--data-dir', dataDir);
  expect([code, out]).toEqual([0, expect.stringMatching(/^\d+\.\d MB before, \d+\.\d MB now\n$/)]);
  expect(statSync(database).size).toBeLessThan(before - 3_000_000);
  expect(existsSync(join(dataDir, 'db', 'compacted.sqlite'))).toBe(false);
  expect(await runProgram('check', '--data-dir', dataDir)).toMatchObject({ code: 0, out: expect.stringContaining('no damage found') });
  const node = await startProgram(`--data-dir=${dataDir}`, '--workers=0');
  expect(await readHeight(node)).toBeGreaterThan(1);
  await node.stop();
});

test('a directory without a database is not copied', async () => {
  const { code, err } = await runProgram('backup', join(folder, 'none'), '--data-dir', join(folder, 'missing'));
  expect([code, err]).toEqual([1, expect.stringContaining('there is no database in')]);
  expect(existsSync(join(folder, 'none'))).toBe(false);
});
