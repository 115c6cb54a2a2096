import { memoize } from '../../../base/cache/memoize.ts';
import { describeDatabase } from '../../../cluster/postgres/database-url.ts';
import {
  defaultStatementMilliseconds,
  type GroupThen,
  type Postgres,
  type PostgresConnection,
  type PostgresOptions,
} from '../../../cluster/postgres/postgres.ts';
import { isServerAnswer, type PostgresError, timeoutError, toPostgresFault } from '../../../cluster/postgres/postgres-fault.ts';
import { type GroupResult, nameValues, type SqlQuery } from '../../../ledger/index/sql.ts';
import { connect } from './postgres-connection.ts';
import { listenOn } from './postgres-listener.ts';
import { convertBigints, toResult } from './postgres-rows.ts';

type Value = null | number | string | Uint8Array;

/**
 * Opens a connection pool with Bun's PostgreSQL driver. `?` is the placeholder of values; integers are returned as numbers, bytes as
 * Uint8Array. If the server is down or hung, statements fail within the timeouts; they work again as soon as the server is back.
 */
export function openPostgres(options: PostgresOptions): Postgres {
  const pool = openPool(options);
  const { dialect = 'postgres' } = options;
  const { where, withTimeout } = pool;
  const numberPlaceholders = createPlaceholderNumbering();

  const queriesOn = (connection: Bun.SQL, from: Pool): PostgresConnection => ({
    dialect,
    all: async <Row>(text: string, values: readonly Value[]) =>
      convertBigints<Row>(await withTimeout(from, connection.unsafe(numberPlaceholders(text), values as Value[]))),
    copy: (text, rows) => withTimeout(from, copyRows(connection, text, rows)),
  });

  /** Runs `work` on the connection that has least to do. */
  const onConnection = async <T>(work: (sql: PostgresConnection) => Promise<T>): Promise<T> => {
    const from = pool.current();
    const connection = leastBusy(from);
    connection.running++;
    try {
      return await work(queriesOn(connection.sql, from));
    } finally {
      connection.running--;
    }
  };
  const all: PostgresConnection['all'] = (text, values) => onConnection((sql) => sql.all(text, values));

  /** Sends all queries at once on one connection: the driver writes them together, and the server runs them one after the other. */
  const sendTogether = (queries: readonly SqlQuery[]): Promise<GroupResult[]> => {
    const from = pool.current();
    const connection = leastBusy(from);
    connection.running += queries.length;
    const { promise, resolve } = Promise.withResolvers<GroupResult[]>();
    const results: (GroupResult | undefined)[] = queries.map(() => undefined);
    let unfinished = queries.length;
    const cancelTimer = pool.startTimer(from, (reason) => resolve(results.map((result) => result ?? { status: 'rejected', reason })));
    const finish = (at: number, result: GroupResult): void => {
      results[at] = result;
      connection.running--;
      if (--unfinished > 0) return;
      cancelTimer();
      resolve(results as GroupResult[]);
    };
    for (const [at, { text, values }] of queries.entries())
      connection.sql.unsafe(numberPlaceholders(text), values as Value[]).then(
        (rows) => {
          pool.countAnswer();
          finish(at, toResult(rows));
        },
        (cause) => {
          if (isServerAnswer(cause)) pool.countAnswer();
          finish(at, { status: 'rejected', reason: toPostgresFault(cause, where) });
        },
      );
    return promise;
  };
  const groupThen = async (queries: readonly SqlQuery[], last: SqlQuery): Promise<GroupThen> => {
    if (options.isPooled) {
      const results = await Promise.allSettled(queries.map(({ text, values }) => all<unknown>(text, values)));
      return { results, last: await all(last.text, last.values) };
    }
    const results = await sendTogether([...queries, last]);
    const found = results.pop() as GroupResult;
    if (found.status === 'rejected') throw found.reason;
    return { results, last: found.value };
  };

  return {
    dialect,
    all,
    groupThen,
    copy: (text, rows) => onConnection((sql) => sql.copy(text, rows)),
    write: (work) =>
      withReserved(
        pool,
        queriesOn,
        async (sql) => {
          await sql.all('BEGIN', []);
          const result = await work(sql);
          await sql.all('COMMIT', []);
          return result;
        },
        (sql) => sql.all('ROLLBACK', []),
      ),
    listen: (channel, to) => listenOn(options, channel, to),
    close: pool.close,
  };
}

/** Connections, each opened by its first statement. The driver's own pool would spread the statements of a group over several of them. */
type Pool = readonly PooledConnection[];

/** `running`: statements that were sent and have not ended. */
type PooledConnection = { readonly sql: Bun.SQL; running: number };

/** The connection with the fewest running statements; the first of several, so that few are opened and have their statements prepared. */
function leastBusy(pool: Pool): PooledConnection {
  let [found] = pool as [PooledConnection];
  for (const one of pool) if (one.running < found.running) found = one;
  return found;
}

