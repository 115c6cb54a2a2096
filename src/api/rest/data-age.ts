/**
 * How old the data of a server is that gets its blocks from elsewhere: a follower, a node on a network of peers, `serac api`. Answers carry the age
 * in a header (`ageHeader`).
 */
export type DataAge = {
  /** Seconds since this server last had every block of its source; 0 while it has. Before the first time: the age of the last block. Read for every answer. */
  readonly seconds: () => number;
  /** Why the data is old; undefined while it is not. The health checks of the Data and Metrics APIs fail with it. */
  readonly problem: () => string | undefined;
  /**
   * Why a load balancer should prefer other servers: they have newer data. Undefined while this one is as good as they are, also if the source of
   * all of them is away: else all would leave at once.
   */
  readonly notReady: () => string | undefined;
};
