import { processCaches } from '../../base/cache/cache-budget.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../platform/env.ts';

/** The share of `--cache-bytes` that each process of this node has; see `cacheTable`. The memory is used only as it is needed. */
export const cacheBytesPerProcess = (
  config: Pick<Config, 'cacheBytes' | 'workers'>,
  env: Pick<Env, 'cores' | 'distributesConnections'>,
): number => config.cacheBytes / (countReaders(config, env) + 1);

/** Sets the size of the caches of this process. Called before a server creates its first cache of requests or opens its database. */
export const limitCaches = (...given: Parameters<typeof cacheBytesPerProcess>): void =>
  processCaches.resize(cacheBytesPerProcess(...given));

/** The same for a process that writes blocks and answers no requests. */
export const limitWriterCaches = ({ cacheBytes }: Pick<Config, 'cacheBytes'>): void => processCaches.resize(cacheBytes, 'write');

/** The number of reader processes. More readers cost memory; bench/ measures how many are worthwhile. */
export function countReaders(
  { workers }: Pick<Config, 'workers'>,
  { cores, distributesConnections }: Pick<Env, 'cores' | 'distributesConnections'>,
): number {
  if (workers !== 'auto') return workers;
  return distributesConnections ? Math.min(cores - 1, 1) : 0;
}
