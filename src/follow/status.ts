/** How following goes, for people, health checks and progress bars. */
export type FollowStatus = {
  /**
   * starting: the node has not been recognised yet; catching-up: it has blocks that are not here; live: all it has is here;
   * waiting: it does not answer, or what it answers cannot be right (see `lastError`).
   */
  readonly state: 'starting' | 'catching-up' | 'live' | 'waiting';
  readonly height: bigint;
  /** The node's height as it last told. */
  readonly target: bigint | undefined;
  readonly blocksPerSecond: number;
  readonly txsPerSecond: number;
  /** Seconds until all is here at this pace; undefined if nobody can say. */
  readonly eta: number | undefined;
  /** How long ago all that the node has was here: 0 while live. Before it ever was, how old the last block is. */
  readonly behindSeconds: number;
  /** What went wrong last, while it has not been overcome. */
  readonly lastError: unknown;
  /** Imports since the start whose outputs nobody could tell: they were taken as the imports show them. */
  readonly untoldImports: number;
};
