import { noAnswer, PostgresError, postgresFault } from './postgres-fault.ts';

type Value = null | number | string | Uint8Array;

type Asked = { readonly all: <Row>(text: string, values: readonly Value[]) => Promise<Row[]>; readonly dialect: 'postgres' };

export type Postgres = Asked & {
  /** In one transaction on one connection: stored together or not at all. */
  readonly write: <T>(work: (sql: Asked) => T | Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

export type PostgresOptions = {
  readonly url: string;
  /** Connections at most. */
  readonly max?: number;
  readonly connectMilliseconds?: number;
  /** How long one statement may take before it is given up, also by a server that does not answer at all. */
  readonly statementMilliseconds?: number;
  /** Told each time a connection ends that had been made, whoever ended it. */
  readonly onLost?: () => void;
};

/**
 * PostgreSQL as Bun has it. `?` stands for values; integers come as numbers, bytes as Uint8Array. A server that is gone or hangs is a fault
 * within the time limits, and used again as soon as it is back.
 */
export function openPostgres(options: PostgresOptions): Postgres {
  const { statementMilliseconds = 2000 } = options;
  const numbered = numbering();
  let pool = connect(options);
  let answers = 0;

  /** Connections that hang would hang for minutes: nothing tells the driver that the other side is gone. */
  const renew = (hanging: Bun.SQL): void => {
    if (pool !== hanging) return;
    pool = connect(options);
    void hanging.close({ timeout: 0 }).catch(() => undefined);
  };

  const inTime = async <T>(from: Bun.SQL, answer: PromiseLike<T>): Promise<T> => {
    const before = answers;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      // If others were answered meanwhile, the server lives and there is only too much to do.
      if (answers === before) renew(from);
      reject(noAnswer(statementMilliseconds));
    }, statementMilliseconds);
    try {
      const value = await Promise.race([answer, late]);
      answers++;
      return value;
    } catch (cause) {
      throw postgresFault(cause);
    } finally {
      clearTimeout(timer);
    }
  };

  const askedOn = (connection: Bun.SQL, from: Bun.SQL): Asked => ({
    dialect: 'postgres',
    all: async <Row>(text: string, values: readonly Value[]) =>
      plainRows<Row>(await inTime(from, connection.unsafe(numbered(text), values as Value[]))),
  });

  /** One connection for some work; one that cannot be brought back to rest is not used again. */
  const onOne = async <T>(work: (sql: Asked) => Promise<T>, rest: (sql: Asked) => Promise<unknown>): Promise<T> => {
    const from = pool;
    const reserving = from.reserve();
    const one = await inTime(from, reserving).catch((fault) => {
      void reserving.then(
        ({ release }) => release(),
        () => undefined,
      );
      throw fault;
    });
    const sql = askedOn(one, from);
    try {
      const result = await work(sql);
      one.release();
      return result;
    } catch (cause) {
      await rest(sql).then(
        () => one.release(),
        () => one.close({ timeout: 0 }).catch(() => undefined),
      );
      throw cause;
    }
  };

  return {
    dialect: 'postgres',
    all: (text, values) => askedOn(pool, pool).all(text, values),
    write: (work) =>
      onOne(
        async (sql) => {
          await sql.all('BEGIN', []);
          const result = await work(sql);
          await sql.all('COMMIT', []);
          return result;
        },
        (sql) => sql.all('ROLLBACK', []),
      ),
    close: () => pool.close({ timeout: 0 }),
  };
}

/**
 * The planner is told what it cannot know before the tables are large: everything here is read by a key and a few rows at a time, so it
 * should follow indexes and never read or sort whole tables.
 */
const planning = { jit: 'off', enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', enable_bitmapscan: 'off' };

const connect = ({ url, max = 8, connectMilliseconds = 2000, statementMilliseconds = 2000, onLost }: PostgresOptions): Bun.SQL =>
  new Bun.SQL({
    url,
    max,
    bigint: true,
    connectionTimeout: connectMilliseconds / 1000,
    ...(onLost ? { onclose: onLost } : {}),
    // The server's limit is a little shorter: its own word for a long statement is better than our silence.
    connection: { application_name: 'serac', statement_timeout: Math.ceil(statementMilliseconds * 0.9), ...planning },
  });

/** `?` as PostgreSQL wants it: $1, $2 ... Texts are few, but long. */
function numbering(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    let count = 0;
    const made = text.replace(/\?/g, () => `$${++count}`);
    known.set(text, made);
    return made;
  };
}

/** An int8 comes as a bigint. Ours are counts, heights and times: numbers, as SQLite gives them. */
function plainRows<Row>(rows: { [column: string]: unknown }[]): Row[] {
  for (const row of rows)
    for (const column in row) {
      const value = row[column];
      if (typeof value === 'bigint') row[column] = safeNumber(value);
    }
  return rows as Row[];
}

function safeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new PostgresError(`database: ${value} is no safe integer`, { code: 'DATABASE_REFUSED', reason: 'unsafe integer' });
}
