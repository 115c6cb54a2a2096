import type { Config } from '../config/config.ts';
import type { Env } from './env.ts';

/** The share of `--cache-bytes` that each process of this node has; see `cacheTable`. The memory is used only as it is needed. */
export const cacheBytesPerProcess = (
  config: Pick<Config, 'cacheBytes' | 'store' | 'mode' | 'fork' | 'workers'>,
  env: Pick<Env, 'cores' | 'distributesConnections'>,
): number => config.cacheBytes / (countReaders(config, env) + 1);

/** The number of reader processes. More readers cost memory; bench/ measures how many are worthwhile. A chain in memory cannot have readers. */
export function countReaders(
  { store, mode, fork, workers }: Pick<Config, 'store' | 'mode' | 'fork' | 'workers'>,
  { cores, distributesConnections }: Pick<Env, 'cores' | 'distributesConnections'>,
): number {
  // A follower and a fork have none: requests to the other node must be made once, not once per process.
  if (store === 'memory' || mode.kind !== 'solo' || fork !== undefined) return 0;
  if (workers !== 'auto') return workers;
  return distributesConnections ? Math.min(cores - 1, 1) : 0;
}
