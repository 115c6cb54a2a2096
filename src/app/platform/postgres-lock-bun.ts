import { createMutex } from '../../base/timing/mutex.ts';
import { openPostgres, type Postgres, type PostgresOptions } from './postgres-bun.ts';
import { PostgresError } from './postgres-fault.ts';

/**
 * An advisory lock, held by one connection and released by the server when that connection ends for any reason. Writes that need the lock use
 * the same connection: a process that has lost the lock cannot write, even if it has not noticed yet.
 */
export type PostgresLock = Pick<Postgres, 'dialect' | 'all' | 'write'> & {
  /** Resolves when the lock is lost or released. */
  readonly lost: Promise<void>;
  readonly release: () => Promise<void>;
};

/** Tries to take a lock of the schema in use: each schema of a database has its own. Returns undefined if another connection holds it. */
export async function tryPostgresLock(options: Omit<PostgresOptions, 'max' | 'onLost'>, name: string): Promise<PostgresLock | undefined> {
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  let isLost = false;
  const markLost = (): void => {
    isLost = true;
    resolve();
  };
  const sql = openPostgres({ ...options, max: 1, onLost: markLost });
  const rows = await sql
    .all<{ pid: number; taken: boolean }>(
      `SELECT pg_backend_pid() AS pid, pg_try_advisory_lock(hashtextextended(concat(CAST(? AS text), ' in ', current_schema()), 0)) AS taken`,
      [name],
    )
    .catch(async (fault) => {
      await sql.close();
      throw fault;
    });
  const { pid, taken: isOurs } = rows[0] as { pid: number; taken: boolean };
  if (!isOurs || isLost) {
    await sql.close();
    return undefined;
  }
  const checkHeld = (): void => {
    if (isLost) throw lockLostError(name);
  };
  // There is one connection: what waits for a long transaction must not count as a statement that gets no answer.
  const lockWrites = createMutex();
  let lastWrite: Promise<unknown> = Promise.resolve();
  /** Reads that have not ended. One waits only for the writes before it, and those after it wait for it: writes may follow each other without end. */
  const reads = new Set<Promise<unknown>>();
  // A connection can break without notice, so it is checked regularly while no write is running.
  let writing = 0;
  const keepAlive = setInterval(() => {
    if (writing === 0) sql.all('SELECT 1', []).catch(markLost);
  }, keepAliveMilliseconds);
  keepAlive.unref();
  void lost.then(async () => {
    clearInterval(keepAlive);
    await sql.close().catch(() => undefined);
  });

  return {
    dialect: 'postgres',
    all: <Row>(text: string, values: Parameters<Postgres['all']>[1]) => {
      const result = lastWrite.then(() => {
        checkHeld();
        return sql.all<Row>(text, values);
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
        return sql.write(async (tx) => {
          // The pool may have replaced a closed connection by a new one, which does not hold the lock.
          const [row] = await tx.all<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
          if (row?.pid !== pid) throw lockLostError(name);
          return work(tx);
        });
      }).finally(() => writing--);
      lastWrite = result.catch(() => undefined);
      return result;
    },
    lost,
    release: async () => {
      isLost = true;
      clearInterval(keepAlive);
      await sql.close();
    },
  };
}

const keepAliveMilliseconds = 1000;

const lockLostError = (name: string) =>
  new PostgresError(`database: the lock "${name}" was lost`, { code: 'DATABASE_DOWN', reason: 'lock lost' });
