import { type Closing, openTogether } from '../../base/closing.ts';
import { Fault, messageOf } from '../../base/fault.ts';
import { createOutageLog, logChanges } from '../../base/log/log.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseConfig } from '../hosts/database-config.ts';
import { type DatabaseHost, openDatabaseHost } from '../hosts/database-host.ts';
import { createPrimaryFinder } from '../hosts/primary.ts';
import { type Lease, tryLease } from '../lease/lease.ts';
import { splitHosts } from '../postgres/database-url.ts';
import { databaseName, isDatabaseDown, PostgresError, withoutPrefix } from '../postgres/postgres-fault.ts';

/**
 * Milliseconds between two attempts to get the lease, and between two looks for another primary. `lossNoticed`: after a connection is lost, the loss of the
 * lease is known within this time, because the lease is looked at every second.
 */
const intervals = { leaseAttempt: 500, promotion: 1000, lossNoticed: 3000 } as const;

/** What this process does: it starts, waits for another process that writes, or writes. */
export type WriterRole = 'starting' | 'standby' | 'writing';

/** What a process that may write has. */
export type WritingProcess = {
  /** The connection to write through. */
  readonly lease: Lease;
  /** The primary. */
  readonly host: DatabaseHost;
  /** What is added here is closed before the lease is released. */
  readonly opened: Closing;
  /** Logs a problem that is retried. */
  readonly warn: (error: unknown) => void;
  /** Logs a line unless it is the last one that was logged here. */
  readonly logChange: (line: string) => void;
};

/**
 * Lets one process at a time write an index: the one that holds the lease on the primary. Again and again, it finds the primary, takes the lease, opens
 * what writes, and closes it when the lease is lost or another host is promoted. Without the lease it waits to take over. For `serac index`.
 */
export function createSoleWriter({
  env,
  exit,
  database,
  leaseName,
  openWriter,
}: {
  readonly env: ClusterEnv;
  /** Ends this process. */
  readonly exit: (code: number) => void;
  readonly database: DatabaseConfig;
  readonly leaseName: string;
  /** Opens what writes while this process has the lease. */
  readonly openWriter: (process: WritingProcess) => Promise<void>;
}) {
  const hosts = openHosts(database, env);
  const findPrimary = createPrimaryFinder(hosts);
  const stopping = Promise.withResolvers<string>();
  let isStopping = false;
  let role: WriterRole = 'starting';
  let lastError: string | undefined;
  let ended: Promise<void> | undefined;
  const logChange = logChanges(env.log);
  const outage = createOutageLog(env.log, databaseName(database.url));
  /** Logs a problem that is retried, and shows it in `error`. */
  const warn = (error: unknown): void => {
    lastError = messageOf(error);
    logChange(lastError, 'warn');
  };

  /** Writes until the lease is lost, another host is promoted, or this process stops. Returns why. */
  const write = (lease: Lease, host: DatabaseHost): Promise<string> =>
    openTogether(env, async (opened) => {
      await openWriter({ lease, host, opened, warn: warnUnlessLost(lease.lost, env.timers, warn), logChange });
      role = 'writing';
      const promotion = watchPromotion(env, hosts.length > 1 ? findPrimary : async () => ({ host }), host);
      opened.add({ close: promotion.stop });
      const reason = await Promise.race([lease.lost, stopping.promise, promotion.found]);
      await opened.close();
      return reason;
    });

  /** Takes the lease and writes; returns at once if another process has it. */
  const tryToWrite = async (): Promise<void> => {
    const { host, state } = await findPrimary();
    if (state.isPooled) throw poolerRefusal(host.name);
    const dialect = database.isDistributed ? 'citus' : state.dialect;
    const lease = await tryLease(env, { url: host.url, dialect, statementMilliseconds: database.statementTimeout }, leaseName);
    outage.regained();
    if (lease === undefined) {
      role = 'standby';
      logChange('another serac index is writing this index; waiting to take over when it stops');
      return;
    }
    try {
      const reason = await write(lease, host);
      if (!isStopping) outage.lost(reason);
    } finally {
      role = 'starting';
      await lease.release();
    }
  };

  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        await tryToWrite();
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

  return {
    role: (): WriterRole => role,
    /** The last problem: why it does not write. */
    error: (): string | undefined => lastError,
    warn,
    /** Begins to write, or to wait. */
    start: (): void => {
      ended = run();
      ended.catch((error: unknown) => {
        env.log(`${messageOf(error)}`, 'fatal');
        exit(1);
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
 * Returns a function that warns of errors of the writer. A lost connection fails the statements that are under way and soon the lease, whose loss is logged
 * anyway, in one line. So an error of the database waits until that would be known, and is left out if the lease was lost.
 */
export function warnUnlessLost(
  lost: Promise<unknown>,
  timers: Pick<ClusterEnv['timers'], 'after'>,
  warn: (error: unknown) => void,
): (error: unknown) => void {
  let isLost = false;
  void lost.then(() => {
    isLost = true;
  });
  return (error) => {
    if (!isDatabaseDown(error)) return warn(error);
    timers.after(intervals.lossNoticed, () => {
      if (!isLost) warn(error);
    });
  };
}

/** The hosts of the database, with one connection each. */
const openHosts = ({ url: urls, statementTimeout }: DatabaseConfig, env: ClusterEnv): DatabaseHost[] =>
  splitHosts(urls).map((url) => openDatabaseHost(url, { statementTimeout, poolSize: 1 }, env));

/**
 * Watches whether another host is promoted while the former primary still answers: what is written to the former one would be lost. The
 * lease does not help, since each host has its own.
 */
function watchPromotion(
  { timers }: Pick<ClusterEnv, 'timers'>,
  findPrimary: () => Promise<{ readonly host: DatabaseHost }>,
  writtenTo: DatabaseHost,
) {
  const { promise: found, resolve } = Promise.withResolvers<string>();
  let cancel = (): void => {};
  let isStopped = false;
  const look = (): void => {
    cancel = timers.after(intervals.promotion, async () => {
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
    /** Resolves with a sentence that says which host was promoted. */
    found,
    stop: (): void => {
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
