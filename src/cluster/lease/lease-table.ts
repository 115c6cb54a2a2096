import { hasTable, type Sql, type WritableSql } from '../../ledger/index/sql.ts';

/*
 * The lease of the indexer: a row that says which process may write the index, and until when. The holder renews it; another process takes it when
 * it was not renewed for some seconds. All times are those of the database's clock.
 */

/** Milliseconds without a renewal after which another process may take the lease. The holder renews it every second. */
export const leaseMilliseconds = 10_000;

/** `term`: counts the holders. `holder`: the application name of its sessions; null after it has released the lease. */
const createText = `CREATE TABLE IF NOT EXISTS index_lease(name text PRIMARY KEY, term bigint NOT NULL, holder text,
  renewed_at timestamptz NOT NULL) WITH (fillfactor = 50)`;

/** Creates the table. Only one process may do so at a time. */
export async function createLeaseTable(sql: Sql): Promise<void> {
  await sql.all(createText, []);
}

/** What a reader sees of the lease. */
export type LeaseReading = {
  /** Whether some process holds the lease: it may have died since. False after it was released. */
  readonly isHeld: boolean;
  /** Milliseconds since the lease was last renewed, taken or released, by the clock of the host that is asked. */
  readonly age: number;
};

/** The lease that was renewed last. Returns undefined if there is none: only an indexer of an earlier version has written, or none yet. */
export async function readLease(sql: Sql): Promise<LeaseReading | undefined> {
  if (!(await hasTable(sql, 'index_lease'))) return undefined;
  const [row] = await sql.all<{ held: boolean; age: number }>(
    `SELECT holder IS NOT NULL AS held, ${ageText} AS age FROM index_lease ORDER BY renewed_at DESC LIMIT 1`,
    [],
  );
  return row && { isHeld: row.held, age: Math.max(0, row.age) };
}

const ageText = 'CAST(extract(epoch FROM clock_timestamp() - renewed_at) * 1000 AS bigint)';

/** The lease as another process may take it. */
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
 * Takes the lease after the holder that `found` describes, unless that one has renewed it since it was found, or another process was
 * faster. Returns the new term. Waits for a commit of the former holder that has verified its term and not ended yet.
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
    // FOR UPDATE waits for the FOR KEY SHARE of a commit; an UPDATE alone would not.
    const [current] = await tx.all<{ age: number }>(`SELECT ${ageText} AS age FROM index_lease WHERE name = ? AND term = ? FOR UPDATE`, [
      name,
      found.term,
    ]);
    if (current === undefined || (found.isHeld && current.age < found.age)) return undefined;
    const [row] = await tx.all<{ term: number }>(
      'UPDATE index_lease SET term = term + 1, holder = ?, renewed_at = clock_timestamp() WHERE name = ? RETURNING term',
      [holder, name],
    );
    return row?.term;
  });
}

/** Renews the lease. Returns false if another process has taken it. Does not wait for commits of this term. */
export async function renewLease(sql: Sql, name: string, term: number): Promise<boolean> {
  const rows = await sql.all('UPDATE index_lease SET renewed_at = clock_timestamp() WHERE name = ? AND term = ? RETURNING 1 AS one', [
    name,
    term,
  ]);
  return rows.length === 1;
}

/**
 * Whether this term still holds the lease; returns the process ID of the session too. Called at the beginning of every transaction that writes:
 * nobody takes the lease before that has ended.
 */
export async function verifyLease(tx: Sql, name: string, term: number): Promise<{ readonly pid: number } | undefined> {
  const [row] = await tx.all<{ pid: number }>('SELECT pg_backend_pid() AS pid FROM index_lease WHERE name = ? AND term = ? FOR KEY SHARE', [
    name,
    term,
  ]);
  return row;
}

/** Lets the next process take the lease at once. */
export async function releaseLease(sql: Sql, name: string, term: number): Promise<void> {
  await sql.all('UPDATE index_lease SET holder = NULL, renewed_at = clock_timestamp() WHERE name = ? AND term = ?', [name, term]);
}

/**
 * Ends the sessions of a holder whose lease has expired, so that they keep no locks, and waits for up to a second for each. Returns how many; those of
 * other roles end by their timeouts.
 */
export async function endSessionsOf(sql: Sql, holder: string): Promise<number> {
  const rows = await sql.all(
    'SELECT pg_terminate_backend(pid, 1000) AS ended FROM pg_stat_activity WHERE application_name = ? AND usename = current_user AND datname = current_database()',
    [holder],
  );
  return rows.length;
}
