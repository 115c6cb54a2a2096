/** Status of following, for users, health checks and progress bars. */
export type FollowStatus = {
  /**
   * starting: the node's identity is not verified yet; catching-up: it has blocks that are not stored here; live: all its blocks are stored;
   * waiting: it does not respond, or its responses are invalid (see `lastError`).
   */
  readonly state: 'starting' | 'catching-up' | 'live' | 'waiting';
  readonly height: bigint;
  /** The last known height of the node. */
  readonly target: bigint | undefined;
  readonly blocksPerSecond: number;
  readonly txsPerSecond: number;
  /** Estimated seconds until all blocks are stored; undefined if unknown. */
  readonly eta: number | undefined;
  /** Seconds since all blocks of the node were stored: 0 while live. Before the first time, the age of the last stored block. */
  readonly behindSeconds: number;
  /**
   * Seconds from when the node first named a height that is not stored here to its last answer; 0 if it named none. Does not grow while the node is
   * silent.
   */
  readonly lagSeconds: number;
  /** The last error, until following succeeds again. */
  readonly lastError: unknown;
  /** Imported outputs since the start whose export could not be found, so that only their signatures were verified. */
  readonly unknownImports: number;
};

/** Whether the followed node answers, by the state of the follower. While it is `starting`, the node is neither known to answer nor to be silent. */
export const isNodeReachable = (state: string): boolean => state === 'live' || state === 'catching-up';
export const isNodeSilent = (state: string): boolean => state === 'waiting';
