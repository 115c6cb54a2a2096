import type { Engine, EngineBlock, Vm } from './vm.ts';

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
 * Storing a block costs the same few milliseconds for one transaction as for a hundred. So after a block of this many bytes the engine
 * rests as long as it has worked: what arrives meanwhile shares the next one. Anyone who sends a few at a time never waits.
 */
const busyBlock = 4096;
const longestRest = 20;

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
  let restUntil = 0;

  const schedule = (): void => {
    if (waiting || stopped) return;
    waiting = true;
    const delay = Math.max(msUntilNextBlock(), restUntil - timers.now());
    if (delay > 0) cancelDelay = timers.after(delay, run);
    else timers.soon(run);
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
    try {
      decideOne();
    } catch (error) {
      report(error);
      // Trying the same again at once would only fail again: a clock that runs behind, a full disk.
      cancelDelay = timers.after(retryDelay, run);
      return;
    }
    waiting = false;
    if (vm.hasWork()) schedule();
  };

  const decideOne = (): void => {
    const block = vm.build();
    if (block === undefined) return;
    const started = timers.now();
    processingSince = started;
    try {
      vm.verify(block);
      vm.setPreference(block.id);
      acceptOrReject(block);
    } finally {
      processingSince = undefined;
      vm.setPreference(vm.lastAccepted());
    }
    const now = timers.now();
    accepted++;
    acceptanceTime += now - started;
    restUntil = block.bytes.length < busyBlock ? 0 : now + Math.min(now - started, longestRest);
  };

  /** What could not be stored is not accepted; rejecting it puts its transactions back into the pool for another try. */
  const acceptOrReject = (block: EngineBlock): void => {
    try {
      vm.accept(block.id);
    } catch (error) {
      vm.reject(block.id);
      throw error;
    }
  };

  vm.onWork(schedule);
  if (vm.hasWork()) schedule();

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
