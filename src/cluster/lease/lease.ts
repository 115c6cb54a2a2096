import { sleep } from '../../base/timing/sleep.ts';
import { createMutex } from '../../base/timing/slots.ts';
import { every } from '../../base/timing/timers.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { defaultStatementMilliseconds, type PostgresOptions } from '../postgres/postgres.ts';
import { isDatabaseDown, PostgresError } from '../postgres/postgres-fault.ts';
import {
  createLeaseTable,
  endSessionsOf,
  findLease,
  type LeaseState,
  leaseMilliseconds,
  releaseLease,
  renewLease,
  takeLease,
  verifyLease,
} from './lease-table.ts';

/**
 * The right to write an index, and the connection to write through. Of several `serac index` processes one has it; the others wait (sole-writer.ts).
 * It is two things: an advisory lock of the session that writes, and a row that its holder renews (cluster/lease/lease-table.ts). PostgreSQL frees the
 * lock when the session ends, so a holder whose process dies is replaced at once. If the process hangs, or its machine is gone, nothing ends the
 * session: then another process sees that the row was not renewed, and ends the session. Earlier versions of Serac know the lock only.
 */
export type Lease = Pick<Postgres, 'dialect' | 'all' | 'write'> & {
  /** Resolves with the reason when the lease is lost or released. From then on every statement is refused. */
  readonly lost: Promise<string>;
  readonly release: () => Promise<void>;
};

/**
 * Milliseconds.
 * - `length`: without a renewal for so long, the lease has expired. A stalled disk or a busy machine stops a process for some seconds, and a change of
 *   the holder costs readers a gap too, so ten renewals in a row must be missing.
 * - `renewal`: between two renewals.
 * - `secondLook`: after so long an expired lease is read again before it is taken. The whole machine, or the database, may have been stalled: then the
 *   holder renews the lease meanwhile.
 * - `idle`: PostgreSQL itself ends a session of the holder that was silent for so long. Needed if the next process has another database user, which
 *   may not end the session.
 */
export type LeaseTimes = { readonly length: number; readonly renewal: number; readonly secondLook: number; readonly idle: number };

export const leaseTimes: LeaseTimes = { length: leaseMilliseconds, renewal: 1000, secondLook: 1000, idle: 3 * leaseMilliseconds };

type LeaseEnv = Pick<ClusterEnv, 'openPostgres' | 'timers' | 'random' | 'log'>;

/**
 * Tries to take the lease of this name; each schema of a database has its own. Returns undefined if another process holds the lease. If that process
 * has not renewed it in time, its sessions are ended first, and with them its advisory lock. `createSoleWriter` calls this again and again until
 * it returns a lease. `times`: others in tests only.
 */
export async function tryLease(
  env: LeaseEnv,
  {
    url,
    dialect,
    statementMilliseconds = defaultStatementMilliseconds,
  }: Pick<PostgresOptions, 'url' | 'dialect' | 'statementMilliseconds'>,
  name: string,
  times = leaseTimes,
): Promise<Lease | undefined> {
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  /** Also true after `release`: nothing may be written any more. */
  let isLost = false;
  const markLost = (reason: string): void => {
    isLost = true;
    resolve(reason);
  };
  const holder = `serac index ${Buffer.from(env.random(16)).toString('hex')}`;
  const session = env.openPostgres({
    url,
    dialect,
    max: 1,
    applicationName: holder,
    // A statement that waits for a stalled server must not close the session, and with it lose the lease.
    statementMilliseconds: Math.max(statementMilliseconds, times.length),
    idleMilliseconds: times.idle,
    onLost: () => markLost('the connection was lost'),
  });
  const taken = await takeThrough(session, env, { name, holder, times }).catch(async (fault) => {
    await session.close();
    throw fault;
  });
  if (taken === undefined || isLost) {
    await session.close();
    return undefined;
  }
  const { term, pid } = taken;
  // A transaction may occupy the session for long, so the lease is renewed through a second session.
  const renewals = env.openPostgres({ url, max: 1, applicationName: holder, statementMilliseconds, idleMilliseconds: times.idle });
  const stopRenewing = startRenewing(env, times.renewal, async () => {
    if (!isLost && !(await renewLease(renewals, name, term))) markLost('another process has taken the lease');
  });
  const queue = queueStatements(session, {
    checkHeld: () => {
      if (isLost) throw leaseLost(name);
    },
    beginWrite: async (tx) => {
      const verified = await verifyLease(tx, name, term);
      // The pool may have replaced a closed connection by a new one, which does not hold the advisory lock.
      if (verified?.pid === pid) return;
      markLost('another process has taken the lease');
      throw leaseLost(name);
    },
  });
  // The session may break without notice, so it is checked while no write is running.
  const stopChecking = every(env.timers, times.renewal, () => {
    if (queue.isWriting()) return;
    session.all('SELECT 1', []).catch((error: unknown) => {
      // A statement that the server has cancelled was late: the session is alive.
      if (!isCancelled(error)) markLost('the connection was lost');
    });
  });
  const close = async (): Promise<void> => {
    stopRenewing();
    stopChecking();
    await Promise.all([session, renewals].map((one) => one.close().catch(() => undefined)));
  };
  void lost.then(close);
  return {
    dialect: session.dialect,
    all: queue.all,
    write: queue.write,
    lost,
    release: async () => {
      const wasLost = isLost;
      isLost = true;
      stopRenewing();
      if (!wasLost) await releaseLease(renewals, name, term).catch(() => undefined);
      await close();
      resolve('released');
    },
  };
}

