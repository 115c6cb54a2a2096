/** Counts of a chain in one time bucket: an hour, day, week or month. The members are the columns of table `span`. */
export type TimeBucket = {
  /** Unix seconds. */
  readonly start: number;
  readonly txs: number;
  readonly blocks: number;
  /** Addresses that sent or received. */
  readonly active: number;
  /** Addresses that sent. */
  readonly senders: number;
  /** Addresses seen for the first time. */
  readonly addresses: number;
  /** Burned amount of the fee asset. */
  readonly fees: bigint;
  readonly maxTps: number;
  /** Time of its last block, in Unix seconds. */
  readonly last: number;
};
