import { openPostgres, type Postgres, type PostgresOptions } from './postgres-bun.ts';
import { PostgresError } from './postgres-fault.ts';

/**
 * A lock that the server gives to one connection and takes back when that connection ends, however it ends. What must happen under the lock
 * is written through it, on the same connection: whoever has lost the lock can write no more, even if he does not know it yet.
 */
export type PostgresLock = Pick<Postgres, 'dialect' | 'all' | 'write'> & {
  /** Resolves when the lock is gone, lost or released. */
  readonly lost: Promise<void>;
  readonly release: () => Promise<void>;
};

/** Undefined if another one holds it. */
export async function tryPostgresLock(options: Omit<PostgresOptions, 'max' | 'onLost'>, name: string): Promise<PostgresLock | undefined> {
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  let gone = false;
  const lose = (): void => {
    gone = true;
    resolve();
  };
  const sql = openPostgres({ ...options, max: 1, onLost: lose });
  const taken = await sql
    .all<{ pid: number; taken: boolean }>(`SELECT pg_backend_pid() AS pid, pg_try_advisory_lock(hashtextextended(?, 0)) AS taken`, [name])
    .catch(async (fault) => {
      await sql.close();
      throw fault;
    });
  const { pid, taken: isOurs } = taken[0] as { pid: number; taken: boolean };
  if (!isOurs || gone) {
    await sql.close();
    return undefined;
  }
  const checkHeld = (): void => {
    if (gone) throw lockLost(name);
  };
  // A connection can die without a word. Asking keeps both sides sure of each other.
  let writing = 0;
  const pulse = setInterval(() => {
    if (writing === 0) sql.all('SELECT 1', []).catch(lose);
  }, pulseMilliseconds);
  pulse.unref();
  void lost.then(async () => {
    clearInterval(pulse);
    await sql.close().catch(() => undefined);
  });

  return {
    dialect: 'postgres',
    all: async (text, values) => {
      checkHeld();
      return sql.all(text, values);
    },
    write: async (work) => {
      checkHeld();
      writing++;
      try {
        return await sql.write(async (tx) => {
          // A connection that ended may have been replaced by another one, which has no lock.
          const [row] = await tx.all<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
          if (row?.pid !== pid) throw lockLost(name);
          return work(tx);
        });
      } finally {
        writing--;
      }
    },
    lost,
    release: async () => {
      gone = true;
      clearInterval(pulse);
      await sql.close();
    },
  };
}

const pulseMilliseconds = 1000;

const lockLost = (name: string) =>
  new PostgresError(`database: the lock "${name}" was lost`, { code: 'DATABASE_DOWN', reason: 'lock lost' });
