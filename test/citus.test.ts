import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openCountedReads } from '../bench/postgres-chain.ts';
import { createUncachedHandler } from '../bench/uncached-api.ts';
import { createTestRequest } from '../src/api/rest/requests.fixture.ts';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { verifyCitus } from '../src/cluster/chain/citus.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { runBackgroundMigrations } from '../src/ledger/index/background-migration.ts';
import { createIndex } from '../src/ledger/index/ddl.ts';
import { shardCount } from '../src/ledger/index/distribution.ts';
import { migratePostgres } from '../src/ledger/index/migrate.ts';
import { type Migration, migrations, newestVersion } from '../src/ledger/index/migrations.ts';
import type { SqlQuery } from '../src/ledger/index/sql.ts';
import { fetchRows } from '../src/ledger/store/queries.ts';
import { citusSuite, namedCitus } from './citus-cluster.ts';
import { chainRoot, dataRequests, fetchPages } from './data-requests.ts';
import { rowsIn } from './index-rows.ts';
import { eventually } from './processes.ts';
import { type Program, startIndexer, startProgram } from './program.ts';
import { createScriptedNode, serveScriptedNode } from './scripted-node.ts';
import { openSourceChain } from './source-chain.ts';
import { localChainParams } from './wallet-kit.ts';

/** An index whose tables are divided over the servers of a Citus cluster: it has the rows of an undivided one, and its answers are those of a node. */

const blocks = 60;

/** A schema for one index, in the database of the coordinator. */
async function createSchema(name: string): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const admin = openPostgres({ url: namedCitus as string, max: 1, statementMilliseconds: 120_000 });
  const schema = `${name}_${process.pid}`;
  await admin.all(`CREATE SCHEMA ${schema}`, []);
  return {
    url: `${namedCitus}?schema=${schema}`,
    drop: async () => {
      await admin.all(`DROP SCHEMA ${schema} CASCADE`, []);
      await admin.close();
    },
  };
}

const heightIn = async (sql: Postgres): Promise<number> => {
  const [row] = await sql.all<{ height: number | null }>('SELECT max(height) AS height FROM progress', []).catch(() => [{ height: null }]);
  return row?.height ?? -1;
};

