import { createKeyReader, type KeyStore } from '../../api/access/key-store.ts';
import type { ReadConsistency } from '../../api/rest/read-consistency.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { HealthComponent, ServedChains } from '../../api/rest/served-chains.ts';
import { createServedChains, type NetworkDescription } from '../../api/rest/served-network.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { parseId, zeroId } from '../../base/bytes/id.ts';
import { logChanges } from '../../base/log/log.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { type IndexStatusWatch, watchIndexStatus } from '../../cluster/api-server/index-status.ts';
import { type IndexVersion, watchIndexVersion } from '../../cluster/api-server/index-version.ts';
import { createIndexerBackfill } from '../../cluster/api-server/indexer-backfill.ts';
import { createVersionQuery, type IndexedChain } from '../../cluster/api-server/version-query.ts';
import { openBackfilledAddressReads } from '../../cluster/chain/backfilled-addresses.ts';
import { verifyPartitions } from '../../cluster/chain/partitions.ts';
import type { DatabaseConfig } from '../../cluster/hosts/database-config.ts';
import { type DatabaseHosts, openDatabaseHosts } from '../../cluster/hosts/database-hosts.ts';
import { startPosition } from '../../cluster/hosts/read-position.ts';
import { createServedPosition, noServedPosition } from '../../cluster/hosts/served-position.ts';
import { readNetworkDescription, readPageSecret } from '../../cluster/indexer/served-network-store.ts';
import { joinStatements } from '../../cluster/postgres/statement-joiner.ts';
import type { Redis } from '../../cluster/redis/redis.ts';
import { indexedChains, isReadable } from '../../ledger/index/migrate.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { openExplorerReads } from '../../ledger/index-read/open-explorer-reads.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import type { Config } from '../config/config.ts';
import { openTogether } from '../node/closing.ts';
import type { Env, ProcessEnv, TimeEnv } from '../platform/env.ts';

/** The history index in PostgreSQL that `serac index` writes, opened to be served. */
export type PostgresSource = {
  /** The database for reads of blocks; see `IndexVersion`. */
  readonly sql: Sql;
  readonly chains: readonly IndexedChain[];
  readonly onChange: IndexVersion['onChange'];
  readonly served: ServedChains;
  /** The key that page tokens are sealed with; all servers of the database share it. */
  readonly sealKey: Uint8Array;
  readonly readChainVersion: () => Promise<ChainVersion>;
  readonly consistency: ReadConsistency;
  /** The keys and plans of the callers. */
  readonly keys: Pick<KeyStore, 'find'>;
  readonly components: { readonly database: HealthComponent };
  /** Separates cached responses of servers that do not share the database; see `cacheNamespace`. */
  readonly cacheNamespace: string;
  readonly close: () => Promise<void>;
};

/**
 * Opens the index, and waits for it: `serac index` may be started later than `serac api`. Nothing is ever written, so a role that can only
 * read is enough, and a replica. `redis`: where the servers of a database share what they have served.
 */
export async function openPostgresSource(config: Config, env: Env, redis: Redis | undefined): Promise<PostgresSource> {
  const database = config.database as DatabaseConfig;
  return openTogether(env, async (opened) => {
    const hosts = opened.add(openDatabaseHosts(database, env));
    const listening =
      database.listenUrl === undefined ? hosts : opened.add(openDatabaseHosts({ ...database, url: database.listenUrl, poolSize: 1 }, env));
    const description = await waitForIndex(hosts.sql, env);
    const chains = await indexedChains(hosts.sql);
    for (const { number } of chains) await verifyPartitions(hosts.sql, number);
    const sealKey = await readPageSecret(hosts.sql);
    const query = createVersionQuery(chains);
    const version = watchIndexVersion({
      hosts,
      listen: listening.listen,
      query,
      timers: env.timers,
      now: env.clock.monotonic,
      served: redis === undefined ? noServedPosition : createServedPosition(redis, sha256Hex(sealKey).slice(0, 16)),
      floor: { heights: chains.map(() => 0), revision: 0 },
    });
    opened.add({ close: version.stop });
    for (const one of [hosts, listening]) one.track(async (sql) => (await query.read(sql)).position, version.floor);
    const indexStatus = watchIndexStatus(hosts, env, database.url);
    opened.add({ close: indexStatus.stop });
    await version.start();
    if (listening !== hosts) await listening.select(startPosition).catch(() => undefined);
    logListening(env, listening);
    const unrecorded = new Map<number, UnrecordedAddresses>();
    for (const { number } of chains) unrecorded.set(number, await openBackfilledAddressReads(hosts.sql, version.sql, number));
    const unrecordedOf = (chain: number) => unrecorded.get(chain) as UnrecordedAddresses;
    const served = createServedChainsFromPostgres(config, env, { hosts, version, chains, description, indexStatus, unrecordedOf });
    return {
      sql: version.sql,
      chains,
      onChange: version.onChange,
      served,
      sealKey,
      readChainVersion: async () => {
        const { tip, past } = await version.read();
        return { tip: `${tip} ${indexStatus.status()}`, past };
      },
      consistency: version,
      keys: createKeyReader(hosts.sql),
      components: { database: createHealthComponent(hosts, version) },
      cacheNamespace: cacheNamespace(env, served, sealKey),
      close: opened.close,
    };
  });
}

