import { hasTable, type Sql, type WritableSql } from '../../ledger/index/sql.ts';

/*
 * The table of the lease: a row that says which `serac index` process may write the index. The SQL is here; lease.ts (`tryLease`) decides when it runs.
 *
 * Words:
 * - holder: the process that may write, named by a random text. The text is also the application name of its sessions, so that others find them.
 * - session: a connection to PostgreSQL. A holder has two. One writes the index and has an advisory lock, which PostgreSQL frees when the session
 *   ends. The other renews the row every second, also while the first one runs a long transaction.
 * - term: the number of a holder, one more than that of the holder before. Every statement of a holder names its term: it finds no row once the
 *   next holder has taken the lease.
 *
 * Order of calls, all by lease.ts: a process gets the advisory lock (`endSessionsOf` frees it if the lease has expired), then `createLeaseTable`,
 * `findLease`, `takeLease`; it calls `renewLease` every second, `verifyLease` at the beginning of each transaction, and `releaseLease` at the end.
 * `serac api` only calls `readLease` (api-server/index-status.ts), to know whether an indexer is alive.
 *
 * The name of a row is `serac index` and the ID of the X-Chain, so there is one row, unless indexers of several networks were started on one schema.
 * Times are written by the clock of the database, so clocks of the processes do not matter.
 */

/** Milliseconds without a renewal after which the lease has expired: lease.ts ends the sessions of its holder, and the next process takes it. */
export const leaseMilliseconds = 10_000;

/**
 * `holder` is null after the holder has released the lease. `fillfactor` leaves room in the page, so that a renewal updates the row in place.
 */
const createText = `CREATE TABLE IF NOT EXISTS index_lease(name text PRIMARY KEY, term bigint NOT NULL, holder text,
  renewed_at timestamptz NOT NULL) WITH (fillfactor = 50)`;

/** Creates the table if there is none. The caller must have the advisory lock: PostgreSQL may refuse one of two that create a table at the same time. */
export async function createLeaseTable(sql: Sql): Promise<void> {
  await sql.all(createText, []);
}

/** What `serac api` sees of the lease. */
export type LeaseReading = {
  /** Whether a process has taken the lease and not released it. The process may have died since: see `age`. */
  readonly isHeld: boolean;
  /** Milliseconds since the lease was last renewed, taken or released, by the clock of the host that is read: that of a replica may differ a little. */
  readonly age: number;
};

/**
 * Reads the lease that was renewed last, whatever its name: the indexer that is alive. Returns undefined if there is none: no indexer has written yet,
 * or only one of an earlier version, which had no lease.
 */
export async function readLease(sql: Sql): Promise<LeaseReading | undefined> {
  if (!(await hasTable(sql, 'index_lease'))) return undefined;
  const [row] = await sql.all<{ held: boolean; age: number }>(
    `SELECT holder IS NOT NULL AS held, ${ageText} AS age FROM index_lease ORDER BY renewed_at DESC LIMIT 1`,
    [],
  );
  // Negative if the clock of a replica is behind that of the primary.
  return row && { isHeld: row.held, age: Math.max(0, row.age) };
}

const ageText = 'CAST(extract(epoch FROM clock_timestamp() - renewed_at) * 1000 AS bigint)';

/** What a process that wants to take the lease must know of it. */
export type LeaseState = LeaseReading & { readonly term: number; readonly holder: string | null };

/** Reads the lease of this name. Returns undefined if it was never taken. */
export async function findLease(sql: Sql, name: string): Promise<LeaseState | undefined> {
  if (!(await hasTable(sql, 'index_lease'))) return undefined;
  const [row] = await sql.all<{ term: number; holder: string | null; age: number }>(
    `SELECT term, holder, ${ageText} AS age FROM index_lease WHERE name = ?`,
    [name],
  );
  return row && { ...row, isHeld: row.holder !== null };
}