describe.skipIf(namedCitus === undefined)(citusSuite('Citus'), () => {
  const source = openSourceChain(41);
  source.grow(blocks);
  const node = createScriptedNode(source);
  const server = serveScriptedNode(node);
  let divided: Awaited<ReturnType<typeof createSchema>>;
  let plain: typeof divided;
  let sql: Postgres;

  const index = async (url: string, ...flags: string[]): Promise<void> => {
    const indexer = startIndexer(server.url, `--database-url=${url}`, '--network-id=local', ...flags);
    const reader = openPostgres({ url, max: 1, statementMilliseconds: 60_000 });
    while ((await heightIn(reader)) < blocks)
      if (await Promise.race([indexer.exited.then(() => true), Bun.sleep(50)])) throw new Error(indexer.stderrText());
    await reader.close();
    await indexer.stop('SIGTERM');
  };

  beforeAll(async () => {
    [divided, plain] = [await createSchema('divided'), await createSchema('plain')];
    await index(divided.url, '--distribute');
    await index(plain.url);
    sql = openPostgres({ url: divided.url, max: 1, statementMilliseconds: 60_000, dialect: 'citus' });
  });
  afterAll(async () => {
    server.stop();
    await sql.close();
    await divided.drop();
    await plain.drop();
  });

  test('has the rows of an index that is not divided', async () => {
    const plainSql = openPostgres({ url: plain.url, max: 1, statementMilliseconds: 60_000 });
    const [found, expected] = [await rowsIn(sql), await rowsIn(plainSql)];
    await plainSql.close();
    for (const [i, [name, rows]] of expected.entries()) expect({ name, rows: found[i]?.[1] }).toEqual({ name, rows });
  });

  test('is refused to a role that may not finish the transactions of a dead worker', async () => {
    const role = `limited_${process.pid}`;
    await sql.all(`CREATE ROLE ${role} LOGIN`, []);
    const url = new URL(namedCitus as string);
    url.username = role;
    const limited = openPostgres({ url: url.href, max: 1, dialect: 'citus' });
    await expect(verifyCitus(limited)).rejects.toThrow(`recover_prepared_transactions() TO "${role}"`);
    await limited.close();
    await sql.all(`DROP ROLE ${role}`, []);
  });

  test('keeps on the coordinator alone only tables that do not grow with the number of transactions', async () => {
    const local = await sql.all<{ name: string }>(
      `SELECT CAST(c.relname AS text) AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace)
       AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) ORDER BY 1`,
      [],
    );
    const indexTables = local.map(({ name }) => name).filter((name) => /^c\d+_|^moved|progress/.test(name));
    expect(indexTables).toEqual(['c1_active', 'c1_minute', 'c1_span', 'progress', 'stored_progress']);
  });

  test('finds a transaction by its ID in one shard of IDs and one of transactions', async () => {
    const [tx] = await sql.all<{ id: Uint8Array; seq: number }>('SELECT id, seq FROM c1_tx WHERE seq = 20', []);
    for (const text of [
      `SELECT seq FROM c1_tx_id WHERE id = '\\x${Buffer.from(tx?.id ?? []).toString('hex')}'`,
      'SELECT id FROM c1_tx WHERE seq = 20',
    ]) {
      const plan = await sql.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, []);
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('Task Count: 1');
    }
  });

  test('an answer copies no table between servers; its statements ask the shards of their keys, 32 at most with the same text', async () => {
    const { blockchainID: id, feeAsset } = localChainParams;
    const chain = await openCountedReads(sql, { number: 1, id, feeAsset });
    const headers = await sql.all<{ height: number; id: Uint8Array; time: number }>(
      'SELECT height, id, time FROM c1_block ORDER BY height DESC',
      [],
    );
    const tested = {
      model: source.model,
      wallet: source.wallet,
      blocks: headers.map(({ height, id, time }) => ({
        blockNumber: String(height),
        blockHash: idText(toHex(id) as Id),
        blockTimestamp: time,
      })),
    };
    const statements = new Map<string, SqlQuery>();
    let mostOfOneText = 0;
    const most = { statements: 0, roundTrips: 0 };
    for (const { path, body } of dataRequests(tested)) {
      const request = createTestRequest(path, body === undefined ? {} : { method: 'POST', body });
      const { statements: count, roundTrips } = await chain.counter.count(async () => createUncachedHandler(chain, 0)(request));
      if (!asksManyAddresses.test(`${path}${body}`)) {
        most.statements = Math.max(most.statements, count);
        most.roundTrips = Math.max(most.roundTrips, roundTrips);
      }
      const sent = chain.counter.sent();
      for (const query of sent) statements.set(query.text, query);
      for (const same of Map.groupBy(sent, ({ text }) => text).values()) mostOfOneText = Math.max(mostOfOneText, same.length);
    }
    expect(statements.size).toBeGreaterThan(40);
    expect(mostOfOneText).toBeLessThanOrEqual(shardCount);
    // An undivided index takes 12 and 4 (bench/statements.test.ts): here rows of other shards are found in two steps.
    expect(most.statements).toBeLessThanOrEqual(15);
    expect(most.roundTrips).toBeLessThanOrEqual(8);
    const wrong: object[] = [];
    for (const { text, values } of statements.values()) {
      const rows = await sql.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const tasks = Math.max(0, ...[...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count)));
      // A list of keys is one array.
      const keys = Math.max(
        1,
        ...values.map((value) => (typeof value === 'string' && value.startsWith('{') ? value.split(',').length : 1)),
      );
      if (/Subplan|MapMerge/.test(plan) || (tasks > keys && !asksAllShards.test(text))) wrong.push({ text, tasks, keys, plan });
    }
    expect(wrong).toEqual([]);
  });

  test('serac api answers every request as a node does', async () => {
    const started: Program[] = [];
    try {
      const [api, follower] = await Promise.all([
        startProgram('api', `--database-url=${divided.url}`, '--database-timeout=20s'),
        startProgram('follow', server.url, '--network-id=local', '--workers=0'),
      ]);
      started.push(api, follower);
      const pages = await eventually(
        () => fetchPages([follower.client], { path: `${chainRoot}/blocks?pageSize=100` }),
        (found) => found.flatMap((page) => page.blocks)[0]?.blockNumber === String(blocks),
      );
      const requests = dataRequests({ model: source.model, wallet: source.wallet, blocks: pages.flatMap((page) => page.blocks) });
      // The list of chains has the URL of the server.
      for (const request of requests.filter(({ path, dependsOnClock }) => !dependsOnClock && !path.startsWith('/v1/chains'))) {
        const [found, expected] = [await answerOf(api, request), await answerOf(follower, request)];
        expect({ request, answer: found }).toEqual({ request, answer: expected });
      }
      // The coordinator gave the first answers only: it is logged where shards are read.
      expect(api.stderrText().match(/reading shards[^"]*/g)).toEqual(['reading shards on the workers']);
    } finally {
      for (const program of started) await program.stop();
    }
  });

  // The last test: the tables have another form afterwards.
  test('is migrated: columns and indexes of divided and reference tables, rows in the same transaction and in the background', async () => {
    const n = 'CAST(count(*) AS integer) AS n';
    const next: Migration = {
      version: newestVersion + 1,
      shared: () => ['ALTER TABLE moved ADD COLUMN added bigint'],
      chain: (_, number) => [
        ...['owner', 'tx', 'block'].map((name) => `ALTER TABLE c${number}_${name} ADD COLUMN added bigint`),
        createIndex(`c${number}_history`, ['tx', 'kind']),
      ],
      rows: function* (number) {
        yield [{ text: `UPDATE c${number}_block SET added = height + 1 WHERE height >= ?`, values: [0] }];
      },
      background: function* (number, after) {
        const last = after + 50;
        yield [{ text: `UPDATE c${number}_tx SET added = seq + 1 WHERE seq > ? AND seq <= ?`, values: [after, last] }];
        const [more] = yield* fetchRows<{ seq: number }>([{ text: `SELECT seq FROM c${number}_tx WHERE seq > ? LIMIT 1`, values: [last] }]);
        return more === undefined ? undefined : last;
      },
    };
    const chains = await sql.all<{ id: Uint8Array; genesis: Uint8Array }>('SELECT id, genesis FROM chain WHERE genesis IS NOT NULL', []);
    const [network] = await sql.all<{ value: number }>(`SELECT value FROM meta WHERE name = 'network'`, []);
    const ids = chains.map(({ id, genesis }) => ({ id: toHex(id) as Id, genesis: toHex(genesis) as Id }));
    const all = [...migrations, next];
    expect(await migratePostgres(sql, network?.value as number, ids, all)).toEqual([1]);
    await runBackgroundMigrations(sql, 1, { onProgress: () => {}, isStopped: () => false }, all);
    const [tx] = await sql.all<{ n: number }>(`SELECT ${n} FROM c1_tx WHERE added = seq + 1`, []);
    expect([tx]).toEqual(await sql.all<{ n: number }>(`SELECT ${n} FROM c1_tx`, []));
    expect(tx?.n).toBeGreaterThan(blocks);
    const [block] = await sql.all<{ n: number }>(`SELECT ${n} FROM c1_block WHERE added = height + 1`, []);
    expect(block?.n).toBe(blocks + 1);
  });
});

const asksManyAddresses = /addresses(?:=|":")[^&"]*(?:,|%2C)/;

/**
 * Statements whose rows may be in any shard: the few mint outputs of assets, a run of transactions, whose numbers are in different shards, and the number of
 * new addresses since a time.
 */
const asksAllShards = /FROM c1_minter|FROM c1_tx WHERE seq >= \? AND seq < \?|count\(\*\) AS n FROM c1_holder WHERE first/;

/** The pages of a listing without what is random in them, or the error. */
async function answerOf({ client }: Program, request: Parameters<typeof fetchPages>[1]): Promise<unknown> {
  const pages = await fetchPages([client], request).catch((error: Error) => error.message);
  return typeof pages === 'string' ? pages : pages.map(({ nextPageToken, ...page }) => ({ ...page, hasNext: nextPageToken !== undefined }));
}
