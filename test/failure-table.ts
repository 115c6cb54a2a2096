import type { Indexer, Program } from './program.ts';
import type { ReplicatedDeployment } from './replicated-deployment.ts';

/**
 * What `serac api` answers while something is away: each row is a test (failures.test.ts) and a line of docs/guides/cluster.md. The rows are tried in
 * this order, on one deployment; after the last one its replica is the primary.
 */
export type Failure = {
  readonly away: string;
  /** What lists, balances, transactions and metrics answer. */
  readonly newest: Outcome;
  /** What is answered where no later block changes the answer: blocks, further pages, transactions all of whose outputs are spent. */
  readonly settled: Outcome;
  /** Seconds within which every answer is there. */
  readonly longest: number;
  readonly health: ExpectedHealth;
  readonly ready: 200 | 503;
  /** Which API servers notice it: all, the one behind PgBouncer, or none. */
  readonly noticedBy: 'all' | 'pooled' | 'none';
  /** The API server that is not asked, because it is what is away. */
  readonly isServer?: true;
  readonly break: (parts: FailureParts) => Promise<unknown>;
  readonly mend: (parts: FailureParts) => Promise<unknown>;
};

/** What `/v1/health-check` answers; `component` has the message that `says` fits. Without one, nothing is reported. */
type ExpectedHealth = { readonly status: 200 | 503; readonly component?: 'index' | 'database' | 'cache'; readonly says?: RegExp };

/** `refused`: 503 until it is mended. */
export type Outcome = 'answered' | 'refused';

/** The parts of the deployment that a row ends, and replaces when it is mended. */
export type FailureParts = {
  readonly deployment: ReplicatedDeployment;
  node: Program;
  indexer: Indexer;
  /** Starts the node again, on its port and data directory. */
  readonly startNode: () => Promise<Program>;
  /** Issues transactions until every server has served a block that the replica does not have. */
  readonly serveWithoutReplica: () => Promise<void>;
};

const send = (process: { readonly pid: number }, signal: NodeJS.Signals): void => void globalThis.process.kill(process.pid, signal);

const silentIndexer = {
  newest: 'answered',
  settled: 'answered',
  longest: 1,
  health: { status: 503, component: 'index', says: /^no serac index has written for \d+ s/ },
  ready: 200,
  noticedBy: 'all',
} as const;

const silentNode = { ...silentIndexer, health: { ...silentIndexer.health, says: /^the node that serac index follows does not answer/ } };

/** Another host is read. */
const otherHost = {
  newest: 'answered',
  settled: 'answered',
  longest: 1,
  health: { status: 200, component: 'database', says: / is not read: / },
  ready: 200,
} as const;

export const failures: readonly Failure[] = [
  {
    away: '`serac index` is frozen',
    ...silentIndexer,
    break: async ({ indexer }) => send(indexer, 'SIGSTOP'),
    mend: async ({ indexer }) => send(indexer, 'SIGCONT'),
  },
  {
    away: '`serac index` is dead',
    ...silentIndexer,
    break: ({ indexer }) => indexer.stop('SIGKILL'),
    mend: async (parts) => {
      parts.indexer = parts.deployment.startIndexer();
    },
  },
  {
    away: 'the node is frozen',
    ...silentNode,
    break: async ({ node }) => send(node, 'SIGSTOP'),
    mend: async ({ node }) => send(node, 'SIGCONT'),
  },
  {
    away: 'the node is dead',
    ...silentNode,
    break: ({ node }) => node.stop('SIGKILL'),
    mend: async (parts) => {
      parts.node = await parts.startNode();
    },
  },
  {
    away: 'Redis is dead',
    newest: 'answered',
    settled: 'answered',
    longest: 1,
    health: { status: 503, component: 'cache', says: /^cache does not answer/ },
    ready: 200,
    noticedBy: 'all',
    break: ({ deployment }) => deployment.redis.kill(),
    mend: ({ deployment }) => deployment.redis.start(),
  },
  {
    away: 'PgBouncer is restarted',
    ...otherHost,
    health: { status: 200 },
    noticedBy: 'none',
    break: async ({ deployment: { poolers } }) => {
      await Promise.all(poolers.map((pooler) => pooler.kill()));
      await Promise.all(poolers.map((pooler) => pooler.start()));
    },
    mend: async () => {},
  },
  {
    away: 'PgBouncer is dead, with `--database-listen-url`',
    ...otherHost,
    noticedBy: 'pooled',
    break: ({ deployment: { poolers } }) => Promise.all(poolers.map((pooler) => pooler.kill())),
    mend: ({ deployment: { poolers } }) => Promise.all(poolers.map((pooler) => pooler.start())),
  },
  {
    away: 'the replica is behind',
    ...otherHost,
    noticedBy: 'all',
    break: async ({ deployment: { run, replica }, serveWithoutReplica }) => {
      await run(replica, 'SELECT pg_wal_replay_pause()');
      await serveWithoutReplica();
    },
    mend: ({ deployment: { run, replica } }) => run(replica, 'SELECT pg_wal_replay_resume()'),
  },
  {
    away: 'the replica is cut off',
    ...otherHost,
    longest: 3,
    noticedBy: 'all',
    break: async ({ deployment: { replica } }) => replica.freeze(),
    mend: async ({ deployment: { replica } }) => replica.thaw(),
  },
  {
    away: 'one `serac api` is frozen: the others',
    ...otherHost,
    health: { status: 200 },
    noticedBy: 'none',
    isServer: true,
    break: async ({ deployment: { apis } }) => send(apis[0], 'SIGSTOP'),
    mend: async ({ deployment: { apis } }) => send(apis[0], 'SIGCONT'),
  },
  {
    away: 'the primary is dead, and the replica has all commits',
    ...otherHost,
    noticedBy: 'all',
    break: ({ deployment: { primary } }) => primary.end('kill'),
    mend: ({ deployment: { primary } }) => primary.start(),
  },
  {
    away: 'a replica without the last commits is promoted, until the indexer has fetched them again',
    newest: 'refused',
    settled: 'answered',
    longest: 3,
    health: { status: 503, component: 'database', says: /^database does not answer \(DATABASE_BEHIND\)/ },
    ready: 503,
    noticedBy: 'all',
    break: async ({ deployment: { run, primary, replica }, indexer, serveWithoutReplica }) => {
      // From now on the replica receives nothing.
      await run(replica, `ALTER SYSTEM SET primary_conninfo = ''`);
      await run(replica, 'SELECT pg_reload_conf()');
      await serveWithoutReplica();
      send(indexer, 'SIGSTOP');
      await primary.end('kill');
      await replica.promote();
    },
    mend: async ({ indexer }) => send(indexer, 'SIGCONT'),
  },
];
