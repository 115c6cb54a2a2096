import { openKeyStore } from '../../api/access/key-store.ts';
import type { DelivererReading } from '../../api/webhooks/deliverer.ts';
import { prepareWebhookTables } from '../../api/webhooks/webhook-store.ts';
import { isPublicNetwork } from '../../avm/network.ts';
import { idOf } from '../../base/bytes/id.ts';
import { openTogether } from '../../base/closing.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { createSignerKeys } from '../../base/crypto/signer-keys.ts';
import { Fault, messageOf } from '../../base/fault.ts';
import { createOutageLog, logChanges, stripCredentials } from '../../base/log/log.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { every } from '../../base/timing/timers.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { createBackfilledAddresses } from '../../cluster/chain/backfilled-addresses.ts';
import { verifyPartitions } from '../../cluster/chain/partitions.ts';
import { openPostgresChain } from '../../cluster/chain/postgres-chain.ts';
import type { DatabaseConfig } from '../../cluster/hosts/database-config.ts';
import { type DatabaseHost, openDatabaseHost } from '../../cluster/hosts/database-host.ts';
import { createPrimaryFinder } from '../../cluster/hosts/primary.ts';
import { createBackfillQueue, processBackfillQueue } from '../../cluster/indexer/backfill-queue.ts';
import { startBackgroundMigration } from '../../cluster/indexer/background-migration.ts';
import { writeNetworkDescription, writeStatus } from '../../cluster/indexer/served-network-store.ts';
import { type Lease, tryLease } from '../../cluster/lease/lease.ts';
import { splitHosts } from '../../cluster/postgres/database-url.ts';
import { databaseName, PostgresError, withoutPrefix } from '../../cluster/postgres/postgres-fault.ts';
import { type MigrationWatch, migratePostgres, registerWriter } from '../../ledger/index/migrate.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import type { SignerReads } from '../../ledger/index-write/block-writer.ts';
import type { Config } from '../config/config.ts';
import { backfillWithApiErrors, startFollowing } from '../followed/follow.ts';
import { limitWriterCaches } from '../node/cache-budget.ts';
import { watchMigration } from '../node/index-migration.ts';
import { createNetworkContext, describeNetwork, hasPreLinearizationHistory, type NetworkContext } from '../node/network-context.ts';
import type { Env } from '../platform/env.ts';
import { startIndexWebhooks } from './index-webhooks.ts';

/** Milliseconds between two attempts to get the lease, between two writes of the status, and between two looks for another primary. */
const intervals = { leaseAttempt: 500, status: 2000, promotion: 1000 } as const;

/** Blocks in one database transaction while catching up: the more, the less a transaction costs PostgreSQL (docs/understand/decisions/bulk-loads.md). */
const batchLimit = { txs: 8192, bytes: 4 * 1024 * 1024 } as const;

/** `serac api` relies on heights that only grow, so nothing is taken back (docs/understand/decisions/followed-reorgs.md). */
const reorgRemedy =
  "an index in PostgreSQL does not go back. If the node is a developer's chain, empty the database and start serac index again, or use serac follow --reorg-depth 64";

/** What `serac index` does: it starts, waits for another one that writes, or writes what it follows. */
export type IndexerState = {
  readonly role: 'starting' | 'standby' | 'writing';
  readonly follow: FollowStatus | undefined;
  /** Why it does not write. */
  readonly error: string | undefined;
};

export type IndexWriter = ReturnType<typeof createIndexWriter>;

/**
 * Follows a node and writes its history to PostgreSQL. Only one process at a time writes: the holder of the lease (cluster/lease/lease.ts). Others wait
 * for it.
 */
