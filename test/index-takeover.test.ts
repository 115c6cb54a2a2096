import { describe, expect, test } from 'bun:test';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { idFromBytes, idText } from '../src/base/bytes/id.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { runOnPostgres } from '../src/ledger/index/query-runner.ts';
import { heightOf } from './chain-oracle.ts';
import { type CutProxy, startCutProxy } from './cut-proxy.ts';
import { chainRoot, fetchPages, itemsOf } from './data-requests.ts';
import { recordTime } from './figure.ts';
import { checkIndex } from './index-check/check-index.ts';
import { indexedHeight, waitForHeight } from './index-rows.ts';
import { createIssuer } from './issuer.ts';
import { eventually } from './processes.ts';
import { type Indexer, type Program, startIndexer, startProgram } from './program.ts';
import { hasServers, openServers, suiteName } from './servers.ts';
import { localChainParams } from './wallet-kit.ts';

/** Two indexers of one database: the one that writes dies, hangs or is cut off, and the other one takes over. */

/** Rounds; each ends the one that writes in another way. SERAC_INDEX_TAKEOVERS=50 is the long run. */
const rounds = Number(process.env.SERAC_INDEX_TAKEOVERS ?? 2);
const seed = Number(process.env.SERAC_SEED ?? 8);

/** Milliseconds until blocks are stored again: the lease (10 s), a second look at it, two attempts, and the start of the follower. */
const gapLimit = 20_000;

type Failure = 'killed' | 'frozen' | 'cut off';
const failures: readonly Failure[] = ['frozen', 'cut off', 'killed'];

/** An indexer behind a cable of its own. */
type Cabled = { readonly indexer: Indexer; readonly proxy: CutProxy };

describe.skipIf(!hasServers)(suiteName('takeover', hasServers), () => {
  test(
    `the indexer that writes is ended, frozen or cut off ${rounds} times under load: another takes over, no row is lost or duplicated`,
    async () => {
      const servers = await openServers('index_takeover');
      const sql = openPostgres({ url: servers.database, max: 1, statementMilliseconds: 60_000 });
      const node = await startProgram();
      const indexers: Cabled[] = [];
      const start = async (): Promise<Cabled> => {
        const url = new URL(servers.database);
        const proxy = await startCutProxy(Number(url.port));
        url.port = String(proxy.port);
        return { proxy, indexer: startIndexer(node.url, `--database-url=${url.href}`) };
      };
      let isLoading = true;
      let load = Promise.resolve();
      try {
        indexers.push(await start());
        const issuer = createIssuer({ seed, client: node.client });
        await issuer.fund();
        await waitForHeight(sql, 0, 120_000);
        indexers.push(await start());
        load = (async () => {
          while (isLoading) await issuer.issue(4);
        })();
        const gaps = new Map<Failure, number>();
        for (let round = 0; round < rounds; round++) {
          const failure = failures[round % failures.length] as Failure;
          const standby = await eventually(
            () => indexers.findIndex(({ indexer }) => isStandby(indexer)),
            (found) => found >= 0,
          );
          await Bun.sleep(issuer.random.below(600));
          const failed = indexers[1 - standby] as Cabled;
          const since = performance.now();
          fail(failed, failure);
          const { height, seen } = await lastSeen(sql);
          await waitForHeight(sql, height + 1, 120_000);
          recordTime(`blocks are stored again after the indexer is ${failure}`, since, gapLimit);
          const gap = performance.now() - seen;
          gaps.set(failure, Math.max(gaps.get(failure) ?? 0, gap));
          if (rounds > failures.length) console.log(`round ${round + 1}: ${failure}, blocks again after ${(gap / 1000).toFixed(1)} s`);
          if (failure === 'frozen') process.kill(failed.indexer.pid, 'SIGCONT');
          if (failure === 'cut off') failed.proxy.restore();
          if (failure === 'killed') {
            await failed.indexer.exited;
            failed.proxy.close();
            indexers[1 - standby] = await start();
          }
        }
        for (const [failure, gap] of gaps) console.log(`longest gap after the indexer was ${failure}: ${(gap / 1000).toFixed(1)} s`);
        isLoading = false;
        await load;
        await waitForHeight(sql, await heightOf(node.client), 120_000);
        await expectWhole(sql, node);
        expect(await Promise.all(indexers.map(({ indexer }) => indexer.stop()))).toEqual([0, 0]);
      } finally {
        isLoading = false;
        await load;
        for (const { indexer, proxy } of indexers) {
          await indexer.stop('SIGKILL');
          proxy.close();
        }
        await node.stop();
        await sql.close();
        await servers.close();
      }
    },
    60_000 + rounds * 60_000,
  );
});

/** The last line about its role says that it waits. */
function isStandby({ stderrText }: Indexer): boolean {
  const text = stderrText();
  return text.lastIndexOf('waiting to take over') > text.lastIndexOf('indexing http');
}

function fail({ indexer, proxy }: Cabled, failure: Failure): void {
  if (failure === 'cut off') proxy.cut();
  else process.kill(indexer.pid, failure === 'killed' ? 'SIGKILL' : 'SIGSTOP');
}

/** The height when it has not changed for half a second, and when it was seen to change: a commit on its way may still arrive. */
async function lastSeen(sql: Postgres): Promise<{ readonly height: number; readonly seen: number }> {
  let [height, seen] = [await indexedHeight(sql), performance.now()];
  while (performance.now() - seen < 500) {
    await Bun.sleep(5);
    const next = await indexedHeight(sql);
    if (next !== height) [height, seen] = [next, performance.now()];
  }
  return { height, seen };
}

/** Every block of the node is stored once, with its transactions, and the index agrees with them. */
async function expectWhole(sql: Postgres, node: Program): Promise<void> {
  const { blockchainID: id, feeAsset } = localChainParams;
  expect(await runOnPostgres(sql, checkIndex([{ number: 1, id, feeAsset, completeFrom: 0 }], 'postgres'))).toEqual([]);
  const stored = await sql.all<{ height: number; id: Uint8Array }>('SELECT height, id FROM c1_block ORDER BY height DESC', []);
  const txs = await sql.all<{ height: number; id: Uint8Array }>('SELECT height, id FROM c1_tx WHERE height > 0 ORDER BY seq', []);
  const txsAt = Map.groupBy(txs, ({ height }) => height);
  const textOf = ({ id: bytes }: { readonly id: Uint8Array }): string => idText(idFromBytes(bytes));
  const blocks = itemsOf(await fetchPages([node.client], { path: `${chainRoot}/blocks?pageSize=100` }));
  expect(blocks.length).toBeGreaterThan(rounds);
  expect(stored.map((block) => [textOf(block), ...(txsAt.get(block.height) ?? []).map(textOf)])).toEqual(
    blocks.map(({ blockHash, transactions }: { blockHash: string; transactions: readonly string[] }) => [blockHash, ...transactions]),
  );
}
