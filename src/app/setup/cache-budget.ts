import type { Config } from '../config/config.ts';
import type { Env } from './env.ts';

/** The size limit of each cache of one process, in bytes. */
export type CacheBudget = { readonly [C in keyof typeof shares]: number };

/** The share of each cache in the memory of a process's caches; the shares add up to 1. */
const shares = {
  /** Responses of the Data and Metrics APIs. */
  responses: 1 / 8,
  /** Rendered transactions, outputs and blocks of the Data API, from which its pages are joined. */
  pieces: 1 / 4,
  /** Parsed paths and queries of the Data and Metrics APIs. */
  requests: 1 / 16,
  /** Rendered texts of the Metrics API: values of days, hours, weeks and months that are over. */
  points: 1 / 16,
  /** JSON of transactions and assets of the Node RPC; all chains together. */
  transactions: 3 / 32,
  /** Short results of the Node RPC, which are repeated until the next commit; all chains together. */
  results: 1 / 32,
  /** JSON of balances of the Node RPC; all chains together. */
  balances: 1 / 8,
  /** SQLite's page cache. */
  databasePages: 1 / 4,
} as const;

/** Splits `--cache-bytes` over the processes of this node and the caches of each. The memory is used only as it is needed. */
export function splitCacheBudget(
  config: Pick<Config, 'cacheBytes' | 'workers'>,
  env: Pick<Env, 'cores' | 'distributesConnections'>,
): CacheBudget {
  const perProcess = config.cacheBytes / (countReaders(config, env) + 1);
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, Math.floor(perProcess * share)])) as CacheBudget;
}

/** The number of reader processes. More readers cost memory; bench/ measures how many are worthwhile. */
export function countReaders(
  { workers }: Pick<Config, 'workers'>,
  { cores, distributesConnections }: Pick<Env, 'cores' | 'distributesConnections'>,
): number {
  if (workers !== 'auto') return workers;
  return distributesConnections ? Math.min(cores - 1, 1) : 0;
}
