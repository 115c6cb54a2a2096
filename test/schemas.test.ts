import { afterAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { heightOf } from './chain-oracle.ts';
import { chainRoot, sendRequest } from './data-requests.ts';
import { createIssuer } from './issuer.ts';
import { eventually } from './processes.ts';
import { startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';

/** Indexes of the same chain in two schemas of one database, as while one is built again beside the one that is served. */

const patience = 60_000;

describe.skipIf(!hasServers)(suiteName('schemas of a database', hasServers), () => {
  const ending: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of ending.reverse()) await end();
  });

  test('each has an indexer and servers of its own; a schema that does not exist is named', async () => {
    const servers = await openServers('schemas');
    ending.push(servers.close);
    const names = ['blue', 'Green "1"'];
    const sql = openPostgres({ url: servers.database, max: 1, statementMilliseconds: 30_000 });
    for (const name of names) await sql.all(`CREATE SCHEMA "${name.replaceAll('"', '""')}"`, []);
    await sql.close();
    const node = await startProgram();
    ending.push(() => node.stop());
    const issuer = createIssuer({ seed: 41, client: node.client, invalidPercent: 0 });
    await issuer.fund();
    await issuer.issue(8);
    const height = await heightOf(node.client);
    for (const name of names) {
      const url = `--database-url=${servers.database}?schema=${encodeURIComponent(name)}`;
      const indexer = startIndexer(node.url, url);
      ending.push(() => indexer.stop());
      const api = await startProgram('api', url);
      ending.push(() => api.stop());
      const served = await eventually(
        async () => (await sendRequest(api.client, { path: `${chainRoot}/blocks?pageSize=1` })).json.blocks?.[0]?.blockNumber,
        (number) => number === String(height),
        patience,
      );
      expect(served).toBe(String(height));
    }
    const lost = startIndexer(node.url, `--database-url=${servers.database}?schema=nowhere`);
    expect(await lost.exited).toBe(1);
    expect(lost.stderrText()).toContain('the schema "nowhere" does not exist');
  });
});
