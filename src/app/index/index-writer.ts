import { openKeyStore } from '../../api/access/key-store.ts';
import type { DelivererReading } from '../../api/webhooks/deliverer.ts';
import { prepareWebhookTables } from '../../api/webhooks/webhook-store.ts';
import { isPublicNetwork } from '../../avm/network.ts';
import { idOf } from '../../base/bytes/id.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { createSignerKeys } from '../../base/crypto/signer-keys.ts';
import { stripCredentials } from '../../base/log/log.ts';
import { every } from '../../base/timing/timers.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { createBackfilledAddresses } from '../../cluster/chain/backfilled-addresses.ts';
import { verifyCitus } from '../../cluster/chain/citus.ts';
import { verifyPartitions } from '../../cluster/chain/partitions.ts';
import { openPostgresChain } from '../../cluster/chain/postgres-chain.ts';
import type { ClusterEnv } from '../../cluster/cluster-env.ts';
import type { DatabaseConfig } from '../../cluster/hosts/database-config.ts';
import { createBackfillQueue, processBackfillQueue } from '../../cluster/indexer/backfill-queue.ts';
import { startBackgroundMigration } from '../../cluster/indexer/background-migration.ts';
import { writeNetworkDescription, writeStatus } from '../../cluster/indexer/served-network-store.ts';
import { createSoleWriter, type WriterRole, type WritingProcess } from '../../cluster/indexer/sole-writer.ts';
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

/** Milliseconds between two writes of the status. */
const statusInterval = 2000;

/** Blocks in one database transaction while catching up: the more, the less a transaction costs PostgreSQL (docs/understand/decisions/bulk-loads.md). */
const batchLimit = { txs: 8192, bytes: 4 * 1024 * 1024 } as const;

/** `serac api` relies on heights that only grow, so nothing is taken back (docs/understand/decisions/followed-reorgs.md). */
const reorgRemedy =
  "an index in PostgreSQL does not go back. If the node is a developer's chain, empty the database and start serac index again, or use serac follow --reorg-depth 64";

/** What `serac index` does. */
export type IndexerState = {
  readonly role: WriterRole;
  readonly follow: FollowStatus | undefined;
  /** Why it does not write. */
  readonly error: string | undefined;
};

export type IndexWriter = ReturnType<typeof createIndexWriter>;

/** Follows a node and writes its history to PostgreSQL, or waits for another process that does; see `createSoleWriter`. */
export function createIndexWriter(node: string, config: Config, env: Env, cluster: ClusterEnv) {
  const database = config.database as DatabaseConfig;
  const context = createNetworkContext(config, env);
  limitWriterCaches(config);
  let follower: Follower | undefined;
  let webhooks: Awaited<ReturnType<typeof startIndexWebhooks>> | undefined;

  /** Opens what a process does while it has the lease: it follows the node, migrates rows, backfills addresses and delivers webhooks. */
  const openWriter = async ({ lease, host, opened, warn, logChange }: WritingProcess): Promise<void> => {
    const { ledger, signers } = await takeIndex(lease, context, node, database, env);
    const following = await startFollowing(node, env, context, {
      ledger,
      exported: ledger.exported,
      signers,
      logError: warn,
      batchLimit,
      trust: config.trustsNode ? { withoutKeys: ledger.withoutKeys } : undefined,
      reorgs: { remedy: isPublicNetwork(context.chain.network.id) ? undefined : reorgRemedy },
    });
    follower = following;
    opened.add({
      close: async () => {
        await following.stop();
        follower = undefined;
      },
    });
    opened.add({ close: startBackgroundMigration(lease, cluster, warn).stop });
    logChange(`indexing ${stripCredentials(node)}`);
    const showStatus = () => void writeStatus(lease, following.status(), Number(env.clock.unixSeconds())).catch(() => undefined);
    showStatus();
    opened.add({ close: every(env.timers, statusInterval, showStatus) });
    opened.add({ close: processBackfillQueue(lease, backfillWithApiErrors(following.backfills), { listen: host.listen, logError: warn }) });
    const delivery = await startIndexWebhooks(config, env, context, { lease, host, logError: warn });
    webhooks = delivery;
    opened.add({
      close: async () => {
        await delivery.close();
        webhooks = undefined;
      },
    });
  };

  const { role, error, warn, start, close } = createSoleWriter({
    env: cluster,
    exit: env.exit,
    database,
    leaseName: `serac index ${context.specs[0].id}`,
    openWriter,
  });
  return {
    read: (): IndexerState => ({ role: role(), follow: follower?.status(), error: error() }),
    /** The deliveries of webhooks; undefined while another process writes. */
    readDeliveries: (): DelivererReading | undefined => webhooks?.read(),
    /** Logs a problem that is retried, and shows it in `read`. */
    warn,
    /** Begins to write. */
    start,
    close,
  };
}

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
  if (lock.dialect === 'citus') await verifyCitus(lock);
  const [number = 1] = await migratePostgres(lock, context.chain.network.id, [{ id, genesis: idOf(genesis.bytes) }], undefined, watch);
  await verifyPartitions(lock, number);
  await createBackfillQueue(lock);
  await createBackfilledAddresses(lock);
  await openKeyStore(lock);
  await prepareWebhookTables(lock);
  const completeFrom = hasPreLinearizationHistory(context) ? 1 : 0;
  const spec = { number, id, feeAsset: genesis.assets[0].tx.id, completeFrom };
  const chain = openPostgresChain(lock, spec, { partitionSize, publicKeyOf, recover });
  await chain.publishStored();
  await chain.init(
    genesis.assets.map(({ tx }) => tx),
    genesisBlock,
  );
  // Last: `serac api` waits for the description, then uses all tables, creates none, and needs a block for nearly every answer.
  const description = { ...describeNetwork({ ...context, specs: [context.specs[0]] }), node: stripCredentials(node) };
  await writeNetworkDescription(lock, description, pageSecret);
  return chain;
}
