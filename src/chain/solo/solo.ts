import type { EngineBlock, EngineReport, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { countDecision, createDecisionCounters } from '../lifecycle/decision-metrics.ts';

export type SoloTimers = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Unix nanoseconds of the clock for block times. */
  readonly unixNanos: () => bigint;
  /** Runs after the requests that have already arrived, so that transactions sent together share a block. */
  readonly soon: (run: () => void) => void;
  readonly after: (ms: number, run: () => void) => () => void;
};

/** When blocks are built. Both may be on; with neither, blocks are built only by `mine`. No block is built without a transaction. */
export type BlockPolicy = {
  /** As soon as transactions wait. */
  readonly automine: boolean;
  /** Every so many milliseconds; 0: off. */
  readonly interval: number;
};

/** A solo engine, whose policy can be changed while it runs. */
export type SoloEngine = ReturnType<typeof startSolo>;

/** The part of a Vm that the solo engine drives. `accept` must have stored the block when it returns. */
export type SoloVm = Pick<Vm, 'lastAccepted' | 'build' | 'block' | 'verify' | 'reject' | 'setPreference' | 'onWork' | 'waiting'> & {
  readonly accept: (ids: readonly Id[]) => void;
};

const retryDelay = 1000;
const nanosPerSecond = 1_000_000_000n;

/**
 * Storing a block costs about three milliseconds beside the cost of its transactions: each commit writes whole database pages and waits for
 * the disk. So after at least `minLastBatch` transactions were waiting for the last block, the engine gathers more before it builds the next:
 * until none has arrived for `quiet` ms (checked every `interval` ms), for at most `maxWait` ms, and up to `maxBatch` transactions, which take
 * about 40 ms to build and store. On a busy machine clients often do not run for some milliseconds, so a shorter `quiet` makes small blocks.
 * Clients that send a few at a time, or wait for each acceptance, are never delayed.
 */
const gathering = { minLastBatch: 8, maxBatch: 448, interval: 3, quiet: 12, maxWait: 110 } as const;

/**
 * An engine for a node that decides alone: it builds blocks by its policy, by default as soon as transactions wait. Building a
 * block verifies its transactions; then its header is verified, and it is accepted. A block that fails is reported and abandoned.
 */
export function startSolo(
  vm: SoloVm,
  options: {
    /** Shortest time between two blocks in milliseconds, counted from the parent's time as in AvalancheGo; 0: no delay. */
    readonly minBlockDelay: number;
    /** Default: automine. */
    readonly policy?: BlockPolicy;
  },
  timers: SoloTimers,
  logError: (error: unknown) => void,
) {
  let policy: BlockPolicy = options.policy ?? { automine: true, interval: 0 };
  const maker = createBlockMaker(vm, timers);

  /** Returns whether no error occurred. */
  const makeAndReport = (): boolean => {
    const { errors } = maker.make();
    for (const error of errors) logError(error);
    return errors.length === 0;
  };

  /** Reading the parent may fail. That must not fail the call that issued a transaction, nor stop the engine. */
  const delayOrRetry = (): number => {
    try {
      return msUntilNextBlock(vm, timers.unixNanos, options.minBlockDelay);
    } catch (error) {
      logError(error);
      return retryDelay;
    }
  };

  const automine = createAutomine({
    vm,
    timers,
    isOn: () => policy.automine,
    delay: delayOrRetry,
    lastBatch: maker.lastBatch,
    makeBlock: makeAndReport,
  });
  const ticker = createTicker(timers.after, () => {
    if (vm.waiting() > 0) makeAndReport();
  });

  const applyPolicy = (): void => {
    ticker.restart(policy.interval);
    if (vm.waiting() > 0) automine.schedule();
  };

  vm.onWork(automine.schedule);
  applyPolicy();

  return {
    report: maker.report,
    counters: maker.counters,
    isBlockDue: automine.isDue,
    stop: (): void => {
      automine.stop();
      ticker.stop();
    },
    policy: (): BlockPolicy => policy,
    setPolicy: (next: BlockPolicy): void => {
      policy = next;
      applyPolicy();
    },
    /** Builds and accepts a block now; undefined if no valid transaction waits. Throws why the block could not be accepted. */
    mine: (): EngineBlock | undefined => {
      const { accepted, errors } = maker.make();
      if (errors.length > 0) throw errors[0];
      return accepted;
    },
  };
}

/** Milliseconds until a block may follow the last accepted one. */
function msUntilNextBlock(vm: SoloVm, unixNanos: () => bigint, minBlockDelay: number): number {
  if (minBlockDelay === 0) return 0;
  const parent = vm.block(vm.lastAccepted());
  const sinceParent = Number(unixNanos() - (parent?.time ?? 0n) * nanosPerSecond) / 1e6;
  return Math.max(0, Math.min(minBlockDelay, Math.ceil(minBlockDelay - sinceParent)));
}

