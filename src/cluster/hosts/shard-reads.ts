import { messageOf } from '../../base/fault.ts';
import { logChanges } from '../../base/log/log.ts';
import type { GroupResult, SqlQuery } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { GroupThen, Postgres } from '../postgres/postgres.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import { placementsQuery, readShardMap, type Worker } from './shard-map.ts';
import { createShardRouting, type ShardQuery, type ShardRouting } from './shard-routing.ts';

/** Milliseconds until the workers are tried again after one did not answer, or after a shard was moved. */
const retryAfter = 5000;

/** Routing as of some placements of the shards, and a connection pool for each worker. */
type Routes = ShardRouting & { readonly placements: string; readonly pools: ReadonlyMap<string, Postgres> };

/**
 * Reads shards of a Citus cluster on the workers that have them. Through the coordinator each execution of a statement is planned twice, by the coordinator
 * and by the worker, which takes ten times what running it does; a worker that is asked for its shard by name keeps the plan, as PostgreSQL does.
 * The coordinator is asked last, for the state of the index and for where the shards are: if a shard was moved meanwhile, its old rows are dropped and
 * the coordinator answers. It also does while a worker is not reached from here, and for statements of many shards.
 */
export function createShardReads({
  coordinator,
  openWorker,
  timers,
  log,
}: {
  readonly coordinator: () => Pick<Postgres, 'all' | 'groupThen'>;
  readonly openWorker: (worker: Worker, schema: string) => Postgres;
  readonly timers: Pick<ClusterEnv['timers'], 'after'>;
  readonly log: ClusterEnv['log'];
}) {
  const logChange = logChanges(log);
  let routes: Routes | undefined;
  let state: 'unknown' | 'known' | 'paused' | 'closed' = 'unknown';
  let cancelRetry = (): void => {};

  const close = async (old: Routes | undefined): Promise<void> => {
    await Promise.all([...(old?.pools.values() ?? [])].map((pool) => pool.close()));
  };
  const pause = (): void => {
    if (state === 'closed') return;
    const old = routes;
    [routes, state] = [undefined, 'paused'];
    void close(old).catch(() => undefined);
    cancelRetry = timers.after(retryAfter, () => {
      if (state === 'paused') state = 'unknown';
    });
  };

  /** Finds the shards, and connects to all workers before one of them is needed. */
  const find = async (): Promise<void> => {
    const map = await readShardMap(coordinator());
    if (map === undefined) return pause();
    const workers = new Map(
      [...map.tables.values()].flatMap(({ by, shards }) => (by === undefined ? [] : shards)).map((one) => [one.worker.name, one]),
    );
    const pools = new Map([...workers].map(([name, { worker }]) => [name, openWorker(worker, map.schema)]));
    const found: Routes = { ...createShardRouting(map), placements: map.placements, pools };
    try {
      for (const [name, shard] of workers) await pools.get(name)?.all(`SELECT 1 AS one FROM ${shard.name} LIMIT 0`, []);
    } catch (error) {
      await close(found);
      throw error;
    }
    if (state === 'closed') return close(found);
    routes = found;
    logChange('reading shards on the workers');
  };
  const findOnce = (): void => {
    if (state !== 'unknown') return;
    state = 'known';
    find().catch((error: unknown) => {
      logChange(`reading shards through the coordinator, which takes more of its time: ${messageOf(error)}`, 'warn');
      pause();
    });
  };

  return {
    /** As `groupThen` of a pool. */
    groupThen: async (queries: readonly SqlQuery[], last: SqlQuery): Promise<GroupThen> => {
      const used = routes;
      if (used === undefined) {
        findOnce();
        return coordinator().groupThen(queries, last);
      }
      const asked = queries.map((query) => used.toShards(query));
      const shards = await runOnWorkers(
        used,
        asked.flatMap((parts) => parts ?? []),
      );
      const local = (query: SqlQuery): SqlQuery => ({ text: used.toLocal(query.text), values: query.values });
      const others = queries.filter((_, i) => asked[i] === undefined).map(local);
      const group = await coordinator()
        .groupThen([...others, placementsQuery], local(last))
        .catch(unlessRefused);
      const rest = [...(group?.results ?? [])];
      const [current] = (rowsOf(rest.pop()) ?? []) as readonly { readonly placements: string }[];
      const results = asked.map((parts) =>
        parts === undefined ? (rest.shift() as GroupResult) : joinResults(parts.map((part) => shards.get(part))),
      );
      if (group !== undefined && current?.placements === used.placements && !results.some(wasRefused)) return { results, last: group.last };
      if (routes === used) pause();
      return coordinator().groupThen(queries, last);
    },
    close: async (): Promise<void> => {
      state = 'closed';
      cancelRetry();
      await close(routes);
    },
  };
}

/** Runs the parts of queries, those of one worker as one group. A part without a result failed with the group. */
async function runOnWorkers({ pools }: Routes, parts: readonly ShardQuery[]): Promise<ReadonlyMap<ShardQuery, GroupResult>> {
  const results = new Map<ShardQuery, GroupResult>();
  const runOn = async (name: string, ofWorker: readonly ShardQuery[]): Promise<void> => {
    const [last, ...others] = ofWorker as [ShardQuery, ...ShardQuery[]];
    try {
      const group = await (pools.get(name) as Postgres).groupThen(others, last);
      results.set(last, { status: 'fulfilled', value: group.last });
      for (const [i, part] of others.entries()) results.set(part, group.results[i] as GroupResult);
    } catch (reason) {
      for (const part of ofWorker) results.set(part, { status: 'rejected', reason });
    }
  };
  await Promise.all([...Map.groupBy(parts, ({ worker }) => worker.name)].map(([name, ofWorker]) => runOn(name, ofWorker)));
  return results;
}

/** The rows of all parts of a query. */
function joinResults(parts: readonly (GroupResult | undefined)[]): GroupResult {
  const failed = parts.find((part) => part?.status === 'rejected');
  if (failed !== undefined) return failed;
  return {
    status: 'fulfilled',
    value: parts.length === 1 ? (rowsOf(parts[0]) as unknown[]) : parts.flatMap((part) => rowsOf(part) ?? []),
  };
}

const rowsOf = (result: GroupResult | undefined): unknown[] | undefined => (result?.status === 'fulfilled' ? result.value : undefined);

/** A statement that was too slow would be as slow once more. */
const isTimeout = (error: unknown): boolean => error instanceof PostgresError && ['57014', 'timeout'].includes(error.fault.reason);

/** Whether the coordinator may know better: the worker is away, or has no such shard any more. */
const wasRefused = (result: GroupResult): boolean => result.status === 'rejected' && !isTimeout(result.reason);

/** The names of tables on the coordinator may be old. If it does not answer, that is what the caller must know. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof PostgresError && error.fault.code === 'DATABASE_REFUSED') return undefined;
  throw error;
}
