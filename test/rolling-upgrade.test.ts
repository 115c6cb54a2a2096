import { afterAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { idOf } from '../src/base/bytes/id.ts';
import { runBackgroundMigrations } from '../src/ledger/index/background-migration.ts';
import { migratePostgres } from '../src/ledger/index/migrate.ts';
import type { Migration } from '../src/ledger/index/migrations.ts';
import { heightOf } from './chain-oracle.ts';
import { chainRoot, sendRequest } from './data-requests.ts';
import { createIssuer } from './issuer.ts';
import { localGenesis } from './local-chain.ts';
import { nextRelease, secondNextRelease } from './next-release.ts';
import { eventually } from './processes.ts';
import { runProgram, startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';

/** `serac api` of this version over the tables of a made-up next version, which a newer indexer would have migrated. */

const patience = 60_000;
const lastBlock = { path: `${chainRoot}/blocks?pageSize=1` };

describe.skipIf(!hasServers)(suiteName('rolling upgrade', hasServers), () => {
  const ending: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of ending.reverse()) await end();
  });

  test('servers answer while the tables are migrated to the next version; of a version that they cannot read they say so', async () => {
    const servers = await openServers('rolling_upgrade');
    ending.push(servers.close);
    const node = await startProgram();
    ending.push(() => node.stop());
    const issuer = createIssuer({ seed: 31, client: node.client, invalidPercent: 0 });
    await issuer.fund();
    for (let i = 0; i < 5; i++) await issuer.issue(8);
    const url = `--database-url=${servers.database}`;
    const indexer = startIndexer(node.url, url);
    const api = await startProgram('api', url);
    ending.push(() => api.stop());
    const height = await heightOf(node.client);
    const answer = async (client = api.client) => {
      const { status, json } = await sendRequest(client, lastBlock);
      return status === 200 ? Number(json.blocks[0].blockNumber) : `${status} ${json.message}`;
    };
    await eventually(answer, (served) => served === height, patience);
    await indexer.stop();

    const answers: unknown[] = [];
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) {
        answers.push(await answer());
        await sendRequest(api.client, { path: `${chainRoot}/transactions?pageSize=${1 + (answers.length % 20)}` });
      }
    })();
    const sql = openPostgres({ url: servers.database, max: 1, statementMilliseconds: 30_000 });
    ending.push(() => sql.close());
    const { x } = localGenesis();
    const geneses = [{ id: x.blockchainID, genesis: idOf(x.genesis.bytes) }];
    const migrate = (all: readonly Migration[]) => migratePostgres(sql, 12345, geneses, all);
    await migrate(nextRelease);
    const second = await startProgram('api', url);
    ending.push(() => second.stop());
    await runBackgroundMigrations(sql, 1, { onProgress: () => {}, isStopped: () => false }, nextRelease);
    const [left] = await sql.all<{ n: number }>('SELECT count(*) AS n FROM c1_tx WHERE size IS DISTINCT FROM length(bytes)', []);
    expect(Number(left?.n)).toBe(0);
    expect(await answer(second.client)).toBe(height);
    isWatching = false;
    await watching;
    expect(answers.length).toBeGreaterThan(1);
    expect(new Set(answers)).toEqual(new Set([height]));
    // This version cannot write these tables.
    const old = startIndexer(node.url, url);
    expect(await old.exited).toBe(1);
    expect(old.stderrText()).toContain('this program supports version 1');

    await migrate(secondNextRelease);
    const refusal = 'The database was migrated to a version that this server cannot read; start the newer version of serac api';
    for (const program of [api, second])
      await eventually(
        () => answer(program.client),
        (text) => text === `503 ${refusal}`,
        patience,
      );
    const refused = await runProgram('api', url, '--http-port=0');
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining('the database has version 3 of the index')]);
  });
});