/** Makes a block soon after transactions arrive, and further blocks while transactions wait. */
function createAutomine({
  vm,
  timers,
  isOn,
  delay,
  lastBatch,
  makeBlock,
}: {
  readonly vm: Pick<SoloVm, 'waiting'>;
  readonly timers: Pick<SoloTimers, 'now' | 'soon' | 'after'>;
  /** Whether the policy has automine now. */
  readonly isOn: () => boolean;
  /** Milliseconds until the next block may be built. */
  readonly delay: () => number;
  /** Number of transactions that waited when the last block was built. */
  readonly lastBatch: () => number;
  /** Returns whether no error occurred. */
  readonly makeBlock: () => boolean;
}) {
  let isScheduled = false;
  let isStopped = false;
  let cancelDelay: (() => void) | undefined;

  const schedule = (): void => {
    if (isScheduled || isStopped || !isOn()) return;
    isScheduled = true;
    const ms = delay();
    if (ms > 0) cancelDelay = timers.after(ms, run);
    else if (lastBatch() < gathering.minLastBatch || vm.waiting() >= gathering.maxBatch) timers.soon(run);
    else gather(vm.waiting(), timers.now(), timers.now() + gathering.maxWait);
  };

  /** Runs when enough transactions wait, when none has arrived for a while, or at the time `until`. `before`: how many waited at `lastArrival`. */
  const gather = (before: number, lastArrival: number, until: number): void => {
    cancelDelay = timers.after(gathering.interval, () => {
      const [arrived, now] = [vm.waiting(), timers.now()];
      const quietSince = arrived === before ? lastArrival : now;
      if (arrived >= gathering.maxBatch || now - quietSince >= gathering.quiet || now >= until) run();
      else gather(arrived, quietSince, until);
    });
  };

  const run = (): void => {
    cancelDelay = undefined;
    if (isStopped) return;
    if (!isOn()) {
      isScheduled = false;
      return;
    }
    if (!makeBlock()) {
      // An immediate retry would fail again, for example with a full disk or a clock that is behind.
      cancelDelay = timers.after(retryDelay, run);
      return;
    }
    isScheduled = false;
    if (vm.waiting() > 0) schedule();
  };

  return {
    /** Call it when transactions wait. */
    schedule,
    isDue: (): boolean => isScheduled && !isStopped,
    stop: (): void => {
      isStopped = true;
      cancelDelay?.();
    },
  };
}

/** Calls `onTick` every so many milliseconds. */
function createTicker(after: SoloTimers['after'], onTick: () => void) {
  let isStopped = false;
  let cancel: (() => void) | undefined;

  const restart = (interval: number): void => {
    cancel?.();
    cancel = interval > 0 && !isStopped ? after(interval, () => tick(interval)) : undefined;
  };

  const tick = (interval: number): void => {
    if (isStopped) return;
    restart(interval);
    onTick();
  };

  return {
    /** Begins a new interval in milliseconds; 0: no ticks. */
    restart,
    stop: (): void => {
      isStopped = true;
      cancel?.();
    },
  };
}

/** Makes blocks, one at a time, and measures how long their acceptance takes. */
function createBlockMaker(vm: SoloVm, { now, unixNanos }: Pick<SoloTimers, 'now' | 'unixNanos'>) {
  const counters = createDecisionCounters();
  let processingSince: number | undefined;
  let lastBatch = 0;

  /**
   * Builds, verifies and accepts a block. A block that cannot be stored is rejected, which puts its transactions back into the pool for a
   * retry. Returns all errors in order, so that an error while rejecting does not hide the first one.
   */
  const make = (): { readonly accepted: EngineBlock | undefined; readonly errors: readonly unknown[] } => {
    const errors: unknown[] = [];
    let acceptedBlock: EngineBlock | undefined;
    const succeeds = (step: () => void): boolean => {
      try {
        step();
        return true;
      } catch (error) {
        errors.push(error);
        return false;
      }
    };
    const isDecided = succeeds(() => {
      lastBatch = vm.waiting();
      const block = vm.build();
      if (block === undefined) return;
      const started = now();
      const ageOfBlock = (): number => Number(unixNanos() - block.time * nanosPerSecond) / 1e6;
      counters.built++;
      counters.builtSkew += ageOfBlock();
      processingSince = started;
      vm.verify(block);
      vm.setPreference(block.id);
      if (succeeds(() => vm.accept([block.id]))) {
        acceptedBlock = block;
        counters.acceptedAge += ageOfBlock();
        countDecision(counters, 'accepted', block.bytes.length, now() - started);
      } else {
        countDecision(counters, 'rejected', block.bytes.length, now() - started);
        succeeds(() => vm.reject(block.id));
      }
    });
    if (!isDecided) counters.buildsFailed++;
    processingSince = undefined;
    succeeds(() => vm.setPreference(vm.lastAccepted()));
    return { accepted: acceptedBlock, errors };
  };

  return {
    make,
    counters,
    /** Number of transactions that waited when the last block was built. */
    lastBatch: () => lastBatch,
    report: (): EngineReport => ({
      processingBlocks: processingSince === undefined ? 0 : 1,
      longestProcessing: processingSince === undefined ? 0 : now() - processingSince,
      averageAcceptance: counters.accepted === 0 ? 0 : counters.acceptedLatency / counters.accepted,
    }),
  };
}
