import type { Engine, Vm } from './vm.ts';

export type SoloTimers = {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Unix seconds, the chain's clock. */
  readonly unix: () => bigint;
  /** Runs after what has already arrived was handled, so that transactions in flight together share a block. */
  readonly soon: (run: () => void) => void;
  readonly after: (ms: number, run: () => void) => () => void;
};

export type SoloOptions = {
  /** Shortest time between two blocks in milliseconds, counted from the parent's time as the peer does; 0: at once. */
  readonly minBlockDelay: number;
};

const retryDelay = 1000;

/**
 * Storing a block costs the same few milliseconds for one transaction as for a hundred. So after a block of many the engine gathers: as
 * long as more arrive (it looks every `pause` milliseconds), not longer than `longest`, and until there are enough. Anyone who sends a
 * few at a time, or waits for each to be accepted, never waits for this.
 */
const gathering = { after: 8, enough: 96, pause: 1.5, longest: 15 } as const;

/**
 * This node decides alone: a block as soon as there is work. The block it builds is verified as a foreign one would be,
 * then accepted; a block that fails is reported and given up, its transactions being dropped by the verification.
 */
export function startSolo(vm: Vm, options: SoloOptions, timers: SoloTimers, report: (error: unknown) => void): Engine {
  let waiting = false;
  let stopped = false;
  let cancelDelay: (() => void) | undefined;
  let processingSince: number | undefined;
  let accepted = 0;
  let acceptanceTime = 0;
  /** How many transactions waited for the last block. */
  let lastTaken = 0;

  const schedule = (): void => {
    if (waiting || stopped) return;
    waiting = true;
    const delay = delayOrRetry();
    if (delay > 0) cancelDelay = timers.after(delay, run);
    else if (lastTaken >= gathering.after) gather(vm.waiting(), timers.now() + gathering.longest);
    else timers.soon(run);
  };

  const gather = (before: number, until: number): void => {
    cancelDelay = timers.after(gathering.pause, () => {
      const arrived = vm.waiting();
      if (arrived === before || arrived >= gathering.enough || timers.now() >= until) run();
      else gather(arrived, until);
    });
  };

  /** Reading the parent may fail. Whoever brought the work is not at fault for that, and the engine must not stop. */
  const delayOrRetry = (): number => {
    try {
      return msUntilNextBlock();
    } catch (error) {
      report(error);
      return retryDelay;
    }
  };

  const msUntilNextBlock = (): number => {
    if (options.minBlockDelay === 0) return 0;
    const parent = vm.block(vm.lastAccepted());
    const next = Number(parent?.time ?? 0n) * 1000 + options.minBlockDelay;
    return Math.max(0, Math.min(options.minBlockDelay, next - Number(timers.unix()) * 1000));
  };

  const run = (): void => {
    cancelDelay = undefined;
    if (stopped) return;
    const errors = decideOne();
    for (const error of errors) report(error);
    if (errors.length > 0) {
      // Trying the same again at once would only fail again: a clock that runs behind, a full disk.
      cancelDelay = timers.after(retryDelay, run);
      return;
    }
    waiting = false;
    if (vm.waiting() > 0) schedule();
  };

  /**
   * Builds, verifies and accepts a block. What could not be stored is not accepted: rejecting it puts its transactions back into the pool
   * for another try. Returns all errors in order, so that one while rejecting does not hide the one that made it necessary.
   */
  const decideOne = (): unknown[] => {
    const errors: unknown[] = [];
    const attempt = (step: () => void): boolean => {
      try {
        step();
        return true;
      } catch (error) {
        errors.push(error);
        return false;
      }
    };
    attempt(() => {
      lastTaken = vm.waiting();
      const block = vm.build();
      if (block === undefined) return;
      const started = timers.now();
      processingSince = started;
      vm.verify(block);
      vm.setPreference(block.id);
      if (attempt(() => vm.accept(block.id))) {
        accepted++;
        acceptanceTime += timers.now() - started;
      } else attempt(() => vm.reject(block.id));
    });
    processingSince = undefined;
    attempt(() => vm.setPreference(vm.lastAccepted()));
    return errors;
  };

  vm.onWork(schedule);
  if (vm.waiting() > 0) schedule();

  return {
    report: () => ({
      processingBlocks: processingSince === undefined ? 0 : 1,
      longestProcessing: processingSince === undefined ? 0 : timers.now() - processingSince,
      averageAcceptance: accepted === 0 ? 0 : acceptanceTime / accepted,
    }),
    stop: () => {
      stopped = true;
      cancelDelay?.();
    },
  };
}
