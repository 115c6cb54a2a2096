import { apiError } from '../api/api-error.ts';
import type { LiveReads } from '../api/live-reads.ts';
import type { ServedChain } from '../api/served-chains.ts';
import type { Id } from '../bytes/id.ts';
import { memoize } from '../bytes/memoize.ts';
import type { DataDeps } from '../data/deps.ts';
import type { ExplorerReads } from '../index-read/explorer-reads.ts';
import { createThroughput, type Throughput } from './throughput.ts';

/** Dependencies of the explorer routes. */
export type ExplorerDeps = DataDeps & {
  /** The transactions per second of a chain; one object per chain. */
  readonly throughputOf: (chain: ServedChain) => Throughput;
};

export const createExplorerDeps = (data: DataDeps): ExplorerDeps => {
  const byChain = memoize(data.served.chains.length, (id: Id) => {
    const chain = data.served.chains.find((one) => one.id === id) as ServedChain;
    return createThroughput({ chain, explorer: explorerOf(chain), epoch: data.epoch, now: data.served.now, longWork: data.longWork });
  });
  return { ...data, throughputOf: ({ id }) => byChain(id) };
};

/** The reads of a chain; throws 503 if this server has none. */
export function explorerOf({ explorer, slug }: ServedChain): ExplorerReads {
  if (explorer === undefined) throw apiError(503, `This server has no explorer index of ${slug}`);
  return explorer;
}

/** The live reads of a chain; throws 503 if this server has none. */
export function liveOf({ live, slug }: ServedChain): LiveReads {
  if (live === undefined) throw apiError(503, `This server does not run ${slug}`);
  return live;
}
