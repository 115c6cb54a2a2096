import { coalesce } from '../../api/rest/coalesce.ts';
import type { GroupResult, Sql } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { Listener, PostgresDialect } from '../postgres/postgres.ts';
import { isDatabaseDown } from '../postgres/postgres-fault.ts';
import { addressesOf, type DatabaseConfig } from './database-config.ts';
import { type DatabaseHost, openDatabaseHost, type ReadSql } from './database-host.ts';
import { createHostSelection, type ReadPositionOf, unreadable } from './host-selection.ts';
import { type ReadPosition, startPosition } from './read-position.ts';

/** Milliseconds between two probes of all hosts. */
const probeInterval = 1000;

export type DatabaseHosts = ReturnType<typeof openDatabaseHosts>;

/**
 * The servers of one database, the primary and its replicas, as `serac api` reads them; opened by `openPostgresSource`. All reads of this process go to
 * one host at a time, a replica if there is one, so that a read sees everything that the read before it saw. Another host is read only if it has all
 * that was served (the floor, see `track`). Which host is read is decided in host-selection.ts. If the hosts are poolers, `config.listenUrl` has the
 * servers' own addresses: for notifications, and to be read while no pooler answers.
 */
export function openDatabaseHosts(config: DatabaseConfig, env: ClusterEnv) {
  const addresses = addressesOf(config);
  const open = (url: string): DatabaseHost => openDatabaseHost(url, config, env);
  const [named, direct] = [addresses.named.map(open), addresses.direct.map(open)];
  const hosts = [...named, ...direct];
  const selection = createHostSelection(named, config, env, direct);
  /** The position that a host must have reached to be read; every host has until `track` is called. */
  let floor = (): ReadPosition => startPosition;
  let isClosed = false;
  let onFailed = (_error: unknown): void => {};
  let cancelProbe = (): void => {};
  /** Probes all hosts and selects the one to be read. Calls at the same time share one probe. */
  const selectOnce = coalesce(() => selection.select(floor()));

  const probeRepeatedly = (): void => {
    if (isClosed) return;
    cancelProbe = env.timers.after(
      probeInterval,
      () =>
        void selectOnce()
          .catch(() => undefined)
          .finally(probeRepeatedly),
    );
  };

  const findCurrent = async (): Promise<DatabaseHost> => {
    if (selection.current() === undefined) await selectOnce();
    const host = selection.current();
    if (host === undefined) throw unreadable(selection.leftOut());
    return host;
  };
  const findFullest = async (): Promise<DatabaseHost> => {
    if (selection.fullest() === undefined) await selectOnce().catch(() => undefined);
    const host = selection.fullest();
    if (host === undefined) throw unreadable(selection.leftOut());
    return host;
  };
  const findPrimary = async (): Promise<DatabaseHost> => {
    if (selection.primary() === undefined) await selectOnce().catch(() => undefined);
    const host = selection.primary()?.host;
    if (host === undefined) throw unreadable(['there is no primary now']);
    return host;
  };
  const onStatementFailed = (error: unknown): void => onFailed(error);
  const primary: Sql = sqlOn({ find: findPrimary, onDown: selection.dropPrimary, onFailed: onStatementFailed });
  /** Whether `listen` can notify: the primary is known and reached without a pooler. */
  const isNotified = (): boolean => selection.primary()?.notifier !== undefined;

  return {
    /** Whether the tables are divided over the servers of a Citus cluster. */
    readDialect: async (): Promise<PostgresDialect> => (await (await findCurrent()).probe()).dialect,
    /** Statements on the host that is read now; the first one selects it. */
    sql: sqlOn({ find: findCurrent, onDown: selection.dropCurrent, onFailed: onStatementFailed, isRepeated: hosts.length > 1 }),
    /** The same where no host has all that was served: on the one with most. For answers that no later block changes. */
    settledSql: sqlOn({ find: findFullest, onDown: selection.dropCurrent, onFailed: onStatementFailed, isRepeated: hosts.length > 1 }),
    /** Statements on the primary, for what a replica cannot do or may not have yet. Rejects with DATABASE_DOWN while there is none. */
    primary,
    /**
     * Selects the host that is read: the same one if it has everything up to `wanted`, else another. If no host has it, throws DATABASE_BEHIND, and a
     * host that has everything up to the floor is read from then on. Throws DATABASE_DOWN if none answers.
     */
    select: (wanted: ReadPosition): Promise<void> => selection.select(wanted, floor()),
    /** Grows when another host is selected or shards have moved: what was read before and after may be of different states. */
    changes: (): number => hosts.reduce((sum, host) => sum + host.changes(), selection.changes()),
    /** Whether the primary is read. */
    readsPrimary: (): boolean => selection.current() !== undefined && selection.current() === selection.primary()?.host,
    /**
     * Begins to compare the positions of hosts, and to probe them every second if there are several. Called once the index is found. `readPosition`: reads
     * the position of a host. `served`: the floor, the position that a host must have reached to be read.
     */
    track: (readPosition: ReadPositionOf, served: () => ReadPosition): void => {
      floor = served;
      selection.setReadPosition(readPosition);
      if (hosts.length > 1) probeRepeatedly();
    },
    /** The position of the primary now. */
    primaryPosition: (): Promise<ReadPosition> => selection.readPosition(primary),
    /**
     * Listens for notifications of the primary, also after another host has become the primary. While the primary is unknown or behind a pooler, which
     * passes no notifications on, `to.onNotify` is not called. Returns a function that ends this.
     */
    listen: (channel: string, to: Listener): (() => void) => {
      let stop = (): void => {};
      const start = (): void => {
        stop();
        // Between two primaries notifications may have been missed.
        to.onLost();
        stop = selection.primary()?.notifier?.listen(channel, to) ?? (() => {});
      };
      const forget = selection.onPrimary(start);
      start();
      return () => {
        forget();
        stop();
      };
    },
    isNotified,
    /** Calls `listener` with the error of every statement that a host did not answer, or not in time. */
    onFailed: (listener: (error: unknown) => void): void => {
      onFailed = listener;
    },
    /** Why hosts are not read, for health; empty if all are or could be. */
    leftOut: selection.leftOut,
    close: async (): Promise<void> => {
      isClosed = true;
      cancelProbe();
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

/**
 * Statements on the host that `find` returns. `onDown` is called with a host that does not answer, `onFailed` with the error of the statement.
 * `isRepeated`: statements only read, so those that got no answer run once more if there is another host.
 */
function sqlOn({
  find,
  onDown,
  onFailed,
  isRepeated = false,
}: {
  readonly find: () => Promise<DatabaseHost>;
  readonly onDown: (host: DatabaseHost) => void;
  readonly onFailed: (error: unknown) => void;
  readonly isRepeated?: boolean;
}): ReadSql {
  const runOn = async <T>(host: DatabaseHost, run: (sql: ReadSql) => Promise<T>): Promise<T> => {
    try {
      return await run(host.sql);
    } catch (error) {
      if (isDatabaseDown(error)) {
        onDown(host);
        onFailed(error);
      }
      throw error;
    }
  };
  const onHost = async <T>(run: (sql: ReadSql) => Promise<T>): Promise<T> => {
    const host = await find();
    try {
      return await runOn(host, run);
    } catch (error) {
      if (!isRepeated || !isDatabaseDown(error)) throw error;
      // If no other host has what was served, that is what the caller must know.
      const other = await find();
      if (other === host) throw error;
      return runOn(other, run);
    }
  };
  const reportFailed = (results: readonly GroupResult[]): void => {
    const failed = results.find((result) => result.status === 'rejected' && isDatabaseDown(result.reason));
    if (failed?.status === 'rejected') onFailed(failed.reason);
  };
  return {
    dialect: 'postgres',
    all: (text, values) => onHost((sql) => sql.all(text, values)),
    // If the host is down, the last query fails too, and `groupThen` rejects: `onHost` sees that. Here a single query may have got no answer in time.
    groupThen: async (queries, last) => {
      const group = await onHost((sql) => sql.groupThen(queries, last));
      reportFailed(group.results);
      return group;
    },
    groupOnWorkers: async (queries) => {
      const results = await onHost((sql) => sql.groupOnWorkers(queries));
      if (results !== undefined) reportFailed(results);
      return results;
    },
  };
}
