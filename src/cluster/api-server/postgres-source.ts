import { createKeyReader } from '../../api/access/key-store.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { HealthComponent, ServedChains } from '../../api/rest/served-chains.ts';
import { createServedChains, type NetworkDescription } from '../../api/rest/served-network.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, parseId, zeroId } from '../../base/bytes/id.ts';
import { openTogether } from '../../base/closing.ts';
import { logChanges } from '../../base/log/log.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { indexedChains, isReadable } from '../../ledger/index/migrate.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { openExplorerReads } from '../../ledger/index-read/open-explorer-reads.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import { openBackfilledAddressReads } from '../chain/backfilled-addresses.ts';
import { verifyPartitions } from '../chain/partitions.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseConfig } from '../hosts/database-config.ts';
import { type DatabaseHosts, openDatabaseHosts } from '../hosts/database-hosts.ts';
import { createServedPosition, noServedPosition, type ServedPosition } from '../hosts/served-position.ts';
import { readNetworkDescription, readPageSecret } from '../indexer/served-network-store.ts';
import type { PostgresDialect } from '../postgres/postgres.ts';
import { joinStatements } from '../postgres/statement-joiner.ts';
import type { Redis } from '../redis/redis.ts';
import { watchIndexStatus } from './index-status.ts';
import { type IndexVersion, watchIndexVersion } from './index-version.ts';
import { createIndexerBackfill } from './indexer-backfill.ts';
import { createVersionQuery } from './version-query.ts';

/** The history index in PostgreSQL that `serac index` writes, opened to be served. */
export type PostgresSource = Awaited<ReturnType<typeof openPostgresSource>>;

/**
 * Opens the index for `serac api`, and waits for it: `serac index` may be started later. Nothing is ever written, so a role that can only read is
 * enough, and a replica. `redis`: where the servers of a database share what they have served. `networkName`: replaces the network's own name.
 */
export async function openPostgresSource(
  env: ClusterEnv,
  {
    programVersion,
    database,
    networkName,
    redis,
  }: {
    /** Servers of different versions do not share cached responses. */
    readonly programVersion: string;
    readonly database: DatabaseConfig;
    readonly networkName: string | undefined;
    readonly redis: Redis | undefined;
  },
) {
  return openTogether(env, async (opened) => {
    const hosts = opened.add(openDatabaseHosts(database, env));
    const description = await waitForIndex(hosts.sql, env);
    const dialect = await hosts.readDialect();
    const chains = await indexedChains(hosts.sql);
    for (const { number } of chains) await verifyPartitions(hosts.sql, number);
    const sealKey = await readPageSecret(hosts.sql);
    const shared = redis === undefined ? noServedPosition : createServedPosition(redis, sha256Hex(sealKey).slice(0, 16));
    const version = watchVersion({ env, hosts, chains, dialect, shared });
    opened.add({ close: version.stop });
    const indexStatus = watchIndexStatus(hosts, env, database.url);
    opened.add({ close: indexStatus.stop });
    await version.start();
    if (!hosts.isNotified()) env.log(unnotifiedWarning, 'warn');

    const read = version.sql;
    const parts: ChainParts = {
      description,
      numberOf: (id) => chains.find((one) => one.id === id)?.number ?? 1,
      status: indexStatus.status,
    };
    const network = {
      description,
      networkName,
      subnetID: zeroId,
      builder: undefined,
      now: () => Number(env.clock.unixSeconds()),
      dataAge: indexStatus.dataAge,
    };
    const served = createServedChains({
      ...network,
      chain: await openServedChains(env, { parts, hosts, version, indexStatus, chains, read }),
    });
    const settled = createServedChains({ ...network, chain: openSettledChains(env, parts, version.settledSql) });
    return {
      /** The database for reads of blocks; see `watchIndexVersion`. */
      sql: read,
      chains,
      onChange: version.onChange,
      served,
      /** The same over a host that may lack blocks which were served, for answers that no later block changes. */
      settled,
      /** The key that page tokens are sealed with; all servers of the database share it. */
      sealKey,
      epoch: neverReverted,
      readChainVersion: async (): Promise<ChainVersion> => {
        const { tip, past } = await version.read();
        return { tip: `${tip} ${indexStatus.status()}`, past };
      },
      consistency: version.consistency,
      /** The keys and plans of the callers. */
      keys: createKeyReader(hosts.sql),
      /** The health of the database. */
      health: createHealthComponent(hosts, version),
      /** Separates cached responses of servers that do not share the database; see `cacheNamespace`. */
      cacheNamespace: cacheNamespace(programVersion, served, sealKey),
      close: opened.close,
    };
  });
}

type IndexWatch = ReturnType<typeof watchIndexStatus>;

/** What the chains of this server and those of `settled` have in common. */
type ChainParts = {
  readonly description: NetworkDescription;
  readonly numberOf: (id: Id) => number;
  readonly status: IndexWatch['status'];
};

type OpenChain = Parameters<typeof createServedChains>[0]['chain'];

