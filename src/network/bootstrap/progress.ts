import { createAverager } from '../protocol/averager.ts';

type BootstrapPhase = 'connecting' | 'asking' | 'fetching' | 'done';

/** How far bootstrapping is. */
export type BootstrapProgress = {
  readonly phase: BootstrapPhase;
  /** Blocks fetched and executed since the start of the process. */
  readonly fetched: number;
  readonly executed: number;
  readonly height: bigint;
  /** The height to reach; undefined until the beacons have named it. */
  readonly tipHeight: bigint | undefined;
  readonly blocksPerSecond: number;
  /** Seconds until the tip; undefined until there is a rate. */
  readonly secondsLeft: number | undefined;
};

export type ProgressMeter = {
  readonly setPhase: (phase: BootstrapPhase) => void;
  readonly setTip: (height: bigint) => void;
  readonly addFetched: (blocks: number) => void;
  readonly addExecuted: (blocks: number) => void;
  readonly read: () => BootstrapProgress;
};

const halfLife = 5000;

export function createProgressMeter(now: () => number, height: () => bigint): ProgressMeter {
  let phase: BootstrapPhase = 'connecting';
  let tipHeight: bigint | undefined;
  let [fetched, executed] = [0, 0];
  let rate: ReturnType<typeof createAverager> | undefined;
  let last = now();
  return {
    setPhase: (next) => {
      // Time without blocks to execute does not count for the rate.
      if (next === 'fetching' && phase !== 'fetching') last = now();
      phase = next;
    },
    setTip: (tip) => {
      tipHeight = tip;
    },
    addFetched: (blocks) => {
      fetched += blocks;
    },
    addExecuted: (blocks) => {
      executed += blocks;
      const time = now();
      const perSecond = (1000 * blocks) / Math.max(1, time - last);
      if (rate === undefined) rate = createAverager(perSecond, halfLife, time);
      else rate.observe(perSecond, time);
      last = time;
    },
    read: () => {
      const blocksPerSecond = rate?.read() ?? 0;
      const left = tipHeight === undefined || tipHeight < height() ? 0n : tipHeight - height();
      return {
        phase,
        fetched,
        executed,
        height: height(),
        tipHeight,
        blocksPerSecond,
        secondsLeft: blocksPerSecond === 0 ? undefined : Number(left) / blocksPerSecond,
      };
    },
  };
}
