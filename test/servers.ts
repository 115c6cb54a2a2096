import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { type PrivateRedis, redisBinary, startRedis } from './redis.ts';

/** PostgreSQL and Redis for one test file. */
type Servers = {
  /** An empty database. */
  readonly database: string;
  readonly cache: string;
  readonly close: () => Promise<void>;
};

const { SERAC_TEST_POSTGRES: namedPostgres, SERAC_TEST_REDIS: namedRedis } = process.env;

/** Whether `openServers` can be used. */
export const hasServers: boolean =
  (namedPostgres !== undefined || postgresInstalled) && (namedRedis !== undefined || redisBinary !== undefined);

/** Whether servers can be started that a test may stop and kill. */
export const hasPrivateServers: boolean = postgresInstalled && redisBinary !== undefined;

/** The name of a test suite, with the reason if it is skipped. */
export const suiteName = (what: string, isAvailable: boolean): string =>
  isAvailable ? what : `${what} (skipped: PostgreSQL or Redis is not installed)`;

export async function openServers(name: string): Promise<Servers> {
  const [database, cache] = [await openDatabase(name), await openCache()];
  return {
    database: database.url,
    cache: cache.url,
    close: async () => {
      await cache.close();
      await database.close();
    },
  };
}

export type PrivateServers = { readonly postgres: PrivatePostgres; readonly redis: PrivateRedis };

export async function openPrivateServers(): Promise<PrivateServers> {
  return { postgres: (await startPostgres()) as PrivatePostgres, redis: (await startRedis()) as PrivateRedis };
}

type OpenServer = { readonly url: string; readonly close: () => Promise<void> };

/** Creates a database on the server that SERAC_TEST_POSTGRES names, else on a private server. */
async function openDatabase(name: string): Promise<OpenServer> {
  if (namedPostgres === undefined) {
    const own = (await startPostgres()) as PrivatePostgres;
    return { url: own.url, close: own.remove };
  }
  const database = `${name}_${process.pid}`;
  const url = new URL(namedPostgres);
  url.pathname = `/${database}`;
  const run = async (statement: string): Promise<void> => {
    const sql = new Bun.SQL(namedPostgres, { max: 1 });
    await sql.unsafe(statement);
    await sql.close();
  };
  await run(`CREATE DATABASE ${database}`);
  return { url: url.href, close: () => run(`DROP DATABASE ${database} WITH (FORCE)`) };
}

/** Prefers a private Redis: rate limits count callers by address, and other users of a shared server have the same address. */
async function openCache(): Promise<OpenServer> {
  const own = await startRedis();
  return own === undefined ? { url: namedRedis ?? '', close: async () => {} } : { url: own.url, close: own.kill };
}
