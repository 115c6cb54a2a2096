import { idOf } from '../bytes/id.ts';
import { logChanges } from '../cli/log.ts';
import type { Config } from '../config.ts';
import { Fault, messageOf } from '../fault.ts';
import { migratePostgres } from '../index/migrate.ts';
import { postgresChain } from '../index-postgres/postgres-chain.ts';
import type { PostgresLock } from '../platform/postgres-lock-bun.ts';
import { pause } from '../timing/pause.ts';
import { makeWanted, seeToWanted } from './backfill-queue.ts';
import type { Env } from './env.ts';
import { completing, follow } from './follow.ts';
import { createNetworkContext, hasPreLinearizationHistory, type NetworkContext } from './network-context.ts';
import { aboutOf, publicUrl } from './served-network.ts';
import { writeAbout, writeStatus } from './served-network-store.ts';

export type Indexer = { readonly close: () => Promise<void> };

/** Milliseconds between two attempts to become the one that writes, and between two signs of life. */
const pauses = { attempt: 500, sign: 2000 } as const;

/**
 * Follows a node into PostgreSQL. One process at a time does: it holds a lock that the database takes back when it dies, and writes through
 * the connection that has the lock; the others wait for it.
 */
export function startIndexer(config: Config, env: Env): Indexer {
  const [url, node] = [config.databaseUrl ?? '', config.follow ?? ''];
  const frame = createNetworkContext(config, env);
  const stopping = Promise.withResolvers<void>();
  let isStopping = false;
  const tell = logChanges(env.log);

  const write = async (lock: PostgresLock): Promise<void> => {
    const ledger = await prepare(lock, frame, node);
    const report = (error: unknown) => tell(messageOf(error), 'warn');
    const following = await follow(node, env, frame, { ledger, exported: ledger.exported, report });
    tell(`indexing ${publicUrl(node)}`);
    let cancel = () => {};
    const sign = (): void => {
      void writeStatus(lock, following.status(), Number(env.clock.unixSeconds())).catch(() => undefined);
      cancel = env.timers.after(pauses.sign, sign);
    };
    sign();
    const stopSeeing = seeToWanted(lock, completing(following), { timers: env.timers, report });
    await Promise.race([lock.lost, stopping.promise]);
    stopSeeing();
    cancel();
    await following.stop();
  };

  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        const lock = await env.tryPostgresLock({ url }, `serac index ${frame.specs[0].id}`);
        if (lock === undefined) tell('another process is writing this index; waiting to take over');
        else
          try {
            await write(lock);
          } finally {
            await lock.release();
          }
      } catch (error) {
        // A node of another network will not become the right one by waiting.
        if (error instanceof Fault && error.fault.code !== 'DATABASE_DOWN') throw error;
        tell(messageOf(error), 'warn');
      }
      if (!isStopping) await pause(env.timers, pauses.attempt);
    }
  };

  const ended = run();
  ended.catch((error: unknown) => {
    env.log(`serac: ${messageOf(error)}`, 'fatal');
    env.exit(1);
  });
  return {
    close: async () => {
      isStopping = true;
      stopping.resolve();
      await ended;
    },
  };
}

/** Tables, what servers need to know, and block 0: all there if another process was here before. */
async function prepare(lock: PostgresLock, frame: NetworkContext, node: string) {
  const [{ id, genesis, first }] = frame.specs;
  const [number = 1] = await migratePostgres(lock, frame.chain.network.id, [{ id, genesis: idOf(genesis.bytes) }]);
  // Who serves waits for the last of these, and needs both.
  await makeWanted(lock);
  await writeAbout(lock, { ...aboutOf({ ...frame, specs: [frame.specs[0]] }), node: publicUrl(node) });
  const chain = postgresChain(lock, {
    number,
    id,
    feeAsset: genesis.assets[0].tx.id,
    completeFrom: hasPreLinearizationHistory(frame) ? 1 : 0,
  });
  await chain.init(
    genesis.assets.map(({ tx }) => tx),
    first,
  );
  return chain;
}
