import { type KeyStore, openKeyStore } from '../../api/access/key-store.ts';
import { recordServerPlans } from '../../api/access/server-plans.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { HealthComponent, ServedChains } from '../../api/rest/served-chains.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, parseId, zeroId } from '../../base/bytes/id.ts';
import { messageOf } from '../../base/fault.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { type AddressTask, createAddressTask } from '../../chain/follow/address-task.ts';
import { explorerTablesOf } from '../../ledger/index/explorer-tables.ts';
import { indexedChains, isMigrated, probeWritePostgres, readBackfillRevision } from '../../ledger/index/migrate.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { joinStatements } from '../../ledger/index/statement-joiner.ts';
import { runSteps } from '../../ledger/index/steps.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';
import { openExplorerReads } from '../../ledger/index-read/open-explorer-reads.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import { createBlockReads } from '../../ledger/index-read/read-blocks.ts';
import { singleReaderOn } from '../../ledger/index-read/read-run.ts';
import { exportedOutputSteps } from '../../ledger/index-write/exported-outputs.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { isNodeReachable } from '../chains/follow.ts';
import type { Config } from '../config/config.ts';
import { createOutageLog, logChanges } from '../log/log.ts';
import type { Postgres } from '../platform/postgres-bun.ts';
import { databaseName, withoutPrefix } from '../platform/postgres-fault.ts';
import { loadPlans } from '../servers/access.ts';
import type { Env, ProcessEnv, TimeEnv } from '../setup/env.ts';
import { createServedChains, type NetworkDescription } from '../setup/served-network.ts';
import { createBackfillRequester } from './backfill-queue.ts';
import { type IndexVersion, watchIndexVersion } from './index-version.ts';
import { getOrCreatePageSecret, type IndexStatus, readNetworkDescription, readStatus } from './served-network-store.ts';

/** The history index in PostgreSQL that `serac index` writes, opened to be served. */
export type PostgresSource = {
  /** The database for reads of blocks; see `IndexVersion`. */
  readonly sql: Sql;
  readonly onChange: IndexVersion['onChange'];
  readonly served: ServedChains;
  /** The key that page tokens are sealed with; all servers of the database share it. */
  readonly sealKey: Uint8Array;
  readonly readChainVersion: () => ChainVersion | Promise<ChainVersion>;
  /** The keys and plans of the callers. */
  readonly keys: KeyStore;
  readonly components: { readonly database: HealthComponent };
  /** Separates cached responses of servers that do not share the database; see `cacheNamespace`. */
  readonly cacheNamespace: string;
  readonly close: () => Promise<void>;
};

