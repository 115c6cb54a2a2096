import { loadClusterEnv } from '../../cluster/cluster-env.ts';
import type { Config } from '../config/config.ts';
import { createIndexWriter } from '../index/index-writer.ts';
import { serveIndexer } from '../index/indexer-server.ts';
import { withParts } from '../node/parts.ts';
import type { Env } from '../platform/env.ts';

type Indexer = {
  /** The URL of health and metrics; undefined if it does not listen. */
  readonly url: string | undefined;
  readonly close: () => Promise<void>;
};

/** `serac index`: the history of a followed node in PostgreSQL. `listens`: whether health and metrics are served on the HTTP port. */
export async function runIndexer(node: string, config: Config, env: Env, { listens }: { readonly listens: boolean }): Promise<Indexer> {
  const writer = createIndexWriter(node, config, env, await loadClusterEnv(env));
  return withParts(writer.warn, async (parts) => {
    parts.add(writer);
    const server = listens ? parts.add(await serveIndexer(config, env, writer)) : undefined;
    writer.start();
    return { url: server?.url, close: parts.close };
  });
}
