import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { type PrivateRedis, redisBinary, startRedis } from './redis.ts';

/** PostgreSQL and Redis for one test file. */
export type Servers = {
  /** An empty database. */
  readonly database: string;
  readonly cache: string;
  readonly close: () => Promise<void>;
};

const { SERAC_TEST_POSTGRES: namedPostgres, SERAC_TEST_REDIS: namedRedis } = process.env;

/** Whether `openServers` finds any. */
export const hasServers: boolean =
  (namedPostgres !== undefined || postgresInstalled) && (namedRedis !== undefined || redisBinary !== undefined);

/** Whether there are some that can be stopped and killed. */
export const hasPrivateServers: boolean = postgresInstalled && redisBinary !== undefined;

/** How a suite that needs them is called. */
export const withServers = (what: string, there: boolean): string =>
  there ? what : `${what} (left out: there is no PostgreSQL or no Redis here)`;

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

type Opened = { readonly url: string; readonly close: () => Promise<void> };

/** In the server that the environment names, else in one of the test's own. */
async function openDatabase(name: string): Promise<Opened> {
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

/** Callers without a key are counted by their address, which others who use the same server have too: one of our own is better. */
async function openCache(): Promise<Opened> {
  const own = await startRedis();
  return own === undefined ? { url: namedRedis ?? '', close: async () => {} } : { url: own.url, close: own.kill };
}