/** The database is up if the index can be served from it: some host has all that was served before. */
function createHealthComponent(hosts: DatabaseHosts, version: IndexVersion): HealthComponent {
  const probe = async (): Promise<void> => {
    await hosts.sql.all('SELECT 1 AS one', []);
    await version.read();
  };
  return { probeWrite: probe, probeRead: probe, note: () => hosts.leftOut().join('; ') || undefined };
}

/** Says once how this server learns of new blocks. */
function logListening({ log }: ProcessEnv, { isNotified }: DatabaseHosts): void {
  if (isNotified()) return;
  log(
    'new blocks are looked for four times a second, and the version of the index is read for every request: no primary is reached without a pooler; --database-listen-url names one',
    'warn',
  );
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
async function waitForIndex(sql: Sql, env: ProcessEnv & TimeEnv): Promise<NetworkDescription> {
  const logChange = logChanges(env.log);
  for (;;) {
    const found = await readNetworkDescription(sql).catch((error: unknown) => (error as { message: string }).message);
    if (typeof found === 'object') {
      if (await isReadable(sql)) return found;
      logChange(
        'waiting: the database has the index of an earlier version, which this one cannot read; start serac index of this version, which migrates it',
      );
      await sleep(env.timers, retryInterval);
      continue;
    }
    logChange(`waiting: ${found ?? 'the database has no index yet; start one with: serac index URL --database-url …'}`);
    await sleep(env.timers, retryInterval);
  }
}

type UnrecordedAddresses = Awaited<ReturnType<typeof openBackfilledAddressReads>>;

type IndexSource = {
  readonly hosts: DatabaseHosts;
  readonly version: IndexVersion;
  readonly chains: readonly IndexedChain[];
  readonly description: NetworkDescription;
  readonly indexStatus: IndexStatusWatch;
  /** Returns a function that finds the addresses whose outputs from before linearization may not be stored, by the number of a chain. */
  readonly unrecordedOf: (chain: number) => UnrecordedAddresses;
};

function createServedChainsFromPostgres(config: Config, env: Env, source: IndexSource): ServedChains {
  const { description: about, version } = source;
  const join = () => joinStatements(version.sql, env.timers.soon);
  // The statements of a turn are one group, which ends with its slowest: slow ones are joined and sent apart.
  const [sql, slowSql] = [join(), join()];
  const numbers = new Map(source.chains.map(({ id, number }) => [id, number]));
  return createServedChains({
    description: about,
    config,
    subnetID: zeroId,
    builder: undefined,
    now: () => Number(env.clock.unixSeconds()),
    dataAge: source.indexStatus.dataAge,
    chain: (id, alias, feeAsset) => {
      const place = source.chains.findIndex((one) => one.id === id);
      const chain = { number: numbers.get(id) ?? 1, id, feeAsset, recentTip: () => version.recentTip(place) };
      const reads = openReads(sql, chain);
      return {
        reads,
        explorer: openExplorerReads(sql, { ...chain, hasInbound: false }, undefined, slowSql),
        rpcUrl: `${about.node ?? ''}/ext/bc/${alias}`,
        status: source.indexStatus.status,
        // Blocks of a followed chain are final and never reverted.
        epoch: () => 0,
        foreignImports: 'looked-up',
        ...createIndexerBackfill(env, source, {
          sql,
          chain,
          completeFrom: reads.completeFrom,
          findUnrecorded: source.unrecordedOf(chain.number),
          counterparts: about.counterparts.map((one) => parseId(one.id)),
        }),
      };
    },
  });
}
