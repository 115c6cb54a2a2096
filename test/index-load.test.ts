import { afterAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { indexTablesOf } from '../src/ledger/index/tables.ts';
import { tablesOf } from '../src/ledger/state/schema.ts';
import { indexedHeight, rowsIn } from './index-rows.ts';
import { startIndexer } from './program.ts';
import { createRandom } from './random.ts';
import { createScriptedNode, serveScriptedNode } from './scripted-node.ts';
import { hasServers, openServers, suiteName } from './servers.ts';
import { openSourceChain } from './source-chain.ts';

/** `serac index` catching up with a chain: stopped at any point, it continues there, and in the end has the rows of a load that was not stopped. */

const blocks = 400;

describe.skipIf(!hasServers)(suiteName('serac index', hasServers), () => {
  const source = openSourceChain(41);
  source.grow(blocks);
  const node = createScriptedNode(source);
  const server = serveScriptedNode(node);
  afterAll(() => server.stop());

  /** Runs `serac index` until a height is stored; ends it with a signal. */
  const runUntil = async (
    database: string,
    sql: Postgres,
    height: number,
    signal: 'SIGKILL' | 'SIGTERM',
    ...flags: readonly string[]
  ): Promise<void> => {
    const indexer = startIndexer(server.url, `--database-url=${database}`, '--network-id=local', ...flags);
    while ((await indexedHeight(sql)) < height) {
      if (await Promise.race([indexer.exited.then(() => true), Bun.sleep(2)])) throw new Error(indexer.stderrText());
    }
    await indexer.stop(signal);
  };

  const open = (url: string) => openPostgres({ url, max: 1, statementMilliseconds: 60_000 });

  test('killed at any point, it continues and stores the same rows as one that was never stopped', async () => {
    const random = createRandom(7);
    const [killed, whole] = [await openServers('index_killed'), await openServers('index_whole')];
    const [killedSql, wholeSql] = [open(killed.database), open(whole.database)];
    try {
      node.height = BigInt(blocks);
      await runUntil(whole.database, wholeSql, blocks, 'SIGTERM');
      let kills = 0;
      for (let top = 50; top < blocks - 40; top += 60, kills++) {
        // The node has only so many blocks for a while, so that there are many commits. The kill comes while the next one is written or before it.
        node.height = BigInt(top + random.below(40));
        await runUntil(killed.database, killedSql, top - random.below(40), 'SIGKILL');
      }
      expect(kills).toBe(6);
      node.height = BigInt(blocks);
      await runUntil(killed.database, killedSql, blocks, 'SIGTERM');
      const [after, expected] = [await rowsIn(killedSql), await rowsIn(wholeSql)];
      for (const [i, [name, rows]] of expected.entries()) expect({ name, rows: after[i]?.[1] }).toEqual({ name, rows });
      // The chain begins with block 0, has few outputs and lasts less than an hour.
      const empty = [tablesOf(1).oldUtxo, tablesOf(1).outputId, indexTablesOf(1).span];
      expect(expected.filter(([, rows]) => rows.length === 0).map(([name]) => name)).toEqual(empty);
    } finally {
      await Promise.all([killedSql.close(), wholeSql.close()]);
      await Promise.all([killed.close(), whole.close()]);
    }
  });

  test('with --trust-node it stores the same rows, public keys included', async () => {
    const [verifying, trusting] = [await openServers('index_verifying'), await openServers('index_trusting')];
    const [verifyingSql, trustingSql] = [open(verifying.database), open(trusting.database)];
    try {
      node.height = BigInt(blocks / 4);
      await runUntil(verifying.database, verifyingSql, blocks / 4, 'SIGTERM');
      await runUntil(trusting.database, trustingSql, blocks / 8, 'SIGKILL', '--trust-node');
      await runUntil(trusting.database, trustingSql, blocks / 4, 'SIGTERM', '--trust-node');
      expect(await rowsIn(trustingSql)).toEqual(await rowsIn(verifyingSql));
      const keys = 'SELECT address, public_key FROM signer_key ORDER BY address';
      expect(await trustingSql.all(keys, [])).toEqual(await verifyingSql.all(keys, []));
    } finally {
      await Promise.all([verifyingSql.close(), trustingSql.close()]);
      await Promise.all([verifying.close(), trusting.close()]);
    }
  });
});
