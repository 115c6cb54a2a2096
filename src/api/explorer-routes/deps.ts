import { memoize } from '../../base/cache/memoize.ts';
import type { ExplorerReads } from '../../ledger/index-read/explorer-reads.ts';
import type { DataDeps } from '../data/deps.ts';
import { apiError } from '../rest/api-error.ts';
import type { LiveReads } from '../rest/live-reads.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { type AssetDays, createAssetDays } from './asset-days.ts';
import { createThroughput, type Throughput } from './throughput.ts';

/** Dependencies of the explorer routes. */
export type ExplorerDeps = DataDeps & {
  /** The transactions per second of a chain; one object per chain. */
  readonly throughputOf: (chain: ServedChain) => Throughput;
  /** The transactions of assets by day; one object per chain. */
  readonly assetDaysOf: (chain: ServedChain) => AssetDays;
};

export const createExplorerDeps = (data: DataDeps): ExplorerDeps => {
  const { epoch, longWork } = data;
  const { now } = data.served;
  return {
    ...data,
    throughputOf: memoize((chain: ServedChain) =>
      createThroughput({ reads: chain.reads, explorer: explorerOf(chain), epoch, now, longWork }),
    ),
    assetDaysOf: memoize((chain: ServedChain) => createAssetDays({ reads: chain.reads, explorer: explorerOf(chain), epoch, now })),
  };
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
