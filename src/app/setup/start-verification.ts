import type { PageChecksums } from '../../ledger/store/page-checksums.ts';
import type { TimeEnv } from './env.ts';

/**
 * The verification of pages of a database at a start: some are compared with their checksums before the database is opened, the others while the
 * node serves. Only then does a long chain start as fast as a short one: 64 blocks take 0.2 s of CPU time.
 */
export type StartVerification = {
  /** Compares the other pages in steps from now on. Calls `onDamage` or `onError` at most once. */
  readonly continueLater: (onDamage: (pages: readonly number[]) => void, onError: (error: unknown) => void) => void;
  readonly stop: () => void;
  /** Closes the files; only before the database is opened or after it is closed. */
  readonly close: () => void;
};

/** Blocks of 4 MiB that are compared before the database is opened, which cost 3 to 5 ms each; the first one has the schema. */
const blocksBefore = 2;

/** Blocks that are compared at a start in total; `serac check` compares all blocks of a larger file. */
const maxBlocks = 64;

/** Milliseconds until the first block after the start, and between two: a block takes 3 ms of the writer's thread. */
const [pauseAtStart, pause] = [1000, 25];

/** Compares the first pages, or for a command (`isWhole`) the whole sample. Calls `onDamage`, which may throw, if some differ. */
export function startVerification(
  checksums: Pick<PageChecksums, 'startVerification'>,
  { random, timers }: Pick<TimeEnv, 'random' | 'timers'>,
  onDamage: (pages: readonly number[]) => void,
  isWhole: boolean,
): StartVerification {
  const randomBelow = (below: number): number => Buffer.from(random(6)).readUIntBE(0, 6) % below;
  const { next, differing, close } = checksums.startVerification({ maxBlocks, random: randomBelow });
  let cancel = (): void => {};
  try {
    for (let block = 0; (isWhole || block < blocksBefore) && next(true); block++);
    if (differing().length > 0) onDamage(differing());
  } catch (error) {
    close();
    throw error;
  }
  const known = differing().length;
  return {
    continueLater: (onLaterDamage, onError) => {
      const step = (): void => {
        try {
          const isMore = next();
          if (differing().length > known) onLaterDamage(differing());
          else if (isMore) cancel = timers.after(pause, step);
        } catch (error) {
          onError(error);
        }
      };
      cancel = timers.after(pauseAtStart, step);
    },
    stop: () => cancel(),
    close,
  };
}