/** Opens the index, and waits for it: `serac index` may be started later than `serac api`. */
export async function openPostgresSource(config: Config, env: Env): Promise<PostgresSource> {
  const sql = env.openPostgres({ url: config.databaseUrl ?? '' });
  try {
    const description = await waitForIndex(sql, env);
    const chains = await indexedChains(sql);
    await recordServerPlans(sql, loadPlans(config, env), config.access.rateLimits);
    const sealKey = await getOrCreatePageSecret(sql, env.random(32));
    const keys = await openKeyStore(sql);
    const indexStatus = watchIndexStatus(sql, env, config.databaseUrl ?? '');
    const version = watchIndexVersion(sql, createVersionQuery(sql, chains), env.timers);
    const served = createServedChainsFromPostgres(
      config,
      env,
      joinStatements(version.sql, env.timers.soon),
      chains,
      description,
      indexStatus.status,
    );
    return {
      sql: version.sql,
      onChange: version.onChange,
      served,
      sealKey,
      readChainVersion: () => {
        const withStatus = ({ tip, past }: ChainVersion): ChainVersion => ({ tip: `${tip} ${indexStatus.status()}`, past });
        const stored = version.read();
        return stored instanceof Promise ? stored.then(withStatus) : withStatus(stored);
      },
      keys,
      components: {
        database: { probeWrite: () => probeWritePostgres(sql), probeRead: async () => void (await served.chains[0].reads.tip()) },
      },
      cacheNamespace: cacheNamespace(env, served, sealKey),
      close: async () => {
        indexStatus.stop();
        version.stop();
        await sql.close();
      },
    };
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/**
 * The key prefix of cached responses. Servers share responses only if they have the same version, network and database: a local network may
 * start again from block 0 under the same name.
 */
const cacheNamespace = ({ version }: ProcessEnv, { network: { id, name } }: ServedChains, secret: Uint8Array): string =>
  `${version} ${id} ${name} ${sha256Hex(secret)}`;

/** Milliseconds between two attempts to find an index in the database. */
const retryInterval = 1000;

/** Waits until the database has a history index of this version: `serac index` may be started later than `serac api`. */
async function waitForIndex(sql: Postgres, env: ProcessEnv & TimeEnv): Promise<NetworkDescription> {
  const logChange = logChanges(env.log);
  for (;;) {
    const found = await readNetworkDescription(sql).catch((error: unknown) => (error as { message: string }).message);
    if (typeof found === 'object') {
      if (await isMigrated(sql)) return found;
      logChange('waiting: the database has the index of an earlier version; start serac index of this version, which migrates it');
      await sleep(env.timers, retryInterval);
      continue;
    }
    logChange(`waiting: ${found ?? 'the database has no index yet; start one with: serac index URL --database-url …'}`);
    await sleep(env.timers, retryInterval);
  }
}

function createServedChainsFromPostgres(
  config: Config,
  env: Env,
  sql: Sql,
  indexed: readonly IndexedChain[],
  about: NetworkDescription,
  life: ReadStatus,
): ServedChains {
  const numbers = new Map(indexed.map(({ id, number }) => [id, number]));
  return createServedChains({
    description: about,
    config,
    subnetID: zeroId,
    builder: undefined,
    now: () => Number(env.clock.unixSeconds()),
    chain: (id, alias, feeAsset) => {
      const chain = { number: numbers.get(id) ?? 1, id, feeAsset };
      const reads = openReads(sql, chain);
      return {
        reads,
        explorer: openExplorerReads(sql, { ...chain, hasInbound: false }),
        rpcUrl: `${about.node ?? ''}/ext/bc/${alias}`,
        status: life,
        foreignImports: 'looked-up',
        backfillAddresses: createBackfillThroughIndexer(env, sql, {
          ...chain,
          reads,
          counterparts: about.counterparts.map((one) => parseId(one.id)),
        }),
      };
    },
  });
}

type IndexedChain = { readonly number: number; readonly id: Id };

type IndexedPostgresChain = IndexedChain & { readonly reads: IndexReads; readonly counterparts: readonly Id[] };

/**
 * Backfills addresses: asks the indexer to fetch from the followed node what blocks do not contain. Skips addresses for which there is
 * nothing to fetch.
 */
function createBackfillThroughIndexer(env: TimeEnv, sql: Sql, { reads, counterparts, ...chain }: IndexedPostgresChain): AddressTask {
  const now = env.clock.monotonic;
  const requestBackfill = createBackfillRequester(sql, { timers: env.timers, now });
  const backfillPreLinearization = createAddressTask(requestBackfill, { concurrency: maxConcurrentRequests });
  const backfillExports = createAddressTask(requestBackfill, {
    concurrency: maxConcurrentRequests,
    validFor: { milliseconds: exportsMaxAge, now },
  });
  const { filterOwners } = exportedOutputSteps(chain, 'postgres');
  return async (addresses) => {
    const [completeFrom, owners] = await Promise.all([reads.completeFrom(), runSteps(sql, filterOwners(addresses, counterparts))]);
    await Promise.all([completeFrom > 0 ? backfillPreLinearization(addresses) : undefined, backfillExports(owners)]);
  };
}

/** Milliseconds for which the state of an address's exported outputs is not fetched again. */
const exportsMaxAge = 1000;
const maxConcurrentRequests = 1024;

type ReadStatus = ServedChains['chains'][0]['status'];

/** Seconds without a status update after which the indexer counts as stopped. */
const indexerTimeout = 10;
/** Milliseconds between two reads of the indexer's status. */
const statusInterval = 2000;

/** Polls the indexer's status: `OK` while it writes the index and the followed node answers. Logs when the database does not answer. */
function watchIndexStatus(
  sql: Postgres,
  env: ProcessEnv & TimeEnv,
  url: string,
): { readonly status: ReadStatus; readonly stop: () => void } {
  const outage = createOutageLog(env.log, databaseName(url));
  let last: IndexStatus | undefined;
  let cancel = () => {};
  let stopped = false;
  const watch = async (): Promise<void> => {
    try {
      last = await readStatus(sql);
      outage.regained();
    } catch (error) {
      if (!stopped) outage.lost(withoutPrefix(messageOf(error), databaseName(url)));
    }
    if (stopped) return;
    cancel = env.timers.after(statusInterval, () => void watch());
  };
  void watch();
  return {
    status: () =>
      last !== undefined && isNodeReachable(last.state) && Number(env.clock.unixSeconds()) - last.at < indexerTimeout
        ? 'OK'
        : 'UNAVAILABLE',
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

/** Returns a function that reads the last block of every chain and the backfill revision. */
function createVersionQuery(sql: Sql, chains: readonly IndexedChain[]): () => Promise<ChainVersion> {
  const read = singleReaderOn(sql);
  const readTips = chains.map(({ number, id }) => {
    const { tip } = createBlockReads({ ...tablesOf(number), ...explorerTablesOf(number) }, id);
    return () => read(tip);
  });
  return async () => {
    const [backfillRevision, ...tips] = await Promise.all([readBackfillRevision(sql), ...readTips.map((readTip) => readTip())]);
    return { tip: tips.map(({ id }) => id).join(' '), past: `${backfillRevision}` };
  };
}
