import type { Log } from '../base/log/log.ts';
import type { OpenPostgres } from './postgres/postgres.ts';

/** What this wing needs of the process that it runs in: time, randomness, the log and the driver of PostgreSQL. */
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

/**
 * Loads the driver of PostgreSQL for a program or command that needs it, and returns what this wing needs of the program's `Env`. No other program
 * loads the driver.
 */
export const loadClusterEnv = async ({
  clock,
  timers,
  random,
  log,
  loadPostgres,
}: Omit<ClusterEnv, 'openPostgres'> & { readonly loadPostgres: () => Promise<OpenPostgres> }): Promise<ClusterEnv> => ({
  clock,
  timers,
  random,
  log,
  openPostgres: await loadPostgres(),
});
