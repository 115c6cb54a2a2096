/** What a chain did in one hour, day, week or month. `start`: Unix seconds. */
export type SpanEntry = {
  readonly start: number;
  readonly txs: number;
  readonly blocks: number;
  readonly active: number;
  readonly senders: number;
  /** Seen for the first time. */
  readonly addresses: number;
  readonly fees: bigint;
  readonly maxTps: number;
  /** Time of its last block. */
  readonly last: number;
};
