import { afterAll, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heightOf } from './chain-oracle.ts';
import { chainRoot, fetchPages, itemsOf, type Json } from './data-requests.ts';
import { createIssuer } from './issuer.ts';
import { findServerUser, handOver, type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { eventually } from './processes.ts';
import { runProgram, startIndexer, startProgram } from './program.ts';
import { createRoles, documentedBlocks, runStatement } from './replicated-deployment.ts';

/** Backup and point-in-time recovery of PostgreSQL as docs/guides/cluster.md describes them. */

const patience = 60_000;

const name = 'recovery of PostgreSQL';
describe.skipIf(!postgresInstalled)(postgresInstalled ? name : `${name} (skipped: PostgreSQL is not installed)`, () => {
  const archive = mkdtempSync(join(tmpdir(), 'serac-archive-'));
  const copies = mkdtempSync(join(tmpdir(), 'serac-copies-'));
  const ending: (() => Promise<unknown>)[] = [];
  const opened = <T>(value: T, end: (value: T) => Promise<unknown>): T => {
    ending.push(() => end(value));
    return value;
  };
  afterAll(async () => {
    for (const end of ending.reverse()) await end();
    for (const folder of [archive, copies]) rmSync(folder, { recursive: true, force: true });
  });

  const heightIn = async (server: PrivatePostgres): Promise<number> => {
    const rows = (await runStatement(server, 'SELECT max(height) AS n FROM serac.c1_block').catch(() => [{ n: -1 }])) as [{ n: number }];
    return Number(rows[0].n);
  };
  const urlOf = (server: PrivatePostgres, role = 'serac_indexer') => `--database-url=postgres://${role}@127.0.0.1:${server.port}/serac`;
  let checks = 0;
  const check = (server: PrivatePostgres) => runProgram('check', urlOf(server), '--data-dir', join(copies, String(checks++)));

  test('a database is restored as of a moment, checked, and catches up without a gap', async () => {
    handOver(archive, findServerUser() as NonNullable<ReturnType<typeof findServerUser>>);
    const [archiving = '', restoring = ''] = documentedBlocks('Backup and recovery', 'ini').map((text) =>
      text.replaceAll('/srv/archive', archive),
    );
    const primary = opened((await startPostgres({ settings: archiving.split('\n') })) as PrivatePostgres, (server) => server.remove());
    await createRoles(primary);
    const node = opened(await startProgram(), (program) => program.stop());
    const issuer = createIssuer({ seed: 12, client: node.client, invalidPercent: 0 });
    const waitFor = async (server: PrivatePostgres): Promise<number> => {
      const target = await heightOf(node.client);
      await eventually(
        () => heightIn(server),
        (height) => height === target,
        patience,
      );
      return target;
    };
    await issuer.fund();
    await issuer.issue(10);
    const indexer = startIndexer(node.url, urlOf(primary), '--database-partition-size=16');
    await waitFor(primary);
    const restored = opened((await startPostgres({ backupOf: primary })) as PrivatePostgres, (server) => server.remove());
    for (let i = 0; i < 4; i++) await issuer.issue(8);
    const height = await waitFor(primary);
    const [{ moment }] = (await runStatement(primary, 'SELECT CAST(clock_timestamp() AS text) AS moment')) as [{ moment: string }];
    for (let i = 0; i < 4; i++) await issuer.issue(8);
    const lostHeight = await waitFor(primary);
    expect(lostHeight).toBeGreaterThan(height);
    const [{ wal }] = (await runStatement(primary, 'SELECT pg_walfile_name(pg_switch_wal()) AS wal')) as [{ wal: string }];
    await eventually(
      async () => (await runStatement(primary, 'SELECT last_archived_wal AS wal FROM pg_stat_archiver')) as [{ wal: string | null }],
      ([archived]) => (archived.wal ?? '') >= wal,
      patience,
    );
    await indexer.stop();
    await primary.end('kill');

    appendFileSync(join(restored.folder, 'data', 'postgresql.auto.conf'), restoring.replace('2026-11-16 15:04:05+00', moment));
    writeFileSync(join(restored.folder, 'data', 'recovery.signal'), '');
    await restored.start();
    await eventually(
      async () => (await runStatement(restored, 'SELECT pg_is_in_recovery() AS recovers')) as [{ recovers: boolean }],
      ([{ recovers }]) => !recovers,
      patience,
    );
    expect(await heightIn(restored)).toBe(height);
    const sound = await check(restored);
    expect(sound.code).toBe(0);
    expect(sound.out).toContain(`${height + 1} blocks`);
    expect(sound.out).toContain('no damage found');

    const api = opened(await startProgram('api', urlOf(restored, 'serac_api')), (program) => program.stop());
    opened(startIndexer(node.url, urlOf(restored), '--database-partition-size=16'), (one) => one.stop());
    await issuer.issue(8);
    const last = await waitFor(restored);
    expect(last).toBeGreaterThan(lostHeight);
    const request = { path: `${chainRoot}/blocks?pageSize=20` };
    // A followed chain does not show who built a block.
    const expected = itemsOf(await fetchPages([node.client], request)).map(({ proposerDetails: _, ...block }: Json) => block);
    expect(itemsOf(await fetchPages([api.client], request))).toEqual(expected);
    // While the indexer runs.
    expect(await check(restored)).toMatchObject({ code: 0, out: expect.stringContaining('no damage found') });

    // What the check is there for: a row that is missing, and one that was changed.
    await runStatement(restored, 'DELETE FROM serac.c1_history WHERE tx = (SELECT max(tx) FROM serac.c1_history)');
    const index = await check(restored);
    expect([index.code, index.out]).toEqual([4, expect.stringContaining('the history index does not match the blocks')]);
    await runStatement(restored, 'UPDATE serac.c1_tx SET bytes = set_byte(bytes, 40, 255 - get_byte(bytes, 40)) WHERE seq = 20');
    const chain = await check(restored);
    expect([chain.code, chain.out]).toEqual([4, expect.stringContaining('damage found')]);
    const again = await runProgram('check', urlOf(restored), '--data-dir', join(copies, '0'));
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('give --data-dir an empty directory')]);
  });
});
