import { idOf } from '../../base/bytes/id.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { createSignerKeys } from '../../base/crypto/signer-keys.ts';
import { Fault, messageOf } from '../../base/fault.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { type MigrationWatch, migratePostgres } from '../../ledger/index/migrate.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import { openPostgresChain } from '../../ledger/index-postgres/postgres-chain.ts';
import type { SignerReads } from '../../ledger/index-write/block-writer.ts';
import { backfillWithApiErrors, startFollowing } from '../chains/follow.ts';
import type { Config } from '../config/config.ts';
import { createOutageLog, logChanges } from '../log/log.ts';
import { databaseName, withoutPrefix } from '../platform/postgres-fault.ts';
import type { PostgresLock } from '../platform/postgres-lock-bun.ts';
import type { Env } from '../setup/env.ts';
import { watchMigration } from '../setup/index-migration.ts';
import { createNetworkContext, hasPreLinearizationHistory, type NetworkContext } from '../setup/network-context.ts';
import { describeNetwork, stripCredentials } from '../setup/served-network.ts';
import { createBackfillQueue, processBackfillQueue } from './backfill-queue.ts';
import { writeNetworkDescription, writeStatus } from './served-network-store.ts';

/** Milliseconds between two attempts to get the lock, and between two writes of the status. */
const intervals = { lockAttempt: 500, status: 2000 } as const;

/** Blocks in one database transaction while catching up: the more, the less a transaction costs PostgreSQL (docs/decisions/bulk-loads.md). */
const batchLimit = { txs: 8192, bytes: 4 * 1024 * 1024 } as const;

/** What `serac index` does: it starts, waits for another one that writes, or writes what it follows. */
export type IndexerState = {
  readonly role: 'starting' | 'standby' | 'writing';
  readonly follow: FollowStatus | undefined;
  /** Why it does not write. */
  readonly error: string | undefined;
};

/** What writes the history of a followed node to PostgreSQL, or waits to do so. */
export type IndexWriter = {
  readonly read: () => IndexerState;
  /** Logs a problem that is retried, and shows it in `read`. */
  readonly warn: (error: unknown) => void;
  /** Begins to write. */
  readonly start: () => void;
  readonly close: () => Promise<void>;
};

/**
 * Follows a node and writes its history to PostgreSQL. Only one process at a time writes: it holds a database lock and writes through the
 * connection that holds it. The database releases the lock when that connection ends; other processes wait for the lock.
 */
export function createIndexWriter(node: string, config: Config, env: Env): IndexWriter {
  const url = config.databaseUrl ?? '';
  const context = createNetworkContext(config, env);
  const stopping = Promise.withResolvers<void>();
  let isStopping = false;
  let role: IndexerState['role'] = 'starting';
  let follower: Follower | undefined;
  let lastError: string | undefined;
  const logChange = logChanges(env.log);
  const outage = createOutageLog(env.log, databaseName(url));
  const warn = (error: unknown): void => {
    lastError = messageOf(error);
    logChange(lastError, 'warn');
  };

  const write = async (lock: PostgresLock): Promise<void> => {
    const signerKeys = createSignerKeys();
    const signers = createSignerCache(env.recoverKey, signerKeys);
    const watch = watchMigration('the index in PostgreSQL', env);
    const ledger = await prepareIndex(lock, context, node, { publicKeyOf: signerKeys.get, recover: signers.recover, watch });
    const following = await startFollowing(node, env, context, { ledger, exported: ledger.exported, signers, report: warn, batchLimit });
    follower = following;
    role = 'writing';
    logChange(`indexing ${stripCredentials(node)}`);
    let cancel = () => {};
    const writeStatusRepeatedly = (): void => {
      void writeStatus(lock, following.status(), Number(env.clock.unixSeconds())).catch(() => undefined);
      cancel = env.timers.after(intervals.status, writeStatusRepeatedly);
    };
    writeStatusRepeatedly();
    const stopProcessing = processBackfillQueue(lock, backfillWithApiErrors(following), { timers: env.timers, report: warn });
    await Promise.race([lock.lost, stopping.promise]);
    stopProcessing();
    cancel();
    await following.stop();
  };

  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        const lock = await env.tryPostgresLock({ url }, `serac index ${context.specs[0].id}`);
        outage.regained();
        if (lock === undefined) {
          role = 'standby';
          logChange('another serac index is writing this index; waiting to take over when it stops');
        } else
          try {
            await write(lock);
            if (!isStopping) outage.lost('the connection was lost');
          } finally {
            role = 'starting';
            follower = undefined;
            await lock.release();
          }
      } catch (error) {
        // A fault such as a node of another network does not go away by retrying; a lost database connection may.
        if (error instanceof Fault && error.fault.code !== 'DATABASE_DOWN') throw error;
        role = 'starting';
        if (error instanceof Fault) {
          lastError = messageOf(error);
          outage.lost(withoutPrefix(lastError, databaseName(url)));
        } else warn(error);
      }
      if (!isStopping) await sleep(env.timers, intervals.lockAttempt);
    }
  };

  let ended: Promise<void> | undefined;
  return {
    read: () => ({ role, follow: follower?.status(), error: lastError }),
    warn,
    start: () => {
      ended = run();
      ended.catch((error: unknown) => {
        env.log(`${messageOf(error)}`, 'fatal');
        env.exit(1);
      });
    },
    close: async () => {
      isStopping = true;
      stopping.resolve();
      await ended;
    },
  };
}

/** Creates or migrates the schema, writes the network description and indexes block 0. Does nothing where that was done before. */
export async function prepareIndex(
  lock: WritableSql,
  context: NetworkContext,
  node: string,
  { watch, ...signers }: SignerReads & { readonly watch?: MigrationWatch } = {},
) {
  const [{ id, genesis, genesisBlock }] = context.specs;
  const [number = 1] = await migratePostgres(lock, context.chain.network.id, [{ id, genesis: idOf(genesis.bytes) }], undefined, watch);
  // The backfill queue must exist before the network description: `serac api` waits for the latter and then uses both.
  await createBackfillQueue(lock);
  await writeNetworkDescription(lock, { ...describeNetwork({ ...context, specs: [context.specs[0]] }), node: stripCredentials(node) });
  const completeFrom = hasPreLinearizationHistory(context) ? 1 : 0;
  const chain = openPostgresChain(lock, { number, id, feeAsset: genesis.assets[0].tx.id, completeFrom }, signers);
  await chain.init(
    genesis.assets.map(({ tx }) => tx),
    genesisBlock,
  );
  return chain;
}
