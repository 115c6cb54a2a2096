import type { Log } from '../base/log/log.ts';
import type { OpenPostgres } from './postgres/postgres.ts';

/** What this wing needs of the process that it runs in: time, randomness, the log and the driver of PostgreSQL. Programs pass their `Env`. */
export type ClusterEnv = {
  readonly clock: {
    readonly unixSeconds: () => bigint;
    /** Milliseconds of a clock that never goes back. */
    readonly monotonic: () => number;
  };
  readonly timers: {
    readonly soon: (run: () => void) => void;
    readonly after: (milliseconds: number, run: () => void) => () => void;
  };
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  readonly openPostgres: OpenPostgres;
};
