import { splitHosts } from '../postgres/database-url.ts';

/** Transactions or blocks of a new partition unless the operator chooses another number. */
export const defaultPartitionSize = 16_777_216;

/** PostgreSQL, and how it is used. */
export type DatabaseConfig = {
  /** Maybe with several hosts: the primary and its replicas. */
  readonly url: string;
  /** The same database without a pooler, for notifications and while no pooler answers; undefined: `url`. */
  readonly listenUrl: string | undefined;
  /** Maximum number of connections to each host. */
  readonly poolSize: number;
  /** Milliseconds. */
  readonly statementTimeout: number;
  /** Whether replicas are read, or only the primary. */
  readonly readsReplicas: boolean;
  /** Milliseconds; a replica that is further behind the primary is not read. */
  readonly maxLag: number;
  /** Transactions or blocks of a new partition. */
  readonly partitionSize: number;
  /** Whether the indexer divides new tables over the servers of a Citus cluster; existing tables stay as they are. */
  readonly isDistributed: boolean;
};

/** The addresses of a database, one host each. `direct`: the servers' own, where `named` are poolers. */
export function addressesOf({ url, listenUrl = url }: Pick<DatabaseConfig, 'url' | 'listenUrl'>): {
  readonly named: readonly string[];
  readonly direct: readonly string[];
} {
  const named = splitHosts(url);
  return { named, direct: splitHosts(listenUrl).filter((address) => !named.includes(address)) };
}