type OpenPool = {
  readonly where: string;
  readonly current: () => Pool;
  /** Calls `onTimeout` when a statement on a connection of `from` takes too long. Returns a function that cancels it. */
  readonly startTimer: (from: Pool, onTimeout: (error: PostgresError) => void) => () => void;
  /** Counts a result or an error that the server has sent. */
  readonly countAnswer: () => void;
  readonly withTimeout: <T>(from: Pool, result: PromiseLike<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** Opens the connections, and others in their place if the server does not answer: they would hang for minutes, since the driver does not notice. */
function openPool(options: PostgresOptions): OpenPool {
  const { statementMilliseconds = defaultStatementMilliseconds, max = defaultPoolSize } = options;
  const where = describeDatabase(options.url);
  const open = (): Pool => Array.from({ length: max }, () => ({ sql: connect(options), running: 0 }));
  const close = async (pool: Pool): Promise<void> => void (await Promise.all(pool.map(({ sql }) => sql.close({ timeout: 0 }))));
  let pool = open();
  let answers = 0;
  const replace = (hung: Pool): void => {
    if (pool !== hung) return;
    pool = open();
    void close(hung).catch(() => undefined);
  };
  const startTimer: OpenPool['startTimer'] = (from, onTimeout) => {
    const answersBefore = answers;
    return startStallTolerantTimer(statementMilliseconds, () => {
      // If the server answered other statements meanwhile, also with an error, it is only busy, not hung.
      const isSilent = answers === answersBefore;
      if (isSilent) replace(from);
      onTimeout(timeoutError(statementMilliseconds, where, isSilent));
    });
  };
  return {
    where,
    current: () => pool,
    startTimer,
    countAnswer: () => {
      answers++;
    },
    withTimeout: async (from, result) => {
      const { promise: timeout, reject } = Promise.withResolvers<never>();
      const cancelTimer = startTimer(from, reject);
      try {
        const value = await Promise.race([result, timeout]);
        answers++;
        return value;
      } catch (cause) {
        if (isServerAnswer(cause)) answers++;
        throw toPostgresFault(cause, where);
      } finally {
        cancelTimer();
      }
    },
    close: () => close(pool),
  };
}

/**
 * Calls `onTimeout` after so many milliseconds. A timer that fires late shows that this process was stalled: the answer may wait in the socket,
 * which is read after the timers. So the timer then waits once more for a moment. Returns a function that cancels it.
 */
function startStallTolerantTimer(milliseconds: number, onTimeout: () => void): () => void {
  const due = performance.now() + milliseconds;
  let timer = setTimeout(() => {
    if (performance.now() - due < stall) return onTimeout();
    timer = setTimeout(onTimeout, stall);
  }, milliseconds);
  return () => clearTimeout(timer);
}

/** Milliseconds by which a timer is late after a stall, and for which an answer is waited for after it. */
const stall = 500;

/** Runs `work` on a connection of its own. If it fails, `cleanUp` runs; if that fails too, the connection is closed and not reused. */
async function withReserved<T>(
  { current, withTimeout }: OpenPool,
  queriesOn: (connection: Bun.SQL, from: Pool) => PostgresConnection,
  work: (sql: PostgresConnection) => Promise<T>,
  cleanUp: (sql: PostgresConnection) => Promise<unknown>,
): Promise<T> {
  const from = current();
  const pooled = leastBusy(from);
  pooled.running += reservedWeight;
  try {
    const reserving = pooled.sql.reserve();
    const connection = await withTimeout(from, reserving).catch((fault) => {
      void reserving.then(
        ({ release }) => release(),
        () => undefined,
      );
      throw fault;
    });
    const sql = queriesOn(connection, from);
    try {
      const result = await work(sql);
      connection.release();
      return result;
    } catch (cause) {
      await cleanUp(sql).then(
        () => connection.release(),
        () => connection.close({ timeout: 0 }).catch(() => undefined),
      );
      throw cause;
    }
  } finally {
    pooled.running -= reservedWeight;
  }
}

/** What a transaction counts for: statements beside it would wait for its end. */
const reservedWeight = 1_000_000;

async function copyRows(connection: Bun.SQL, text: string, rows: Uint8Array): Promise<void> {
  const writer = connection.unsafe(text).writable().getWriter();
  await writer.write(rows);
  // Resolves when the server has stored the rows, and rejects with its error.
  await writer.close();
}

export const defaultPoolSize = 8;

/** Creates a function that replaces `?` by PostgreSQL's placeholders $1, $2, ... Results are cached: statements are few, but long. */
const createPlaceholderNumbering = (): ((text: string) => string) =>
  memoize((text: string) => nameValues(text, (position) => `$${position + 1}`));