const commonOf = ({ description, status }: ChainParts, alias: string) => ({
  rpcUrl: `${description.node ?? ''}/ext/bc/${alias}`,
  status,
  epoch: neverReverted,
});

/** The chains as of the last block that this server knows. What a request needs and the index lacks is fetched by the indexer. */
async function openServedChains(
  env: ClusterEnv,
  {
    parts,
    hosts,
    version,
    indexStatus,
    chains,
    read,
  }: {
    readonly parts: ChainParts;
    readonly hosts: DatabaseHosts;
    readonly version: IndexVersion;
    readonly indexStatus: IndexWatch;
    readonly chains: Awaited<ReturnType<typeof indexedChains>>;
    readonly read: Sql;
  },
): Promise<OpenChain> {
  // The statements of a turn are one group, which ends with its slowest: slow ones are joined and sent apart.
  const [sql, slowSql] = [joinStatements(read, env.timers.soon), joinStatements(read, env.timers.soon)];
  const findUnrecorded = new Map<number, UnrecordedAddresses>();
  for (const { number } of chains) findUnrecorded.set(number, await openBackfilledAddressReads(hosts.sql, read, number));
  return (id, alias, feeAsset) => {
    const place = chains.findIndex((one) => one.id === id);
    const number = parts.numberOf(id);
    const chain = { number, id, feeAsset, recentTip: () => version.recentTip(place) };
    const reads = openReads(sql, chain);
    const { backfillAddresses, backfills } = createIndexerBackfill(env, {
      primary: hosts.primary,
      version,
      isAway: indexStatus.isAway,
      sql,
      chain,
      completeFrom: reads.completeFrom,
      findUnrecorded: findUnrecorded.get(number) as UnrecordedAddresses,
      counterparts: parts.description.counterparts.map((one) => parseId(one.id)),
    });
    const explorer = openExplorerReads(sql, { ...chain, hasInbound: false }, undefined, slowSql);
    return { ...commonOf(parts, alias), reads, explorer, foreignImports: 'looked-up', backfillAddresses, backfills };
  };
}

/** The chains on a host that may lack blocks which were served. Nothing is fetched: further pages are of addresses that were backfilled before the first one. */
function openSettledChains(env: ClusterEnv, parts: ChainParts, settledSql: Sql): OpenChain {
  const sql = joinStatements(settledSql, env.timers.soon);
  return (id, alias, feeAsset) => {
    const chain = { number: parts.numberOf(id), id, feeAsset, recentTip: () => undefined };
    const explorer = openExplorerReads(sql, { ...chain, hasInbound: false }, undefined);
    return { ...commonOf(parts, alias), reads: openReads(sql, chain), explorer, foreignImports: 'unknown', backfillAddresses: undefined };
  };
}

/** Watches the version of the index, and lets the hosts be chosen by what was served. `shared`: where the servers share what they have served. */
function watchVersion({
  env,
  hosts,
  chains,
  dialect,
  shared,
}: {
  readonly env: ClusterEnv;
  readonly hosts: DatabaseHosts;
  readonly chains: Parameters<typeof createVersionQuery>[0];
  readonly dialect: PostgresDialect;
  readonly shared: ServedPosition;
}): IndexVersion {
  const query = createVersionQuery(chains, dialect);
  const version = watchIndexVersion({
    hosts,
    listen: hosts.listen,
    query,
    timers: env.timers,
    now: env.clock.monotonic,
    served: shared,
    lowest: { heights: chains.map(() => 0), revision: 0 },
    dialect,
  });
  hosts.track(async (sql) => (await query.read(sql)).position, version.floor);
  return version;
}

type UnrecordedAddresses = Awaited<ReturnType<typeof openBackfilledAddressReads>>;

/** Blocks of a followed chain are final. */
const neverReverted = (): number => 0;

/** How this server learns of new blocks without notifications. */
const unnotifiedWarning =
  'new blocks are looked for four times a second, and the version of the index is read for every request: no primary is reached without a pooler; --database-listen-url names one';

/** The database is up if the index can be served from it: some host has all that was served before. */
export function createHealthComponent(hosts: Pick<DatabaseHosts, 'sql' | 'leftOut'>, version: Pick<IndexVersion, 'read'>): HealthComponent {
  const probe = async (): Promise<void> => {
    await hosts.sql.all('SELECT 1 AS one', []);
    await version.read();
  };
  return { probeWrite: probe, probeRead: probe, note: () => hosts.leftOut().join('; ') || undefined };
}

/**
 * The key prefix of cached responses. Servers share responses only if they have the same version, network and database: a local network may
 * start again from block 0 under the same name.
 */
const cacheNamespace = (programVersion: string, { network: { id, name } }: ServedChains, secret: Uint8Array): string =>
  `${programVersion} ${id} ${name} ${sha256Hex(secret)}`;

/** Milliseconds between two attempts to find an index in the database. */
const retryInterval = 1000;

/** Waits until the database has a history index of this version: `serac index` may be started later than `serac api`. */
async function waitForIndex(sql: Sql, env: Pick<ClusterEnv, 'log' | 'timers'>): Promise<NetworkDescription> {
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
