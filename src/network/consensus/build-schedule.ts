import type { Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { BlockIssuer } from './block-issuer.ts';
import type { EngineCounters } from './engine-counters.ts';

/** The longest wait before the time is asked for again: the clock may be set. */
const maxWait = 10_000;

/**
 * Decides when to build a block: when transactions wait, at the time the Vm names, and one at a time. A build that fails is repeated only after
 * new work or another preference.
 */
export function createBuildSchedule({
  vm,
  timers,
  unixMilliseconds,
  preference,
  hasRoom,
  post,
  issue,
  counters,
  onError,
}: {
  readonly vm: Pick<Vm, 'build' | 'nextBuildTime' | 'waiting' | 'reject'>;
  readonly timers: Pick<Timers, 'after'>;
  readonly unixMilliseconds: () => number;
  /** The block that the next one is built on. */
  readonly preference: () => Id;
  /** Whether few enough blocks are processing. */
  readonly hasRoom: () => boolean;
  /** Runs work in the order of the engine's events. */
  readonly post: (work: () => void) => void;
  readonly issue: BlockIssuer['issueBuilt'];
  readonly counters: Pick<EngineCounters, 'built' | 'builtSkew' | 'buildsFailed'>;
  readonly onError: (error: unknown) => void;
}) {
  let isBuilding = false;
  let isStopped = false;
  let timer: { readonly parent: Id; readonly cancel: () => void } | undefined;

  const clear = (): void => {
    timer?.cancel();
    timer = undefined;
  };
  /** The result of `work`; undefined if it throws, which counts as a failed build. */
  const unlessFailed = <T>(work: () => T | undefined): T | undefined => {
    try {
      return work();
    } catch (error) {
      counters.buildsFailed++;
      onError(error);
      return undefined;
    }
  };
  const build = (): void => {
    const block = unlessFailed(vm.build);
    if (block === undefined) return;
    isBuilding = true;
    counters.built++;
    counters.builtSkew += unixMilliseconds() - Number(block.time) * 1000;
    const isEnqueued = issue(block, (end) => {
      isBuilding = false;
      if (end === 'issued') return;
      counters.buildsFailed++;
      if (end === 'dropped') vm.reject(block.id);
    });
    if (isEnqueued) return;
    vm.reject(block.id);
    isBuilding = false;
  };
  const look = (): void => {
    clear();
    if (isStopped || isBuilding || vm.waiting() === 0 || !hasRoom()) return;
    const time = unlessFailed(vm.nextBuildTime);
    if (time === undefined) return;
    const wait = time - unixMilliseconds();
    if (wait <= 0) return void build();
    timer = { parent: preference(), cancel: timers.after(Math.min(wait, maxWait), () => post(look)) };
  };
  /** Every message of a peer ends here: while transactions wait, looking again at each took 3 % of the CPU time of a staker. */
  const wake = (): void => {
    if (timer?.parent !== preference()) look();
  };

  return {
    /** There may be transactions, or the preferred block changed. */
    wake,
    stop: (): void => {
      isStopped = true;
      clear();
    },
  };
}
