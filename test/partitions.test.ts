import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { heightOf } from './chain-oracle.ts';
import { chainRoot, fetchPages, itemsOf, sendRequest } from './data-requests.ts';
import { createIssuer } from './issuer.ts';
import { findServerUser, handOver, type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { eventually } from './processes.ts';
import { type Indexer, type Program, runProgram, startIndexer, startProgram } from './program.ts';
import { createRoles, documentedSql, runStatement } from './replicated-deployment.ts';

/** The maintenance of partitions in docs/guides/cluster.md, on a running deployment with its roles. */

const size = 32;
const patience = 60_000;

const name = 'partitions of PostgreSQL';
describe.skipIf(!postgresInstalled)(postgresInstalled ? name : `${name} (skipped: PostgreSQL is not installed)`, () => {
  const slow = mkdtempSync(join(tmpdir(), 'serac-tablespace-'));
  let postgres: PrivatePostgres;
  let node: Program;
  let indexer: Indexer;
  let api: Program;
  const url = (role: string) => `--database-url=postgres://${role}@127.0.0.1:${postgres.port}/serac`;
  const startOwnIndexer = () => startIndexer(node.url, url('serac_indexer'), `--database-partition-size=${size}`);
  const run = (statement: string) => runStatement(postgres, statement);
  const height = async () => Number(((await run('SELECT max(height) AS n FROM serac.c1_block')) as [{ n: number }])[0].n);
  const txPages = async (client: Program['client']) => {
    const pages = await fetchPages([client], { path: `${chainRoot}/transactions?pageSize=20` });
    return itemsOf(pages).map(({ txHash }) => txHash);
  };

  beforeAll(async () => {
    handOver(slow, findServerUser() as NonNullable<ReturnType<typeof findServerUser>>);
    postgres = (await startPostgres()) as PrivatePostgres;
    await createRoles(postgres);
    node = await startProgram();
    const issuer = createIssuer({ seed: 8, client: node.client, invalidPercent: 0 });
    await issuer.fund();
    for (let i = 0; i < 12; i++) await issuer.issue(8);
    indexer = startOwnIndexer();
    api = await startProgram('api', url('serac_api'));
    const target = await heightOf(node.client);
    await eventually(height, (stored) => stored === target, patience);
  });

  afterAll(async () => {
    await api?.stop();
    await indexer?.stop();
    await node?.stop();
    await postgres?.remove();
    rmSync(slow, { recursive: true, force: true });
  });

  test('the documented statements move, replace, detach and attach ranges, and answers stay the same', async () => {
    const expected = await txPages(node.client);
    expect(expected.length).toBeGreaterThan(3 * size);
    expect(await txPages(api.client)).toEqual(expected);
    const blocks = documentedSql('Partitions').map((statements) =>
      statements.map((text) =>
        text
          .replaceAll('33554432', String(2 * size))
          .replaceAll('16777216', String(size))
          .replace('/srv/slow', slow),
      ),
    );
    expect(blocks).toHaveLength(3);
    const [move = [], replace = [], detach = []] = blocks;
    for (const statement of move) await run(statement);
    const places = await run(
      `SELECT CAST(c.relname AS text) AS name FROM pg_class c JOIN pg_tablespace t ON t.oid = c.reltablespace WHERE t.spcname = 'slow' AND c.relname LIKE 'c1%' ORDER BY 1`,
    );
    expect(places).toEqual(['c1_tx_0', 'c1_tx_0_id_seq_key', 'c1_tx_0_pkey'].map((one) => ({ name: one })));
    expect(await txPages(api.client)).toEqual(expected);
    // One session: the first statement sets something for it.
    const session = openPostgres({ url: `postgres://serac@127.0.0.1:${postgres.port}/serac`, max: 1, statementMilliseconds: 30_000 });
    for (const statement of replace) await session.all(statement, []);
    await session.close();
    expect(await txPages(api.client)).toEqual(expected);
    await indexer.stop();
    await api.stop();

    const [first = '', vacuum = '', attach = ''] = detach;
    await run(first);
    const refused = startOwnIndexer();
    expect(await refused.exited).toBe(1);
    expect(refused.stderrText()).toContain(
      `table c1_tx has no partition for the numbers ${size} to ${2 * size - 1}; attach c1_tx_${size} again`,
    );
    const refusedApi = await runProgram('api', url('serac_api'), '--http-port=0');
    expect([refusedApi.code, refusedApi.err]).toEqual([1, expect.stringContaining(`attach c1_tx_${size} again`)]);
    await run(vacuum);
    await run(attach);
    indexer = startOwnIndexer();
    api = await startProgram('api', url('serac_api'));
    expect(await txPages(api.client)).toEqual(expected);
    const last = await sendRequest(api.client, { path: `${chainRoot}/transactions/${expected[0]}` });
    expect(last.status).toBe(200);
  });
});
