import { describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { recordTime } from './figure.ts';
import { indexedHeight, waitForHeight } from './index-rows.ts';
import { createIssuer } from './issuer.ts';
import { startIndexer, startProgram } from './program.ts';
import { hasPrivateServers, openPrivateServers, suiteName } from './servers.ts';

/**
 * A busy or suspended machine stops the indexer, PostgreSQL or both for seconds, in the middle of transactions. Nobody else wants to write meanwhile, so
 * the indexer keeps its lease: to lose it costs a new connection, a new term and the start of the follower.
 */

/** Seconds of the stalls, each of all three kinds. SERAC_STALLS=3,4,5,6,7,8,9 is the long run. */
const stalls = (process.env.SERAC_STALLS ?? '3,9').split(',').map(Number);

/** Milliseconds after a stall until blocks are stored again: a statement that timed out is tried again, a connection may have to be opened. */
const gapLimit = 4000;

type Stalled = 'the indexer' | 'PostgreSQL' | 'both';
const kinds: readonly Stalled[] = ['the indexer', 'PostgreSQL', 'both'];

describe.skipIf(!hasPrivateServers)(suiteName('stalls', hasPrivateServers), () => {
  test(
    `after stalls of ${stalls.join(', ')} s the indexer has its lease still and goes on at once`,
    async () => {
      const { postgres, redis } = await openPrivateServers();
      const sql = openPostgres({ url: postgres.url, max: 1, statementMilliseconds: 60_000 });
      const node = await startProgram();
      const indexer = startIndexer(node.url, `--database-url=${postgres.url}`);
      const issuer = createIssuer({ seed: 3, client: node.client });
      let isLoading = true;
      let load = Promise.resolve();
      try {
        await issuer.fund();
        await waitForHeight(sql, 1, 60_000);
        load = (async () => {
          while (isLoading) await issuer.issue(4);
        })();
        const lease = await readLease(sql);
        for (const seconds of stalls)
          for (const kind of kinds) {
            await waitForHeight(sql, (await indexedHeight(sql)) + 2, 60_000);
            await Bun.sleep(issuer.random.below(300));
            if (kind !== 'PostgreSQL') process.kill(indexer.pid, 'SIGSTOP');
            if (kind !== 'the indexer') postgres.freeze();
            await Bun.sleep(seconds * 1000);
            if (kind !== 'the indexer') postgres.thaw();
            if (kind !== 'PostgreSQL') process.kill(indexer.pid, 'SIGCONT');
            const since = performance.now();
            await waitForHeight(sql, (await indexedHeight(sql)) + 1, 60_000);
            recordTime(`blocks are stored again after ${kind} stalled for ${seconds} s`, since, gapLimit);
            expect({ kind, seconds, lease: await readLease(sql) }).toEqual({ kind, seconds, lease });
          }
        expect(indexer.stderrText()).not.toContain('lease');
      } finally {
        isLoading = false;
        await load;
        await indexer.stop('SIGKILL');
        await node.stop();
        await sql.close();
        await postgres.remove();
        await redis.kill();
      }
    },
    60_000 + stalls.reduce((sum, seconds) => sum + 3 * (seconds + 30) * 1000, 0),
  );
});

/** Who has the lease, since when: the term grows with every holder. */
const readLease = (sql: Postgres) => sql.all<{ term: number; holder: string }>('SELECT term, holder FROM index_lease', []);