export function createIndexWriter(node: string, config: Config, env: Env) {
  const database = config.database as DatabaseConfig;
  const hosts = splitHosts(database.url).map((url) => openDatabaseHost(url, { ...database, poolSize: 1 }, env));
  const findPrimary = createPrimaryFinder(hosts);
  const context = createNetworkContext(config, env);
  limitWriterCaches(config);
  const stopping = Promise.withResolvers<string>();
  let isStopping = false;
  let role: IndexerState['role'] = 'starting';
  let follower: Follower | undefined;
  let webhooks: Awaited<ReturnType<typeof startIndexWebhooks>> | undefined;
  let lastError: string | undefined;
  const logChange = logChanges(env.log);
  const outage = createOutageLog(env.log, databaseName(database.url));
  /** Logs a problem that is retried, and shows it in `read`. */
  const warn = (error: unknown): void => {
    lastError = messageOf(error);
    logChange(lastError, 'warn');
  };

  /** Writes until the lease is lost, another host is promoted, or this process stops. Returns why. */
  const write = (lease: Lease, host: DatabaseHost): Promise<string> =>
    openTogether(env, async (opened) => {
      const { ledger, signers } = await takeIndex(lease, context, node, database, env);
      const following = await startFollowing(node, env, context, {
        ledger,
        exported: ledger.exported,
        signers,
        report: warn,
        batchLimit,
        trust: config.trustsNode ? { withoutKeys: ledger.withoutKeys } : undefined,
        reorgs: { remedy: isPublicNetwork(context.chain.network.id) ? undefined : reorgRemedy },
      });
      opened.add({ close: () => following.stop() });
      follower = following;
      role = 'writing';
      opened.add({ close: startBackgroundMigration(lease, env, warn).stop });
      logChange(`indexing ${stripCredentials(node)}`);
      const showStatus = () => void writeStatus(lease, following.status(), Number(env.clock.unixSeconds())).catch(() => undefined);
      showStatus();
      opened.add({ close: every(env.timers, intervals.status, showStatus) });
      opened.add({ close: processBackfillQueue(lease, backfillWithApiErrors(following.backfills), { listen: host.listen, report: warn }) });
      webhooks = opened.add(await startIndexWebhooks(config, env, context, { lease, host, report: warn }));
      const promotion = watchPromotion(env, hosts.length > 1 ? findPrimary : async () => ({ host }), host);
      opened.add({ close: promotion.stop });
      const reason = await Promise.race([lease.lost, stopping.promise, promotion.found]);
      await opened.close();
      return reason;
    });

  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        const { host, state } = await findPrimary();
        if (state.isPooled) throw poolerRefusal(host.name);
        const lease = await tryLease(
          env,
          { url: host.url, statementMilliseconds: database.statementTimeout },
          `serac index ${context.specs[0].id}`,
        );
        outage.regained();
        if (lease === undefined) {
          role = 'standby';
          logChange('another serac index is writing this index; waiting to take over when it stops');
        } else
          try {
            const reason = await write(lease, host);
            if (!isStopping) outage.lost(reason);
          } finally {
            role = 'starting';
            follower = undefined;
            webhooks = undefined;
            await lease.release();
          }
      } catch (error) {
        // A fault such as a node of another network does not go away by retrying; a lost database connection may.
        if (error instanceof Fault && error.fault.code !== 'DATABASE_DOWN') throw error;
        role = 'starting';
        if (error instanceof Fault) {
          lastError = messageOf(error);
          outage.lost(withoutPrefix(lastError, databaseName(database.url)));
        } else warn(error);
      }
      if (!isStopping) await sleep(env.timers, intervals.leaseAttempt);
    }
  };

  let ended: Promise<void> | undefined;
  return {
    read: (): IndexerState => ({ role, follow: follower?.status(), error: lastError }),
    /** The deliveries of webhooks; undefined while another process writes. */
    readDeliveries: (): DelivererReading | undefined => webhooks?.read(),
    warn,
    /** Begins to write. */
    start: (): void => {
      ended = run();
      ended.catch((error: unknown) => {
        env.log(`${messageOf(error)}`, 'fatal');
        env.exit(1);
      });
    },
    close: async (): Promise<void> => {
      isStopping = true;
      stopping.resolve('stopped');
      await ended;
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

/**
 * Watches whether another host is promoted while the former primary still answers: what is written to the former one would be lost. The
 * lease does not help, since each host has its own.
 */
function watchPromotion(env: Env, findPrimary: () => Promise<{ readonly host: DatabaseHost }>, writtenTo: DatabaseHost) {
  const { promise: found, resolve } = Promise.withResolvers<string>();
  let cancel = (): void => {};
  let isStopped = false;
  const look = (): void => {
    cancel = env.timers.after(intervals.promotion, async () => {
      const primary = await findPrimary().catch(() => undefined);
      if (isStopped) return;
      if (primary !== undefined && primary.host !== writtenTo) {
        return resolve(`${primary.host.name} was promoted; ${writtenTo.name} is not written any more`);
      }
      look();
    });
  };
  look();
  return {
    found,
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

const poolerRefusal = (name: string) =>
  new PostgresError(
    `${name} is a pooler: the indexer needs the server itself, because it holds a lock of its session; give --database-url the server's own host and port`,
    { code: 'DATABASE_REFUSED', reason: 'pooler' },
  );

/** Prepares the index and makes this process its writer. */
async function takeIndex(lock: WritableSql, context: NetworkContext, node: string, { partitionSize }: DatabaseConfig, env: Env) {
  const signerKeys = createSignerKeys();
  const signers = createSignerCache(env.recoverKey, signerKeys);
  const ledger = await prepareIndex(lock, context, node, {
    watch: watchMigration('the index in PostgreSQL', env),
    pageSecret: env.random(32),
    partitionSize,
    publicKeyOf: signerKeys.get,
    recover: signers.recover,
  });
  await registerWriter(lock);
  return { ledger, signers };
}

/** Creates or migrates the schema, indexes block 0 and writes the network description. Does nothing where that was done before. */
export async function prepareIndex(
  lock: WritableSql,
  context: NetworkContext,
  node: string,
  {
    watch,
    pageSecret,
    partitionSize,
    publicKeyOf,
    recover,
  }: SignerReads & { readonly watch?: MigrationWatch; readonly pageSecret: Uint8Array; readonly partitionSize?: number },
) {
  const [{ id, genesis, genesisBlock }] = context.specs;
  const [number = 1] = await migratePostgres(lock, context.chain.network.id, [{ id, genesis: idOf(genesis.bytes) }], undefined, watch);
  await verifyPartitions(lock, number);
  await createBackfillQueue(lock);
  await createBackfilledAddresses(lock);
  await openKeyStore(lock);
  await prepareWebhookTables(lock);
  const completeFrom = hasPreLinearizationHistory(context) ? 1 : 0;
  const spec = { number, id, feeAsset: genesis.assets[0].tx.id, completeFrom };
  const chain = openPostgresChain(lock, spec, { partitionSize, publicKeyOf, recover });
  await chain.init(
    genesis.assets.map(({ tx }) => tx),
    genesisBlock,
  );
  // Last: `serac api` waits for the description, then uses all tables, creates none, and needs a block for nearly every answer.
  const description = { ...describeNetwork({ ...context, specs: [context.specs[0]] }), node: stripCredentials(node) };
  await writeNetworkDescription(lock, description, pageSecret);
  return chain;
}
