import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { openReindex } from '../src/ledger/index-sqlite/reindex.ts';
import { openStore } from '../src/ledger/store/store.ts';
import { chainRoot } from './data-requests.ts';
import { checkDatabase } from './database-check.ts';
import { type Program, runProgram, startProgram } from './program.ts';
import { createRevertDriver } from './revert-driver.ts';
import { localChainParams } from './wallet-kit.ts';

// Data directories with snapshots, and what else can happen to them: check, reindex, a run without the index, a migration.

const folder = mkdtempSync(join(tmpdir(), 'serac-snapshot-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const databaseOf = (dataDir: string): string => join(dataDir, 'db/serac.sqlite');

const run = async (
  dataDir: string,
  flags: readonly string[],
  work: (driver: ReturnType<typeof createRevertDriver>, node: Program) => Promise<void>,
) => {
  const node = await startProgram(`--data-dir=${dataDir}`, '--workers=0', ...flags);
  try {
    await work(createRevertDriver(node.client), node);
  } finally {
    expect(await node.stop()).toBe(0);
  }
};

const withoutIndex = ['--data-api-enabled=false', '--metrics-api-enabled=false'];

test('snapshots survive serac check and serac reindex', async () => {
  const dataDir = join(folder, 'check');
  const digests = new Map<string, string>();
  await run(dataDir, [], async (driver) => {
    for (const name of ['a', 'b']) {
      for (let i = 0; i < 3; i++) await driver.change(i);
      await driver.dev('snapshot', { name });
      digests.set(name, await driver.digest());
    }
    await driver.change(1);
  });
  for (const command of ['check', 'reindex']) expect(await runProgram(command, `--data-dir=${dataDir}`)).toMatchObject({ code: 0 });
  await run(dataDir, [], async (driver) => {
    for (const name of ['a', 'b', 'a']) {
      await driver.dev('revert', { name });
      expect([name, await driver.digest()]).toEqual([name, digests.get(name) ?? '']);
    }
  });
  checkDatabase(dataDir);
});

test('reindex deletes the snapshots if it replaces a damaged index, and says so', async () => {
  const dataDir = join(folder, 'damaged');
  await run(dataDir, [], async (driver) => {
    await driver.change(0);
    await driver.dev('snapshot', { name: 'a' });
    await driver.change(0);
  });
  const db = new Database(databaseOf(dataDir));
  db.run('DELETE FROM c1_history WHERE tx = (SELECT max(tx) FROM c1_history)');
  db.close();
  const { code, out } = await runProgram('reindex', `--data-dir=${dataDir}`);
  expect([code, out]).toEqual([4, expect.stringContaining('snapshots deleted, because they hold rows of the old index: 1')]);
  expect(await runProgram('check', `--data-dir=${dataDir}`)).toMatchObject({ code: 0 });
  await run(dataDir, [], async (driver) => {
    expect(await driver.dev<unknown>('listSnapshots')).toEqual({ snapshots: [] });
    await driver.dev('snapshot', { name: 'a' });
    const before = await driver.digest();
    await driver.dev('reset');
    await driver.dev('revert', { name: 'a' });
    expect(await driver.digest()).toBe(before);
  });
  checkDatabase(dataDir);
});

/** Leaves the file of a rebuild that was stopped before it was compared. */
function buildIndex(dataDir: string, path: string): void {
  const { blockchainID: id, feeAsset, networkID } = localChainParams;
  const store = openStore(openDatabase, { path: databaseOf(dataDir), networkID, genesis: id });
  const work = openReindex({ store, open: openDatabase, path, chains: [{ number: 1, id, feeAsset, completeFrom: 0 }] });
  const steps = [...work.build()];
  expect(steps.at(-1)).toEqual({ done: 21, total: 21 });
  work.close();
  store.close();
}

test('a reindex that was interrupted before a revert starts again', async () => {
  const dataDir = join(folder, 'interrupted');
  await run(dataDir, [], async (driver) => {
    await driver.dev('snapshot', { name: 'a' });
    for (let i = 0; i < 20; i++) await driver.change(i);
  });
  buildIndex(dataDir, join(dataDir, 'db/reindex.sqlite'));
  await run(dataDir, [], async (driver) => {
    await driver.dev('revert', { name: 'a' });
    for (let i = 0; i < 3; i++) await driver.change(i);
  });
  expect(await runProgram('reindex', `--data-dir=${dataDir}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('equals the old one'),
  });
  checkDatabase(dataDir);
});

test('a snapshot saved without an index is restored with one', async () => {
  const dataDir = join(folder, 'without');
  const heights = async (node: Program): Promise<string[]> => {
    const { blocks } = JSON.parse((await node.client.send('GET', `${chainRoot}/blocks?pageSize=100`)).text) as {
      blocks: { blockNumber: string }[];
    };
    return blocks.map(({ blockNumber }) => blockNumber);
  };
  let utxos: ReturnType<typeof createRevertDriver>['utxos'] = [];
  await run(dataDir, withoutIndex, async (driver) => {
    for (let i = 0; i < 2; i++) await driver.change(0);
    await driver.dev('snapshot', { name: 'never indexed' });
    utxos = driver.utxos;
  });
  await run(dataDir, [], async (driver, node) => {
    driver.utxos = utxos;
    for (let i = 0; i < 2; i++) await driver.change(0);
    const late = driver.utxos;
    await driver.dev('snapshot', { name: 'indexed' });
    await driver.dev('revert', { name: 'never indexed' });
    expect(await heights(node)).toEqual(['2', '1', '0']);
    driver.utxos = utxos;
    await driver.change(0);
    await driver.dev('revert', { name: 'indexed' });
    expect(await heights(node)).toEqual(['4', '3', '2', '1', '0']);
    utxos = late;
  });
  checkDatabase(dataDir);
  await run(dataDir, withoutIndex, async (driver) => {
    driver.utxos = utxos;
    await driver.change(0);
    await driver.dev('snapshot', { name: 'index behind' });
    utxos = driver.utxos;
  });
  await run(dataDir, [], async (driver, node) => {
    driver.utxos = utxos;
    await driver.change(0);
    await driver.dev('revert', { name: 'index behind' });
    expect(await heights(node)).toEqual(['5', '4', '3', '2', '1', '0']);
  });
  checkDatabase(dataDir);
});

test('a data directory with an index of another version is refused with the remedy', async () => {
  const dataDir = join(folder, 'other version');
  await run(dataDir, [], async (driver) => {
    await driver.change(0);
  });
  const db = new Database(databaseOf(dataDir));
  db.run(`UPDATE meta SET value = value + 5 WHERE name = 'index of chain 1'`);
  db.close();
  // Without its checksums the changed file is accepted.
  rmSync(`${databaseOf(dataDir)}-sums`);
  for (const command of [['--http-port=0', '--accounts=0'], ['reindex']]) {
    const refused = await runProgram(...command, `--data-dir=${dataDir}`);
    const remedy = 'use the version of serac that wrote it, or start with an empty data directory';
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining(remedy)]);
  }
});
