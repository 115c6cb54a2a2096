import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { type PrivatePostgres, startPostgres } from './postgres.ts';

/** Names the coordinator of a Citus cluster; without it tests of Citus are skipped. tools/citus-cluster.sh starts one. */
export const namedCitus = process.env.SERAC_TEST_CITUS;

/** The name of a test suite, with the reason if it is skipped. */
export const citusSuite = (what: string): string => (namedCitus === undefined ? `${what} (skipped: SERAC_TEST_CITUS is not set)` : what);

/** A Citus cluster for one test, whose servers can be killed. */
export type PrivateCitus = {
  /** The URL of the coordinator. */
  readonly url: string;
  readonly coordinator: PrivatePostgres;
  readonly workers: readonly PrivatePostgres[];
  /** Starts a synchronous replica of a worker. */
  readonly replicate: (worker: PrivatePostgres) => Promise<PrivatePostgres>;
  /** Promotes the replica of a worker that is gone, and puts it in its place. */
  readonly replace: (worker: PrivatePostgres, by: PrivatePostgres) => Promise<void>;
  /** Prepared transactions on the workers. */
  readonly countPrepared: () => Promise<number>;
  readonly remove: () => Promise<void>;
};

const settings = [
  `shared_preload_libraries = 'citus'`,
  'max_connections = 100',
  'max_prepared_transactions = 200',
  `citus.node_conninfo = 'sslmode=disable'`,
];

/** Starts a coordinator and two workers, from the PostgreSQL with Citus that is installed. */
export async function startCitus(): Promise<PrivateCitus> {
  const servers: PrivatePostgres[] = [];
  for (let i = 0; i < 3; i++) servers.push((await startPostgres({ settings })) as PrivatePostgres);
  const [coordinator, ...added] = servers as [PrivatePostgres, ...PrivatePostgres[]];
  const run = async <Row>(url: string, text: string): Promise<Row[]> => {
    const sql = openPostgres({ url, max: 1, statementMilliseconds: 60_000 });
    try {
      return await sql.all<Row>(text, []);
    } finally {
      await sql.close();
    }
  };
  for (const { url } of servers) await run(url, 'CREATE EXTENSION citus');
  await run(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  for (const { port } of added) await run(coordinator.url, `SELECT citus_add_node('127.0.0.1', ${port})`);
  let workers: readonly PrivatePostgres[] = added;
  return {
    url: coordinator.url,
    coordinator,
    get workers() {
      return workers;
    },
    replicate: async (worker) => {
      const replica = (await startPostgres({ settings, replicaOf: worker })) as PrivatePostgres;
      servers.push(replica);
      await run(worker.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await run(worker.url, 'SELECT pg_reload_conf()');
      return replica;
    },
    replace: async (worker, by) => {
      await by.promote();
      await run(by.url, 'ALTER SYSTEM RESET synchronous_standby_names');
      await run(by.url, 'SELECT pg_reload_conf()');
      await run(
        coordinator.url,
        `SELECT citus_update_node(nodeid, '127.0.0.1', ${by.port}, force => true) FROM pg_dist_node WHERE nodeport = ${worker.port}`,
      );
      workers = workers.map((one) => (one === worker ? by : one));
    },
    countPrepared: async () => {
      const counts = await Promise.all(workers.map(({ url }) => run<{ n: number }>(url, 'SELECT count(*) AS n FROM pg_prepared_xacts')));
      return counts.flat().reduce((sum, { n }) => sum + n, 0);
    },
    remove: async () => {
      for (const server of servers) await server.remove();
    },
  };
}
