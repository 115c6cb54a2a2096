import { createKey, unlimited, writePlans } from './api-keys.ts';
import { type Indexer, type Program, startIndexer, startProgram } from './program.ts';
import { openServers } from './servers.ts';

/** The deployment of the README: a node, two indexers (one of them on standby), two API servers, PostgreSQL and Redis. */
export type Deployment = {
  readonly database: string;
  readonly cache: string;
  readonly indexers: Indexer[];
  readonly apis: readonly [Program, Program];
  /** Starts another indexer or API server. */
  readonly startIndexer: () => Indexer;
  readonly startApi: (...flags: string[]) => Promise<Program>;
  readonly createKey: (...flags: string[]) => ReturnType<typeof createKey>;
  /** Stops all processes and returns their exit codes. */
  readonly close: () => Promise<number[]>;
};

/** Requests per minute of the plan `tiny`. */
export const tinyPlanPerMinute = 25;

export async function startDeployment(name: string, url: string): Promise<Deployment> {
  const { database, cache, close } = await openServers(name);
  const plans = writePlans({
    data: { anonymous: unlimited, tiny: { perMinute: tinyPlanPerMinute, perDay: 1_000 } },
    metrics: { anonymous: unlimited },
  });
  const databaseFlag = `--database-url=${database}`;
  // A URL with user and password, which must never appear in output.
  const startIndex = () => startIndexer(`${url.replace('://', '://alice:secret@')}/`, databaseFlag);
  const startApi = (...flags: string[]) =>
    startProgram('api', databaseFlag, `--cache-url=${cache}`, '--rate-limits=on', plans.flag, ...flags);
  const indexers = [startIndex(), startIndex()];
  const apis = await Promise.all([startApi(), startApi()]);
  return {
    database,
    cache,
    indexers,
    apis,
    startIndexer: startIndex,
    startApi,
    createKey: (...flags) => createKey(databaseFlag, plans.flag, ...flags),
    close: async () => {
      const codes = await Promise.all([...apis, ...indexers].map((one) => one.stop()));
      plans.remove();
      await close();
      return codes;
    },
  };
}
