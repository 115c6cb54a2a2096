import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatHex } from '../src/bytes/hex.ts';
import { idText } from '../src/bytes/id.ts';
import { openDatabase } from '../src/platform/database-bun.ts';
import { effectsOf } from '../src/tx/effects.ts';
import type { Tx } from '../src/tx/tx.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import type { Client } from './http.ts';
import { eventually } from './processes.ts';
import { startProgram } from './program.ts';
import { hasSmallDisks, runOnFilledDisk, startOnSmallDisk } from './small-disk.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localTerms, ownedBy, signed, transfer } from './wallet-kit.ts';

/** Real faults, one at a time: the node says what is wrong, loses nothing, and is well again when the fault is gone. */

const folder = mkdtempSync(join(tmpdir(), 'serac-faults-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const often = '--health-check-frequency=200ms';

test('a database that another process has locked', async () => {
  const program = await startProgram(`--data-dir=${folder}`, often);
  const { client } = program;
  const [first, second] = chained();
  await issue(client, first);
  await untilAccepted(client, first);

  const rival = openDatabase(join(folder, 'db', 'serac.sqlite'), { readonly: false });
  rival.exec('BEGIN IMMEDIATE');
  try {
    const sick = await untilFailing(client, 'database');
    expect(sick.status).toBe(503);
    expect(sick.checks.database?.error).toMatch(/locked|busy/);
    expect(sick.checks.database?.contiguousFailures).toBeGreaterThan(0);
    await issue(client, second);
    expect(await statusOf(client, second)).toBe('Processing');
  } finally {
    rival.exec('ROLLBACK');
    rival.close();
  }
  const well = await untilHealthy(client);
  expect(well.checks.database).not.toHaveProperty('contiguousFailures');
  expect(well.checks.database).not.toHaveProperty('error');
  await untilAccepted(client, second);
  expect(await program.stop()).toBe(0);
}, 60_000);

if (!hasSmallDisks()) console.log('left out: a disk that runs full, because this system lends no mounts');
else {
  /** For tests of a full disk: the node would stop before it is full. */
  const staysUp = '--system-tracker-disk-required-available-space-percentage=0';
  const thresholds = [
    '--system-tracker-disk-required-available-space-percentage=20',
    '--system-tracker-disk-warning-available-space-percentage=50',
  ];

  test('a disk with too little room is told, and room again; with less than is required the node stops', async () => {
    const { client, leave, stop, exited } = await startOnSmallDisk(often, ...thresholds);
    expect((await healthOf(client)).status).toBe(200);
    leave(40);
    const warned = await untilFailing(client, 'diskspace');
    expect(warned.status).toBe(503);
    expect(warned.checks.diskspace?.error).toBe(below(warned, 'warning threshold', 50));
    leave(100);
    const well = await untilHealthy(client);
    expect(well.checks.diskspace).not.toHaveProperty('contiguousFailures');
    leave(10);
    expect(await Promise.race([exited, Bun.sleep(20_000)])).toBe(1);
    await stop();
  }, 60_000);

  test('on a disk with less room than is required the node does not start, and says why', async () => {
    const { code, err } = await runOnFilledDisk(
      '--system-tracker-disk-required-available-space-percentage=40',
      '--system-tracker-disk-warning-available-space-percentage=50',
    );
    expect(code).toBe(1);
    expect(err).toMatch(/^serac: less than 40 % of the disk of .* is free; free some space, or choose a lower --system-tracker-disk-req/);
  }, 60_000);

  test('a disk that is full: what was issued waits for room', async () => {
    const { client, leave, stop } = await startOnSmallDisk(often, staysUp);
    const [first, second] = chained();
    await issue(client, first);
    await untilAccepted(client, first);
    leave(0);
    // Room that the log has already taken is still room to write in: it has to be used up first.
    const sick = await untilFailing(client, 'database');
    expect(sick.status).toBe(503);
    await issue(client, second);
    expect(await statusOf(client, second)).toBe('Processing');
    leave(100);
    const well = await untilHealthy(client);
    expect(well.checks.database).not.toHaveProperty('contiguousFailures');
    await untilAccepted(client, second);
    expect(await stop()).toBe(0);
  }, 60_000);

  test('a disk that is full: once a block could not be stored, issueTx and every health route say so at once, until there is room', async () => {
    // Rounds of health checks are far apart: what is told in between comes from the failed commit.
    const { client, leave, stop } = await startOnSmallDisk('--health-check-frequency=1h', staysUp);
    try {
      const [first, second] = chained();
      const third = spendChange(second);
      await issue(client, first);
      await untilAccepted(client, first);
      leave(0);
      await issue(client, second);
      const refused = await eventually(
        () => tryToIssue(client, third),
        ({ error }) => error?.data?.code === 'BLOCK_NOT_STORED',
      );
      expect(refused.error?.data).toEqual({ code: 'BLOCK_NOT_STORED', cause: 'STORE_FULL', height: '2' });
      expect(refused.error?.message).toMatch(/^transaction not issued: block 2 could not be stored: .*disk is full; free space/);

      const sick = await healthOf(client);
      expect(sick.status).toBe(503);
      expect(sick.checks.database?.error).toMatch(/disk is full; free space/);
      const { result } = await client.call('/ext/health', 'health.health', {});
      expect(result).toMatchObject({ healthy: false, checks: { database: { error: sick.checks.database?.error } } });
      for (const path of ['/v1/health-check', '/v2/health-check']) {
        const { status, text } = await client.send('GET', path);
        expect([path, status, JSON.parse(text).details.database]).toEqual([
          path,
          503,
          { status: 'down', message: expect.stringContaining('(STORE_FULL)') },
        ]);
      }
      expect(await statusOf(client, second)).toBe('Processing');

      leave(100);
      await untilAccepted(client, second);
      expect((await healthOf(client)).status).toBe(200);
      expect((await client.send('GET', '/v1/health-check')).status).toBe(200);
      await issue(client, third);
      await untilAccepted(client, third);
    } finally {
      expect(await stop()).toBe(0);
    }
  }, 60_000);

  test('a disk that is full under a node that follows another: told at once, and it catches up when there is room', async () => {
    const source = await startProgram();
    const { client, leave, stop } = await startOnSmallDisk('follow', source.url, '--health-check-frequency=1h', staysUp);
    try {
      const [first, second] = chained();
      await issue(source.client, first);
      await untilAccepted(client, first);
      leave(0);
      await issue(source.client, second);
      const sick = await untilFailing(client, 'database');
      expect([sick.status, sick.checks.database?.error]).toEqual([503, expect.stringContaining('disk is full; free space')]);
      leave(100);
      await untilHealthy(client);
      await untilAccepted(client, second);
    } finally {
      expect(await stop()).toBe(0);
      await source.stop();
    }
  }, 60_000);
}

type Check = { readonly error?: string; readonly contiguousFailures?: number; readonly message?: { availableDiskPercentage?: number } };
type Health = { readonly status: number; readonly checks: { readonly [name: string]: Check } };

/** AvalancheGo's own words. */
const below = ({ checks }: Health, what: string, limit: number): string =>
  `remaining available disk space percentage (${checks.diskspace?.message?.availableDiskPercentage}%) is below ${what} available space percentage (${limit}%)`;

async function healthOf(client: Client): Promise<Health> {
  const { status, text } = await client.send('GET', '/ext/health');
  return { status, checks: (JSON.parse(text) as { checks: Health['checks'] }).checks };
}

const untilFailing = (client: Client, name: string): Promise<Health> =>
  eventually(
    () => healthOf(client),
    ({ checks }) => checks[name]?.error !== undefined,
    30_000,
  );

async function untilHealthy(client: Client): Promise<Health> {
  const health = await eventually(
    () => healthOf(client),
    ({ status }) => status === 200,
    30_000,
  );
  expect(health.status).toBe(200);
  return health;
}

/** Two that depend on each other. */
function chained(): [Tx, Tx] {
  const first = pay(ewoqGenesisUtxo);
  return [first, spendChange(first)];
}

const wallet = createWallet('faults', { keys: [ewoq], count: 0 });
const pay = (utxo: Utxo): Tx => signed(baseTx(wallet, { utxos: [utxo] }, [transfer(localTerms.feeAsset, 1n, ownedBy([ewoq]))]));
const spendChange = (before: Tx): Tx => pay(effectsOf(before).created[1] as Utxo);

type IssueAnswer = {
  readonly error?: { readonly message: string; readonly data?: { readonly code: string; readonly [fact: string]: string } };
};

const tryToIssue = async (client: Client, tx: Tx): Promise<IssueAnswer> =>
  (await client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' })) as IssueAnswer;

async function issue(client: Client, tx: Tx): Promise<void> {
  const { error } = await tryToIssue(client, tx);
  expect(error).toBeUndefined();
}

const statusOf = async (client: Client, tx: Tx): Promise<string> => {
  const { result } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) });
  return (result as unknown as { status: string }).status;
};

async function untilAccepted(client: Client, tx: Tx): Promise<void> {
  const status = await eventually(
    () => statusOf(client, tx),
    (one) => one === 'Accepted',
    30_000,
  );
  expect(status).toBe('Accepted');
}
