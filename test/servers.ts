import { type PrivatePostgres, startPostgres } from './postgres.ts';
import { type PrivateRedis, startRedis } from './redis.ts';

/** PostgreSQL and Redis for one test file. */
export type Servers = {
  /** An empty database. */
  readonly database: string;
  readonly cache: string;
  readonly close: () => Promise<void>;
};

/** What the environment names, else servers of the test's own; undefined where neither can be had. */
export async function openServers(name: string): Promise<Servers | undefined> {
  const database = await openDatabase(name);
  const cache = await openCache();
  const close = async (): Promise<void> => {
    await cache?.close();
    await database?.close();
  };
  if (database !== undefined && cache !== undefined) return { database: database.url, cache: cache.url, close };
  await close();
  return undefined;
}

/** Servers that can be stopped and killed; undefined where they are not installed. */
export type PrivateServers = { readonly postgres: PrivatePostgres; readonly redis: PrivateRedis };

export async function openPrivateServers(): Promise<PrivateServers | undefined> {
  const postgres = await startPostgres();
  const redis = await startRedis();
  if (postgres !== undefined && redis !== undefined) return { postgres, redis };
  await postgres?.remove();
  await redis?.kill();
  return undefined;
}

/** How a suite that needs them is called. */
export const withServers = (what: string, servers: unknown): string =>
  servers === undefined ? `${what} (left out: there is no PostgreSQL or no Redis here)` : what;

type Opened = { readonly url: string; readonly close: () => Promise<void> };

async function openDatabase(name: string): Promise<Opened | undefined> {
  const server = process.env.SERAC_TEST_POSTGRES;
  if (server === undefined) {
    const own = await startPostgres();
    return own && { url: own.url, close: own.remove };
  }
  const database = `${name}_${process.pid}`;
  const url = new URL(server);
  url.pathname = `/${database}`;
  const run = async (statement: string): Promise<void> => {
    const sql = new Bun.SQL(server, { max: 1 });
    await sql.unsafe(statement);
    await sql.close();
  };
  await run(`CREATE DATABASE ${database}`);
  return { url: url.href, close: () => run(`DROP DATABASE ${database} WITH (FORCE)`) };
}

/** Callers without a key are counted by their address, which others who use the same server have too: one of our own is better. */
async function openCache(): Promise<Opened | undefined> {
  const own = await startRedis();
  if (own !== undefined) return { url: own.url, close: own.kill };
  const url = process.env.SERAC_TEST_REDIS;
  return url === undefined ? undefined : { url, close: async () => {} };
}
