import { afterAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { citusSuite, namedCitus, type PrivateCitus, startCitus } from './citus-cluster.ts';
import { rowsIn } from './index-rows.ts';
import type { PrivatePostgres } from './postgres.ts';
import { type Indexer, startIndexer } from './program.ts';
import { recordProof } from './proofs/proof.ts';
import { createRandom } from './random.ts';
import { createScriptedNode, serveScriptedNode } from './scripted-node.ts';
import { hasServers, openServers } from './servers.ts';
import { openSourceChain } from './source-chain.ts';

/**
 * Kills of a worker, the coordinator and the indexer in turn while blocks are indexed on a Citus cluster: afterwards all tables have the rows of a plain
 * PostgreSQL that indexed the same chain, and no prepared transaction is left. SERAC_CITUS_KILLS sets the number of kills.
 */
const kills = Number(process.env.SERAC_CITUS_KILLS ?? 4);
const blocksPerKill = 12;
const victims = ['worker 1', 'coordinator', 'worker 2', 'indexer'] as const;

describe.skipIf(namedCitus === undefined || !hasServers)(citusSuite('Citus'), () => {
  const source = openSourceChain(43);
  source.grow((kills + 1) * blocksPerKill);
  const node = createScriptedNode(source);
  const server = serveScriptedNode(node);
  afterAll(() => server.stop());

  const index = (url: string, ...flags: string[]): Indexer =>
    startIndexer(server.url, `--database-url=${url}`, '--network-id=local', ...flags);
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

  /** Kills one after the other while blocks are indexed, each at a random moment, and starts it again. */
  const killOnce = async (cluster: PrivateCitus, indexer: Indexer, round: number): Promise<Indexer> => {
    const victim = victims[round % victims.length] as (typeof victims)[number];
    const killAfter = random.below(blocksPerKill);
    let running = indexer;
    for (let block = 0; block < blocksPerKill; block++) {
      node.height = (node.height ?? 0n) + 1n;
      await Bun.sleep(random.below(100));
      if (block !== killAfter) continue;
      if (victim === 'indexer') {
        await indexer.stop('SIGKILL');
        running = index(cluster.url);
        continue;
      }
      const killed = victim === 'coordinator' ? cluster.coordinator : (cluster.workers[victim === 'worker 1' ? 0 : 1] as PrivatePostgres);
      await killed.end('kill');
      await Bun.sleep(random.below(500));
      await killed.start();
    }
    return running;
  };

  /** The tables of an index on Citus that have other rows than those of plain PostgreSQL. */
  const compareTables = async (citus: string, plain: string) => {
    const [citusSql, plainSql] = [open(citus), open(plain)];
    const [found, expected] = [await rowsIn(citusSql), await rowsIn(plainSql)];
    await Promise.all([citusSql.close(), plainSql.close()]);
    const different = expected.filter(([, rows], i) => !Bun.deepEquals(rows, found[i]?.[1])).map(([name]) => `${name} has other rows`);
    return { different, tables: expected.length, rows: expected.reduce((sum, [, one]) => sum + one.length, 0) };
  };

  const random = createRandom(11);

  test(
    'killed again and again, it has the rows of plain PostgreSQL',
    async () => {
      const [cluster, plain] = [await startCitus(), await openServers('citus_plain')];
      let indexer: Indexer | undefined;
      try {
        node.height = 0n;
        indexer = index(cluster.url, '--distribute');
        await untilHeight(cluster.url, 0, indexer);
        for (let round = 0; round < kills; round++) {
          indexer = await killOnce(cluster, indexer, round);
          await untilHeight(cluster.url, (round + 1) * blocksPerKill, indexer);
          if (kills > 5) console.error(`  ${round + 1} kills, ${Math.round(performance.now() / 1000)} s`);
        }
        const top = (kills + 1) * blocksPerKill;
        node.height = BigInt(top);
        await untilHeight(cluster.url, top, indexer);
        await indexer.stop('SIGTERM');
        indexer = index(plain.database);
        await untilHeight(plain.database, top, indexer);
        const { different, rows, tables } = await compareTables(cluster.url, plain.database);
        const prepared = await cluster.countPrepared();
        recordProof('citus-kills', kills, { kills, blocks: top, tables, rows, 'prepared transactions left': prepared }, different);
        expect({ different, prepared }).toEqual({ different: [], prepared: 0 });
      } finally {
        await indexer?.stop('SIGKILL');
        await cluster.remove();
        await plain.close();
      }
    },
    300_000 + kills * 60_000,
  );

  test('with the promoted replica of a worker that was killed under load, it has the rows of plain PostgreSQL', async () => {
    const [cluster, plain] = [await startCitus(), await openServers('citus_replica')];
    const [, killed] = cluster.workers as [PrivatePostgres, PrivatePostgres];
    const [killAfter, top] = [1 + random.below(blocksPerKill), 2 * blocksPerKill];
    let indexer: Indexer | undefined;
    try {
      const replica = await cluster.replicate(killed);
      node.height = 0n;
      indexer = index(cluster.url, '--distribute');
      await untilHeight(cluster.url, 0, indexer);
      for (let block = 0; block < top; block++) {
        node.height = BigInt(block + 1);
        await Bun.sleep(random.below(100));
        if (block !== killAfter) continue;
        await killed.end('kill');
        await Bun.sleep(random.below(500));
        await cluster.replace(killed, replica);
      }
      await untilHeight(cluster.url, top, indexer);
      await indexer.stop('SIGTERM');
      indexer = index(plain.database);
      await untilHeight(plain.database, top, indexer);
      const { different } = await compareTables(cluster.url, plain.database);
      expect({ different, prepared: await cluster.countPrepared() }).toEqual({ different: [], prepared: 0 });
    } finally {
      await indexer?.stop('SIGKILL');
      await cluster.remove();
      await plain.close();
    }
  }, 300_000);
});
