import { readFileSync } from 'node:fs';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { type PrivatePgBouncer, pgBouncerBinary, startPgBouncer } from './pgbouncer.ts';
import { type PrivatePostgres, postgresInstalled, startPostgres } from './postgres.ts';
import { type Indexer, type Program, startIndexer, startProgram } from './program.ts';
import { type PrivateRedis, redisBinary, startRedis } from './redis.ts';

/**
 * What an operator runs, on one machine: a node, a primary and a replica, PgBouncer before each, Redis, an indexer and two API servers, with the
 * roles of docs/guides/cluster.md. The first API server goes through PgBouncer, the second one directly. `bun test/replicated-deployment.ts` starts
 * it to be tried by hand.
 */
export type ReplicatedDeployment = {
  readonly node: Program;
  readonly primary: PrivatePostgres;
  readonly replica: PrivatePostgres;
  /** URL of the primary for the indexer, through PgBouncer, which it refuses. */
  readonly pooledIndexerUrl: string;
  readonly poolers: readonly [primary: PrivatePgBouncer, replica: PrivatePgBouncer];
  readonly redis: PrivateRedis;
  readonly indexer: Indexer;
  /** Starts another indexer with the flags of the first. */
  readonly startIndexer: () => Indexer;
  readonly apis: readonly [pooled: Program, direct: Program];
  /** Starts another API server, on the servers themselves. */
  readonly startApi: (...flags: string[]) => Promise<Program>;
  /** Runs a statement as a superuser. */
  readonly run: (server: PrivatePostgres, statement: string, database?: string) => Promise<readonly unknown[]>;
  readonly close: () => Promise<void>;
};

export const hasReplicatedServers: boolean = postgresInstalled && redisBinary !== undefined && pgBouncerBinary !== undefined;

type DeploymentOptions = {
  /** Flags of both API servers. */
  readonly apiFlags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** Fills the database before anything else uses it; `url` is that of the indexer's role. */
  readonly prepare?: (url: string) => Promise<void>;
  /** Lines of the configuration of both PostgreSQL servers. */
  readonly settings?: readonly string[];
};

export async function startReplicatedDeployment({
  apiFlags = [],
  nodeFlags = [],
  settings = [],
  prepare,
}: DeploymentOptions = {}): Promise<ReplicatedDeployment> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  const opened = <T>(value: T, end: (value: T) => Promise<unknown>): T => {
    closing.push(() => end(value));
    return value;
  };
  try {
    const primary = opened((await startPostgres({ settings })) as PrivatePostgres, (server) => server.remove());
    await createRoles(primary);
    await prepare?.(`postgres://serac_indexer@127.0.0.1:${primary.port}/serac`);
    const replica = opened((await startPostgres({ replicaOf: primary, settings })) as PrivatePostgres, (server) => server.remove());
    const logins = ['"serac" ""', '"serac_api" ""', '"serac_indexer" ""'];
    const startPooler = async (server: PrivatePostgres): Promise<PrivatePgBouncer> =>
      opened(await startPgBouncer(server, [], logins), (pooler) => pooler.stop());
    const poolers = [await startPooler(primary), await startPooler(replica)] as const;
    const redis = opened((await startRedis()) as PrivateRedis, (server) => server.kill());
    const node = opened(await startProgram(...nodeFlags), (program) => program.stop());
    const urlOf = (role: string, servers: readonly { readonly port: number }[]) =>
      `postgres://${role}@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/serac`;
    const direct = urlOf('serac_api', [primary, replica]);
    const startOneIndexer = () =>
      opened(startIndexer(node.url, `--database-url=${urlOf('serac_indexer', [primary, replica])}`), (one) => one.stop());
    const indexer = startOneIndexer();
    const startApi = async (...flags: string[]) =>
      opened(await startProgram('api', `--cache-url=${redis.url}`, ...apiFlags, ...flags), (program) => program.stop());
    const apis = await Promise.all([
      startApi(`--database-url=${urlOf('serac_api', poolers)}`, `--database-listen-url=${direct}`),
      startApi(`--database-url=${direct}`),
    ]);
    return {
      node,
      primary,
      replica,
      poolers,
      redis,
      pooledIndexerUrl: urlOf('serac_indexer', poolers.slice(0, 1)),
      indexer,
      startIndexer: startOneIndexer,
      apis,
      startApi: (...flags) => startApi(`--database-url=${direct}`, ...flags),
      run: runStatement,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs the statements of docs/guides/cluster.md: the first block in any database, the second in the new one. */
export async function createRoles(server: PrivatePostgres): Promise<void> {
  for (const [i, statements] of documentedSql('Roles').entries())
    for (const statement of statements) await runStatement(server, statement, i === 0 ? 'postgres' : 'serac');
}

/** The statements in the blocks of a section of docs/guides/cluster.md. */
export const documentedSql = (section: string): string[][] =>
  documentedBlocks(section, 'sql').map((text) =>
    text
      .split(';')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );

/** The code blocks of one language in a section of docs/guides/cluster.md. */
export function documentedBlocks(section: string, language: 'sql' | 'ini'): string[] {
  const page = readFileSync(new URL('../docs/guides/cluster.md', import.meta.url), 'utf8');
  const text = page.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block);
}

export async function runStatement({ port }: PrivatePostgres, statement: string, database = 'serac'): Promise<readonly unknown[]> {
  const sql = openPostgres({ url: `postgres://serac@127.0.0.1:${port}/${database}`, max: 1, statementMilliseconds: 30_000 });
  try {
    return await sql.all(statement, []);
  } finally {
    await sql.close();
  }
}

if (import.meta.main) {
  const { node, primary, replica, redis, apis, close } = await startReplicatedDeployment();
  console.log(
    JSON.stringify({ node: node.url, primary: primary.url, replica: replica.url, redis: redis.url, apis: apis.map(({ url }) => url) }),
  );
  process.once('SIGINT', () => void close().then(() => process.exit(0)));
}
