import { createAverager } from '../protocol/averager.ts';

/** vertices, transactions: fetching the DAG from before linearization, and executing it. */
export type BootstrapPhase = 'connecting' | 'vertices' | 'transactions' | 'asking' | 'fetching' | 'done';

/** How far the DAG is: vertices that were fetched since the start, the height of the stop vertex, and the height it has reached, going down or up. */
export type DagProgress = { readonly fetched: number; readonly stopHeight: bigint | undefined; readonly height: bigint };

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
  /** Undefined if there is no DAG, or nothing of it was done since the start. */
  readonly dag: DagProgress | undefined;
};

export type ProgressMeter = ReturnType<typeof createProgressMeter>;

const halfLife = 5000;

export function createProgressMeter(now: () => number, height: () => bigint) {
  let phase: BootstrapPhase = 'connecting';
  let tipHeight: bigint | undefined;
  let dag: DagProgress | undefined;
  let [fetched, executed] = [0, 0];
  let rate: ReturnType<typeof createAverager> | undefined;
  let last = now();
  return {
    setPhase: (next: BootstrapPhase): void => {
      // Time without blocks to execute does not count for the rate.
      if (next === 'fetching' && phase !== 'fetching') last = now();
      phase = next;
    },
    setDag: (next: DagProgress): void => {
      dag = next;
    },
    setTip: (tip: bigint): void => {
      tipHeight = tip;
    },
    addFetched: (blocks: number): void => {
      fetched += blocks;
    },
    addExecuted: (blocks: number): void => {
      executed += blocks;
      const time = now();
      const perSecond = (1000 * blocks) / Math.max(1, time - last);
      if (rate === undefined) rate = createAverager(perSecond, halfLife, time);
      else rate.observe(perSecond, time);
      last = time;
    },
    read: (): BootstrapProgress => {
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
        dag,
      };
    },
  };
}
