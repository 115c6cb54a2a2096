import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { Client } from './http.ts';
import { eventually } from './processes.ts';
import { runProgram, startProgram } from './program.ts';
import { checkOnFilledDisk, hasSmallDisks, runOnFilledDisk, startOnSmallDisk } from './small-disk.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Real faults, one at a time: the node reports the fault, loses no data, and is healthy again after the fault. */

const folder = mkdtempSync(join(tmpdir(), 'serac-faults-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const frequentChecks = '--health-check-frequency=200ms';

test('a database that another process has locked', async () => {
  const program = await startProgram(`--data-dir=${folder}`, frequentChecks);
  const { client } = program;
  const [first, second] = twoDependentTxs();
  await issue(client, first);
  await untilAccepted(client, first);

  const otherProcess = openDatabase(join(folder, 'db', 'serac.sqlite'), { readonly: false });
  // The node writes now and then, too.
  otherProcess.exec('PRAGMA busy_timeout = 20000');
  otherProcess.exec('BEGIN IMMEDIATE');
  try {
    const failing = await untilFailing(client, 'database');
    expect(failing.status).toBe(503);
    expect(failing.checks.database?.error).toMatch(/locked|busy/);
    expect(failing.checks.database?.contiguousFailures).toBeGreaterThan(0);
    await issue(client, second);
    expect(await readTxStatus(client, second)).toBe('Processing');
  } finally {
    otherProcess.exec('ROLLBACK');
    otherProcess.close();
  }
  const healthy = await untilHealthy(client);
  expect(healthy.checks.database).not.toHaveProperty('contiguousFailures');
  expect(healthy.checks.database).not.toHaveProperty('error');
  await untilAccepted(client, second);
  expect(await program.stop()).toBe(0);
});

test('a data directory that is deleted while the node runs', async () => {
  const dataDir = join(folder, 'deleted');
  const program = await startProgram(`--data-dir=${dataDir}`, frequentChecks);
  const { client } = program;
  const [first, second] = twoDependentTxs();
  await issue(client, first);
  await untilAccepted(client, first);
  expect((await readHealth(client)).status).toBe(200);

  rmSync(dataDir, { recursive: true });
  const failing = await untilFailing(client, 'database');
  expect(failing.status).toBe(503);
  expect(failing.checks.database?.error).toContain(`${join(dataDir, 'db', 'serac.sqlite')} was deleted while the node runs`);
  await issue(client, second);
  await untilAccepted(client, second);

  // What the message advises: the state can still be saved, and another node goes on from it.
  const saved = join(folder, 'saved.state');
  const run = async (action: string, port: number): Promise<void> => {
    const { code, err } = await runProgram('state', action, saved, `--url=http://127.0.0.1:${port}`);
    expect([code, err]).toEqual([0, '']);
  };
  await run('save', program.port);
  await program.stop();
  const other = await startProgram(`--data-dir=${dataDir}`);
  await run('load', other.port);
  expect(await readTxStatus(other.client, second)).toBe('Accepted');
  await other.stop();
});

if (!hasSmallDisks()) console.log('skipped: tests of a full disk, because this system does not allow mounts');
else {
  /** For tests of a full disk: without this flag the node would stop before the disk is full. */
  const noDiskShutdown = '--system-tracker-disk-required-available-space-percentage=0';
  const thresholds = [
    '--system-tracker-disk-required-available-space-percentage=20',
    '--system-tracker-disk-warning-available-space-percentage=50',
  ];

  test('serac check on a full disk says so, and not that there is damage', async () => {
    const results = await checkOnFilledDisk([0, 16, 24, 48, 100, 20_000]);
    const last = results.at(-1);
    for (const { code, text } of results.slice(0, -1)) {
      expect([text, code]).toEqual([text, 1]);
      expect(text).toContain('the check could not be finished: the disk of ');
      expect(text).not.toContain('damage found');
    }
    expect([last?.code, last?.text]).toEqual([0, expect.stringContaining('no damage found')]);
  });

  test('low disk space fails the health check until there is space again; below the required space the node stops', async () => {
    const { client, leaveFree, stop, exited } = await startOnSmallDisk(frequentChecks, ...thresholds);
    expect((await readHealth(client)).status).toBe(200);
    leaveFree(40);
    const warned = await untilFailing(client, 'diskspace');
    expect(warned.status).toBe(503);
    expect(warned.checks.diskspace?.error).toBe(diskSpaceError(warned, 'warning threshold', 50));
    leaveFree(100);
    const healthy = await untilHealthy(client);
    expect(healthy.checks.diskspace).not.toHaveProperty('contiguousFailures');
    leaveFree(10);
    expect(await Promise.race([exited, Bun.sleep(20_000)])).toBe(1);
    await stop();
  });

  test('with less disk space than required the node does not start, and the message says why', async () => {
    const { code, err } = await runOnFilledDisk(
      '--system-tracker-disk-required-available-space-percentage=40',
      '--system-tracker-disk-warning-available-space-percentage=50',
    );
    expect(code).toBe(1);
    expect(err).toMatch(/fatal less than 40 % of the disk of .* is free; free some space, or choose a lower --system-tracker-disk-req/);
  });

  test('full disk: issued transactions wait until there is space', async () => {
    const { client, leaveFree, stop } = await startOnSmallDisk(frequentChecks, noDiskShutdown);
    const [first, second] = twoDependentTxs();
    await issue(client, first);
    await untilAccepted(client, first);
    leaveFree(0);
    // The write-ahead log can still use the space it already has; that must be used up first.
    const failing = await untilFailing(client, 'database');
    expect(failing.status).toBe(503);
    await issue(client, second);
    expect(await readTxStatus(client, second)).toBe('Processing');
    leaveFree(100);
    const healthy = await untilHealthy(client);
    expect(healthy.checks.database).not.toHaveProperty('contiguousFailures');
    await untilAccepted(client, second);
    expect(await stop()).toBe(0);
  });

  test('full disk: after a failed commit issueTx and all health routes fail at once, until there is space', async () => {
    // Health checks run once an hour here, so these failures come from the failed commit.
    const { client, leaveFree, stop } = await startOnSmallDisk('--health-check-frequency=1h', noDiskShutdown);
    try {
      const [first, second] = twoDependentTxs();
      const third = spendChange(second);
      await issue(client, first);
      await untilAccepted(client, first);
      leaveFree(0);
      await issue(client, second);
      const refused = await eventually(
        () => tryToIssue(client, third),
        ({ error }) => error?.data?.code === 'BLOCK_NOT_STORED',
      );
      expect(refused.error?.data).toEqual({ code: 'BLOCK_NOT_STORED', cause: 'STORE_FULL', height: '2' });
      expect(refused.error?.message).toMatch(/^transaction not issued: block 2 could not be stored: .*disk is full; free space/);

      const failing = await readHealth(client);
      expect(failing.status).toBe(503);
      expect(failing.checks.database?.error).toMatch(/disk is full; free space/);
      const { result } = await client.call('/ext/health', 'health.health', {});
      expect(result).toMatchObject({ healthy: false, checks: { database: { error: failing.checks.database?.error } } });
      for (const path of ['/v1/health-check', '/v2/health-check']) {
        const { status, text } = await client.send('GET', path);
        expect([path, status, JSON.parse(text).details.database]).toEqual([
          path,
          503,
          { status: 'down', message: expect.stringContaining('(STORE_FULL)') },
        ]);
      }
      expect(await readTxStatus(client, second)).toBe('Processing');

      leaveFree(100);
      await untilAccepted(client, second);
      expect((await readHealth(client)).status).toBe(200);
      expect((await client.send('GET', '/v1/health-check')).status).toBe(200);
      await issue(client, third);
      await untilAccepted(client, third);
    } finally {
      expect(await stop()).toBe(0);
    }
  });

  test('full disk of a following node: the health check fails at once, and the node catches up when there is space', async () => {
    const source = await startProgram();
    const { client, leaveFree, stop } = await startOnSmallDisk('follow', source.url, '--health-check-frequency=1h', noDiskShutdown);
    try {
      const [first, second] = twoDependentTxs();
      await issue(source.client, first);
      await untilAccepted(client, first);
      leaveFree(0);
      await issue(source.client, second);
      const failing = await untilFailing(client, 'database');
      expect([failing.status, failing.checks.database?.error]).toEqual([503, expect.stringContaining('disk is full; free space')]);
      leaveFree(100);
      await untilHealthy(client);
      await untilAccepted(client, second);
    } finally {
      expect(await stop()).toBe(0);
      await source.stop();
    }
  });
}

type Check = { readonly error?: string; readonly contiguousFailures?: number; readonly message?: { availableDiskPercentage?: number } };
type Health = { readonly status: number; readonly checks: { readonly [name: string]: Check } };

/** The error text, equal to AvalancheGo's. */
const diskSpaceError = ({ checks }: Health, what: string, limit: number): string =>
  `remaining available disk space percentage (${checks.diskspace?.message?.availableDiskPercentage}%) is below ${what} available space percentage (${limit}%)`;

async function readHealth(client: Client): Promise<Health> {
  const { status, text } = await client.send('GET', '/ext/health');
  return { status, checks: (JSON.parse(text) as { checks: Health['checks'] }).checks };
}

const untilFailing = (client: Client, name: string): Promise<Health> =>
  eventually(
    () => readHealth(client),
    ({ checks }) => checks[name]?.error !== undefined,
    30_000,
  );

async function untilHealthy(client: Client): Promise<Health> {
  const health = await eventually(
    () => readHealth(client),
    ({ status }) => status === 200,
    30_000,
  );
  expect(health.status).toBe(200);
  return health;
}

/** Two transactions; the second spends an output of the first. */
function twoDependentTxs(): [Tx, Tx] {
  const first = pay(ewoqGenesisUtxo);
  return [first, spendChange(first)];
}

const wallet = createWallet('faults', { keys: [ewoq], count: 0 });
const pay = (utxo: Utxo): Tx => signDraft(baseTx(wallet, { utxos: [utxo] }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]));
const spendChange = (before: Tx): Tx => pay(effectsOf(before).created[1] as Utxo);

type IssueResponse = {
  readonly error?: { readonly message: string; readonly data?: { readonly code: string; readonly [fact: string]: string } };
};

const tryToIssue = async (client: Client, tx: Tx): Promise<IssueResponse> =>
  (await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' })) as IssueResponse;

async function issue(client: Client, tx: Tx): Promise<void> {
  const { error } = await tryToIssue(client, tx);
  expect(error).toBeUndefined();
}

const readTxStatus = async (client: Client, tx: Tx): Promise<string> => {
  const { result } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) });
  return (result as unknown as { status: string }).status;
};

async function untilAccepted(client: Client, tx: Tx): Promise<void> {
  const status = await eventually(
    () => readTxStatus(client, tx),
    (one) => one === 'Accepted',
    30_000,
  );
  expect(status).toBe('Accepted');
}