/**
 * Takes the lease for `holder` as successor of the holder in `found` (from `findLease`; undefined: nobody ever had the lease). Returns the new term;
 * undefined if the former holder has renewed the lease since `findLease`, or another process has taken it.
 * The lease need not have expired: the caller has the advisory lock, so the session through which the former holder wrote has ended. The process of
 * the former holder may still run: its other session may renew the lease, and its pool may have replaced the ended session by a new one. A transaction
 * in the new session that has called `verifyLease` is waited for (lease.ts lets it write nothing: the new session does not have the lock).
 */
export async function takeLease(
  sql: WritableSql,
  { name, holder, found }: { readonly name: string; readonly holder: string; readonly found: LeaseState | undefined },
): Promise<number | undefined> {
  return sql.write(async (tx) => {
    if (found === undefined) {
      const [row] = await tx.all<{ term: number }>(
        'INSERT INTO index_lease VALUES (?, 1, ?, clock_timestamp()) ON CONFLICT DO NOTHING RETURNING term',
        [name, holder],
      );
      return row?.term;
    }
    // FOR UPDATE waits for the FOR KEY SHARE of `verifyLease`; an UPDATE alone would not.
    const [current] = await tx.all<{ age: number }>(`SELECT ${ageText} AS age FROM index_lease WHERE name = ? AND term = ? FOR UPDATE`, [
      name,
      found.term,
    ]);
    // The age only grows unless the lease is renewed.
    const wasRenewed = current !== undefined && found.isHeld && current.age < found.age;
    if (current === undefined || wasRenewed) return undefined;
    const [row] = await tx.all<{ term: number }>(
      'UPDATE index_lease SET term = term + 1, holder = ?, renewed_at = clock_timestamp() WHERE name = ? RETURNING term',
      [holder, name],
    );
    return row?.term;
  });
}

/** Renews the lease. Returns false if another process has taken it. Does not wait for a transaction of the same holder that has called `verifyLease`. */
export async function renewLease(sql: Sql, name: string, term: number): Promise<boolean> {
  const rows = await sql.all('UPDATE index_lease SET renewed_at = clock_timestamp() WHERE name = ? AND term = ? RETURNING 1 AS one', [
    name,
    term,
  ]);
  return rows.length === 1;
}

/**
 * Checks that this term still holds the lease, at the beginning of every transaction that writes. Locks the row (FOR KEY SHARE), so nobody can take
 * the lease before the transaction has ended. Returns undefined if the lease was taken; else the process ID of the session, by which lease.ts sees
 * whether it is still the session that has the advisory lock.
 */
export async function verifyLease(tx: Sql, name: string, term: number): Promise<{ readonly pid: number } | undefined> {
  const [row] = await tx.all<{ pid: number }>('SELECT pg_backend_pid() AS pid FROM index_lease WHERE name = ? AND term = ? FOR KEY SHARE', [
    name,
    term,
  ]);
  return row;
}

/**
 * Marks the lease as given up: it has no holder whose sessions would have to be ended. Then lease.ts closes the sessions of this process, which frees
 * the advisory lock, so the next process takes the lease without waiting until it has expired.
 */
export async function releaseLease(sql: Sql, name: string, term: number): Promise<void> {
  await sql.all('UPDATE index_lease SET holder = NULL, renewed_at = clock_timestamp() WHERE name = ? AND term = ?', [name, term]);
}

/**
 * Ends the sessions of a holder whose lease has expired, and with them its advisory lock; waits for up to a second for each. Returns how many sessions
 * were told to end. Called before `takeLease`. Only sessions of the same database user can be ended: if the holder was started with another user, its
 * sessions end when they have been silent for 30 seconds (`leaseTimes.idle` in lease.ts), which PostgreSQL itself sees to.
 */
export async function endSessionsOf(sql: Sql, holder: string): Promise<number> {
  const rows = await sql.all(
    'SELECT pg_terminate_backend(pid, 1000) AS ended FROM pg_stat_activity WHERE application_name = ? AND usename = current_user AND datname = current_database()',
    [holder],
  );
  return rows.length;
}
