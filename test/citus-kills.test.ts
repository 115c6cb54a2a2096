import { afterAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { citusSuite, namedCitus, type PrivateCitus, startCitus } from './citus-cluster.ts';
import { rowsIn } from './index-rows.ts';
import { type Indexer, startIndexer } from './program.ts';
import { createRandom } from './random.ts';
import { createScriptedNode } from './scripted-node.ts';
import { hasServers, openServers } from './servers.ts';
import { openSourceChain } from './source-chain.ts';

/**
 * Kills of a worker, the coordinator and the indexer while blocks are indexed on a Citus cluster: afterwards all tables have the rows of a plain PostgreSQL that
 * indexed the same chain, and no prepared transaction is left. SERAC_CITUS_KILLS sets the number of kills.
 */
const kills = Number(process.env.SERAC_CITUS_KILLS ?? 3);
const blocksPerKill = 12;

describe.skipIf(namedCitus === undefined || !hasServers)(citusSuite('Citus'), () => {
  const source = openSourceChain(43);
  source.grow((kills + 1) * blocksPerKill);
  const node = createScriptedNode(source);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { text = '', status } = await node.transport({
        url: '',
        body: await request.text(),
        maxBytes: 1 << 26,
        signal: request.signal,
      });
      return new Response(text, { status });
    },
  });
  afterAll(() => server.stop(true));

  const index = (url: string, ...flags: string[]): Indexer =>
    startIndexer(`http://127.0.0.1:${server.port}`, `--database-url=${url}`, '--network-id=local', ...flags);
  const open = (url: string): Postgres => openPostgres({ url, max: 1, statementMilliseconds: 60_000 });

  /** Waits until a height is published. */
  const untilHeight = async (url: string, height: number, indexer: Indexer): Promise<void> => {
    for (;;) {
      const sql = open(url);
      const [row] = await sql
        .all<{ height: number | null }>('SELECT max(height) AS height FROM progress', [])
        .catch(() => [{ height: null }]);
      await sql.close();
      if ((row?.height ?? -1) >= height) return;
      if (await Promise.race([indexer.exited.then(() => true), Bun.sleep(20)])) throw new Error(indexer.stderrText());
    }
  };

  /** Kills something at a random moment while blocks are indexed, and starts it again. */
  const killOnce = async (cluster: PrivateCitus, indexer: Indexer, random: ReturnType<typeof createRandom>): Promise<Indexer> => {
    await Bun.sleep(random.below(1500));
    const victim = random.below(4);
    if (victim === 3) {
      await indexer.stop('SIGKILL');
      return index(cluster.url);
    }
    const killed = victim === 2 ? cluster.coordinator : cluster.workers[victim];
    await killed?.end('kill');
    await Bun.sleep(random.below(500));
    await killed?.start();
    return indexer;
  };

  test('killed again and again, it has the rows of plain PostgreSQL', async () => {
    const random = createRandom(11);
    const [cluster, plain] = [await startCitus(), await openServers('citus_plain')];
    let indexer: Indexer | undefined;
    try {
      node.height = 0n;
      indexer = index(cluster.url, '--distribute');
      await untilHeight(cluster.url, 0, indexer);
      for (let round = 1; round <= kills; round++) {
        node.height = BigInt(round * blocksPerKill);
        indexer = await killOnce(cluster, indexer, random);
        await untilHeight(cluster.url, round * blocksPerKill, indexer);
        if (kills > 5) console.error(`  ${round} kills, ${Math.round(performance.now() / 1000)} s`);
      }
      const top = (kills + 1) * blocksPerKill;
      node.height = BigInt(top);
      await untilHeight(cluster.url, top, indexer);
      await indexer.stop('SIGTERM');
      indexer = index(plain.database);
      await untilHeight(plain.database, top, indexer);
      const [citusSql, plainSql] = [open(cluster.url), open(plain.database)];
      const [found, expected] = [await rowsIn(citusSql), await rowsIn(plainSql)];
      await Promise.all([citusSql.close(), plainSql.close()]);
      for (const [i, [name, rows]] of expected.entries()) expect({ name, rows: found[i]?.[1] }).toEqual({ name, rows });
      expect(await cluster.countPrepared()).toBe(0);
    } finally {
      await indexer?.stop('SIGKILL');
      await cluster.remove();
      await plain.close();
    }
  });
});
