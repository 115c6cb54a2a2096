import { createKey, generous, writePlans } from './keys.ts';
import { type Indexer, type Program, startIndexer, startProgram } from './program.ts';
import { openServers } from './servers.ts';

/** As the README draws it: a node, two that index (one of them waits), two that serve, PostgreSQL and Redis between them. */
export type Arrangement = {
  readonly database: string;
  readonly cache: string;
  readonly indexers: Indexer[];
  readonly apis: readonly [Program, Program];
  /** One more of each. */
  readonly startIndex: () => Indexer;
  readonly startApi: (...flags: string[]) => Promise<Program>;
  readonly createKey: (...flags: string[]) => ReturnType<typeof createKey>;
  /** Stops all of them; their exit codes. */
  readonly close: () => Promise<number[]>;
};

/** A minute of the plan `tiny`. */
export const tinyMinute = 25;

export async function arrange(name: string, url: string): Promise<Arrangement> {
  const { database, cache, close } = await openServers(name);
  const plans = writePlans({
    data: { anonymous: generous, tiny: { perMinute: tinyMinute, perDay: 1_000 } },
    metrics: { anonymous: generous },
  });
  const place = `--database-url=${database}`;
  // A node may want a name and a password; that is nobody's business but theirs.
  const startIndex = () => startIndexer(`${url.replace('://', '://alice:secret@')}/`, place);
  const startApi = (...flags: string[]) => startProgram('api', place, `--cache-url=${cache}`, '--rate-limits=on', plans.flag, ...flags);
  const indexers = [startIndex(), startIndex()];
  const apis = await Promise.all([startApi(), startApi()]);
  return {
    database,
    cache,
    indexers,
    apis,
    startIndex,
    startApi,
    createKey: (...flags) => createKey(place, plans.flag, ...flags),
    close: async () => {
      const codes = await Promise.all([...apis, ...indexers].map((one) => one.stop()));
      plans.remove();
      await close();
      return codes;
    },
  };
}
