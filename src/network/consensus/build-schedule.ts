import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { EngineCounters } from './counters.ts';

type BuildParts = {
  readonly vm: Pick<Vm, 'build' | 'nextBuildTime' | 'waiting' | 'reject'>;
  readonly timers: Timers;
  /** Whether few enough blocks are processing. */
  readonly hasRoom: () => boolean;
  /** Runs work in the order of the engine's events. */
  readonly post: (work: () => void) => void;
  /** Issues a block. Returns false if that is not possible. */
  readonly issue: (block: EngineBlock) => boolean;
  readonly counters: Pick<EngineCounters, 'built' | 'builtSkew' | 'buildsFailed'>;
  readonly onError: (error: unknown) => void;
};

/** The longest wait before the time is asked for again: the clock may be set. */
const maxWait = 10_000;

/**
 * Decides when to build a block: when transactions wait, at the time the Vm names, and one at a time. A build that fails is repeated only after
 * new work or another preference.
 */
export function createBuildSchedule({ vm, timers, hasRoom, post, issue, counters, onError }: BuildParts) {
  let isBuilding = false;
  let isStopped = false;
  let timer: (() => void) | undefined;

  const clear = (): void => {
    timer?.();
    timer = undefined;
  };
  const build = (): void => {
    const block = attempt(vm.build);
    if (block === undefined) return;
    isBuilding = true;
    counters.built++;
    counters.builtSkew += timers.now() - Number(block.time) * 1000;
    if (issue(block)) return;
    vm.reject(block.id);
    isBuilding = false;
  };
  const attempt = <T>(work: () => T | undefined): T | undefined => {
    try {
      return work();
    } catch (error) {
      counters.buildsFailed++;
      onError(error);
      return undefined;
    }
  };
  const wake = () => {
    clear();
    if (isStopped || isBuilding || vm.waiting() === 0 || !hasRoom()) return;
    const time = attempt(vm.nextBuildTime);
    if (time === undefined) return;
    const wait = time - timers.now();
    if (wait <= 0) return build();
    timer = timers.after(Math.min(wait, maxWait), () => post(wake));
  };

  return {
    /** There may be transactions, or the preferred block changed. */
    wake,
    /** The block of this node was issued. */
    issued: (): void => {
      isBuilding = false;
    },
    /** It will not be issued. */
    dropped: (id: Id, wasVerified: boolean): void => {
      counters.buildsFailed++;
      isBuilding = false;
      if (!wasVerified) vm.reject(id);
    },
    stop: (): void => {
      isStopped = true;
      clear();
    },
  };
}