/** Takes the advisory lock and then the lease. Returns undefined while another process has either. */
async function takeThrough(
  session: Postgres,
  env: LeaseEnv,
  { name, holder, times }: { readonly name: string; readonly holder: string; readonly times: LeaseTimes },
): Promise<{ readonly term: number; readonly pid: number } | undefined> {
  const tryLock = () =>
    session.all<{ pid: number; taken: boolean }>(
      `SELECT pg_backend_pid() AS pid, pg_try_advisory_lock(hashtextextended(concat(CAST(? AS text), ' in ', current_schema()), 0)) AS taken`,
      [name],
    );
  let [row] = await tryLock();
  if (!row?.taken && (await endExpired(session, env, name, times))) [row] = await tryLock();
  if (!row?.taken) return undefined;
  await createLeaseTable(session);
  // Who has the advisory lock may take a lease that has not expired: the session of its holder, through which alone it can write, has ended.
  const term = await takeLease(session, { name, holder, found: await findLease(session, name) });
  return term === undefined ? undefined : { term, pid: row.pid };
}

/** Ends the sessions of the holder if the holder has not renewed the lease in time. Returns whether sessions were ended: the lock may be free now. */
async function endExpired(session: Postgres, env: LeaseEnv, name: string, { length, secondLook }: LeaseTimes): Promise<boolean> {
  const find = async (): Promise<(LeaseState & { readonly holder: string }) | undefined> => {
    const found = await findLease(session, name);
    return found?.holder != null && found.age > length ? { ...found, holder: found.holder } : undefined;
  };
  const first = await find();
  if (first === undefined) return false;
  await sleep(env.timers, secondLook);
  const second = await find();
  if (second?.term !== first.term) return false;
  const ended = await endSessionsOf(session, second.holder);
  // No session: an indexer of an earlier version has the lock (it renews no row), or the holder has another database user.
  if (ended === 0) return false;
  env.log(`the serac index that writes has not renewed its lease for ${Math.round(second.age / 1000)} s; its sessions were ended`, 'warn');
  return true;
}

/** Calls `renew` repeatedly; the next call follows `pause` milliseconds after the end of the one before. A call that fails is repeated. */
function startRenewing(env: LeaseEnv, pause: number, renew: () => Promise<void>): () => void {
  let isStopped = false;
  let cancel = (): void => {};
  const next = (): void => {
    if (isStopped) return;
    cancel = env.timers.after(
      pause,
      () =>
        void renew()
          .catch(() => undefined)
          .finally(next),
    );
  };
  next();
  return () => {
    isStopped = true;
    cancel();
  };
}

/**
 * Queues the statements of one session here, not in the driver: there, a statement that waits for a long transaction would run into the timeout for
 * statements without an answer. A read waits for earlier writes; later writes wait for the read. `checkHeld` throws if the lease is lost, and is called
 * before every statement. `beginWrite` runs first in every transaction.
 */
function queueStatements(
  session: Postgres,
  {
    checkHeld,
    beginWrite,
  }: { readonly checkHeld: () => void; readonly beginWrite: (tx: Pick<Postgres, 'dialect' | 'all'>) => Promise<void> },
): Pick<Postgres, 'all' | 'write'> & { readonly isWriting: () => boolean } {
  const lockWrites = createMutex();
  let lastWrite: Promise<unknown> = Promise.resolve();
  const reads = new Set<Promise<unknown>>();
  let writing = 0;
  return {
    isWriting: () => writing > 0,
    all: <Row>(text: string, values: Parameters<Postgres['all']>[1]) => {
      const result = lastWrite.then(() => {
        checkHeld();
        return session.all<Row>(text, values);
      });
      const ended: Promise<unknown> = result.catch(() => undefined).finally(() => reads.delete(ended));
      reads.add(ended);
      return result;
    },
    write: (work) => {
      writing++;
      const before = [...reads];
      const result = lockWrites(async () => {
        await Promise.all(before);
        checkHeld();
        return session.write(async (tx) => {
          await beginWrite(tx);
          return work(tx);
        });
      }).finally(() => writing--);
      lastWrite = result.catch(() => undefined);
      return result;
    },
  };
}

/** Whether PostgreSQL has cancelled the statement because of a timeout (SQLSTATE 57014). */
const isCancelled = (error: unknown): boolean => isDatabaseDown(error) && (error as PostgresError).fault.reason === '57014';

const leaseLost = (name: string) =>
  new PostgresError(`database: the lease "${name}" was lost`, { code: 'DATABASE_DOWN', reason: 'lease lost' });
