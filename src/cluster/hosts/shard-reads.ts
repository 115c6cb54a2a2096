import { messageOf } from '../../base/fault.ts';
import { logChanges } from '../../base/log/log.ts';
import type { GroupResult, SqlQuery } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { GroupThen, Postgres } from '../postgres/postgres.ts';
import { isDatabaseDown, isSlowStatement, isTableRefusal, PostgresError } from '../postgres/postgres-fault.ts';
import { createCoordinatorReads } from './coordinator-reads.ts';
import { readShardMap, type ShardedTable, type Worker } from './shard-map.ts';
import { createShardRouting, type ShardQuery, type ShardRouting } from './shard-routing.ts';

/** Milliseconds after which shards are looked for again: a worker did not answer, or a shard was not on the worker where it had been. */
const retryAfter = 5000;

/** How queries find their shards, as long as the shards have these placements. */
type Routes = ShardRouting & { readonly placements: string };

/**
 * Reads shards of a Citus cluster on the workers that have them. Through the coordinator each execution of a statement is planned twice, by the coordinator
 * and by the worker, which takes ten times what running it does; a worker that is asked for its shard by name keeps the plan, as PostgreSQL does.
 * The coordinator is asked last (coordinator-reads.ts), for the state of the index and for the placements of the shards: if these have changed, what the
 * workers answered is thrown away, and the coordinator answers. It also answers queries about shards of a worker that cannot be reached from here, and
 * queries of many shards.
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
  const coordinatorReads = createCoordinatorReads(coordinator);
  let routes: Routes | undefined;
  let changes = 0;
  /** The connection pools of the workers that are reached from here. */
  const pools = new Map<string, Postgres>();
  /**
   * outdated: the next read looks for the shards, and connects to workers that have no pool; finding: this is under way; known: it has ended;
   * waiting: it is repeated after a pause.
   */
  let state: 'outdated' | 'finding' | 'known' | 'waiting' | 'closed' = 'outdated';
  let cancelRetry = (): void => {};

  const retryLater = (): void => {
    if (state !== 'known') return;
    state = 'waiting';
    cancelRetry = timers.after(retryAfter, () => {
      if (state === 'waiting') state = 'outdated';
    });
  };
  /** Statements that still run on the pool fail, and the coordinator answers. */
  const closePool = (name: string): Promise<void> => {
    const pool = pools.get(name);
    pools.delete(name);
    return pool?.close().catch(() => undefined) ?? Promise.resolve();
  };
  const reportLoss = (error: unknown): void =>
    logChange(`reading shards through the coordinator, which takes more of its time: ${messageOf(error)}`, 'warn');
  /** Gives up a worker that did not answer. The other workers are still read. */
  const dropWorker = (name: string, pool: Postgres, error: unknown): void => {
    if (pools.get(name) !== pool) return;
    void closePool(name);
    reportLoss(error);
    retryLater();
  };

  /**
   * Finds the shards, and connects to all workers before one of them is needed. Pools of workers that stay are kept, with their plans. Returns the
   * names of the workers.
   */
  const find = async (): Promise<readonly string[]> => {
    const map = await readShardMap(coordinator());
    if (map === undefined)
      throw new PostgresError('the tables are not divided as serac index --distribute divides them', {
        code: 'DATABASE_REFUSED',
        reason: 'shards',
      });
    const ofWorkers = new Map(
      [...map.tables.values()].flatMap(({ by, shards }) => (by === undefined ? [] : shards)).map((one) => [one.worker.name, one]),
    );
    for (const name of [...pools.keys()]) if (!ofWorkers.has(name)) void closePool(name);
    const connect = async (name: string, { worker, name: shard }: ShardedTable['shards'][number]): Promise<void> => {
      const pool = openWorker(worker, map.schema);
      try {
        await pool.all(`SELECT 1 AS one FROM ${shard} LIMIT 0`, []);
      } catch (error) {
        await pool.close().catch(() => undefined);
        throw error;
      }
      if (state === 'closed') await pool.close();
      else pools.set(name, pool);
    };
    const missing = [...ofWorkers].filter(([name]) => !pools.has(name));
    const connected = await Promise.allSettled(missing.map(([name, shard]) => connect(name, shard)));
    if (routes !== undefined && routes.placements !== map.placements) changes++;
    routes = { ...createShardRouting(map), placements: map.placements };
    for (const result of connected) if (result.status === 'rejected') throw result.reason;
    return [...ofWorkers.keys()];
  };
  const findIfOutdated = (): void => {
    if (state !== 'outdated') return;
    state = 'finding';
    const end = (): boolean => {
      if (state !== 'finding') return false;
      state = 'known';
      return true;
    };
    find().then(
      (names) => {
        if (!end()) return;
        logChange('reading shards on the workers');
        // One that had a pool may have been lost while another was looked for.
        if (!names.every((name) => pools.has(name))) retryLater();
      },
      (error: unknown) => {
        if (!end()) return;
        reportLoss(error);
        retryLater();
      },
    );
  };
  /** Forgets where the shards are. */
  const forget = (used: Routes): void => {
    if (routes !== used) return;
    routes = undefined;
    changes++;
  };

  /** Asks each worker for all parts of queries that it has, as one group of statements. */
  const runOnWorkers = async (parts: readonly ShardQuery[]): Promise<ReadonlyMap<ShardQuery, GroupResult>> => {
    const results = new Map<ShardQuery, GroupResult>();
    const runOn = async (name: string, ofWorker: readonly ShardQuery[]): Promise<void> => {
      const pool = pools.get(name) as Postgres;
      const [last, ...others] = ofWorker as [ShardQuery, ...ShardQuery[]];
      try {
        const group = await pool.groupThen(others, last);
        results.set(last, { status: 'fulfilled', value: group.last });
        for (const [i, part] of others.entries()) results.set(part, group.results[i] as GroupResult);
      } catch (reason) {
        for (const part of ofWorker) results.set(part, { status: 'rejected', reason });
      }
      const lost = ofWorker.map((part) => results.get(part) as GroupResult).find(isLost);
      if (lost?.status === 'rejected') dropWorker(name, pool, lost.reason);
    };
    await Promise.all([...Map.groupBy(parts, ({ worker }) => worker.name)].map(([name, ofWorker]) => runOn(name, ofWorker)));
    return results;
  };

  /** The parts of each query that workers answer; undefined for a query that the coordinator must answer. */
  const toParts = (used: Routes, queries: readonly SqlQuery[]): readonly (readonly ShardQuery[] | undefined)[] =>
    queries.map((query) => {
      const parts = used.toShards(query);
      return parts?.every(({ worker }) => pools.has(worker.name)) ? parts : undefined;
    });
  /** The results of the queries that have parts; undefined if a worker is lost or has no such shards, so that the coordinator must answer all queries. */
  const readParts = async (used: Routes, asked: ReturnType<typeof toParts>): Promise<readonly (GroupResult | undefined)[] | undefined> => {
    const found = await runOnWorkers(asked.flatMap((parts) => parts ?? []));
    const ofShards = [...found.values()];
    if (ofShards.some(isOutdated)) {
      forget(used);
      retryLater();
    }
    if (ofShards.some((result) => isOutdated(result) || isLost(result))) return undefined;
    return asked.map((parts) => parts && joinResults(parts.map((part) => found.get(part) as GroupResult)));
  };

  return {
    /** As `groupThen` of a pool, if `last` has one row. */
    groupThen: async (queries: readonly SqlQuery[], last: SqlQuery): Promise<GroupThen> => {
      findIfOutdated();
      const used = routes;
      if (used === undefined) return coordinator().groupThen(queries, last);
      const found = await readParts(used, toParts(used, queries));
      if (found === undefined) return coordinator().groupThen(queries, last);
      const local = ({ text, values }: SqlQuery): SqlQuery => ({ text: used.toLocal(text), values });
      const others = queries.filter((_, i) => found[i] === undefined).map(local);
      const group = await coordinatorReads.groupThen(others, local(last)).catch(unlessOutdated);
      const rest = [...(group?.results ?? [])];
      const [current] = (group?.last ?? []) as readonly { readonly placements: string }[];
      if (group !== undefined && current?.placements === used.placements && !rest.some(isOutdated))
        return { results: found.map((result) => result ?? (rest.shift() as GroupResult)), last: group.last };
      forget(used);
      if (current !== undefined && current.placements !== used.placements && state === 'known') state = 'outdated';
      else retryLater();
      return coordinator().groupThen(queries, last);
    },
    /** Asks the workers, without the coordinator; undefined if they cannot answer all of the queries. See `ReadSql.groupOnWorkers`. */
    groupOnWorkers: async (queries: readonly SqlQuery[]): Promise<readonly GroupResult[] | undefined> => {
      findIfOutdated();
      const used = routes;
      const asked = used && toParts(used, queries);
      if (used === undefined || asked?.every((parts) => parts !== undefined) !== true) return undefined;
      return (await readParts(used, asked)) as readonly GroupResult[] | undefined;
    },
    /** How often other places of the shards were found than those that had been read. */
    changes: (): number => changes,
    close: async (): Promise<void> => {
      state = 'closed';
      cancelRetry();
      await Promise.all([...pools.keys()].map(closePool));
    },
  };
}

/** The rows of all parts of a query. */
function joinResults(parts: readonly GroupResult[]): GroupResult {
  const failed = parts.find(({ status }) => status === 'rejected');
  if (failed !== undefined) return failed;
  return { status: 'fulfilled', value: parts.length === 1 ? (rowsOf(parts[0]) as unknown[]) : parts.flatMap((part) => rowsOf(part) ?? []) };
}

const rowsOf = (result: GroupResult | undefined): unknown[] | undefined => (result?.status === 'fulfilled' ? result.value : undefined);

/** Whether the worker is away. A statement that was too slow would be as slow once more. */
const isLost = (result: GroupResult): boolean =>
  result.status === 'rejected' && isDatabaseDown(result.reason) && !isSlowStatement(result.reason);

/** Whether the names of tables may be old. A statement that fails because of its values fails on the coordinator too. */
const isOutdated = (result: GroupResult): boolean => result.status === 'rejected' && isTableRefusal(result.reason);

/** Other errors of the coordinator, such as that it does not answer, are for the caller. */
function unlessOutdated(error: unknown): undefined {
  if (isTableRefusal(error)) return undefined;
  throw error;
}
