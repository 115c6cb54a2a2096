import type { EngineReport } from '../../avm/vm.ts';
import { createDeferred } from '../../base/timing/promise.ts';
import { FollowError, isTemporary, stopped } from './fault.ts';
import type { FollowStatus } from './status.ts';
import type { Timing } from './timing.ts';
import type { BlockPosition, VerifiedBlock } from './verify-blocks.ts';

/** Milliseconds without being in sync that still count as live: the node's height is polled a few times a second. */
const syncTolerance = 1000;

export type Tracker = ReturnType<typeof createTracker>;

/** Tracks the progress of following for status and health. It is only informed; it controls nothing. */
export function createTracker({
  timing,
  onProgress,
  logError,
}: {
  readonly timing: Pick<Timing, 'now' | 'unix' | 'after'>;
  /** Called after every relevant change of the status. */
  readonly onProgress?: ((status: FollowStatus) => void) | undefined;
  /** Called with an error when it first occurs, not while it repeats. */
  readonly logError: (error: unknown) => void;
}) {
  const storedBlocks = createBlockMeter(timing.now);
  const gap = createGap(timing);
  const waiters = createHeightWaiters(timing.after, gap.height);
  const caughtUp = createDeferred();
  let isNodeVerified = false;
  let lastError: unknown;
  let lastProgress = timing.now();

  const noteIfInSync = (): void => {
    if (!gap.noteIfInSync()) return;
    lastProgress = timing.now();
    if (isTemporary(lastError)) lastError = undefined;
    caughtUp.resolve();
  };

  const currentState = (): FollowStatus['state'] => {
    if (lastError !== undefined) return 'waiting';
    if (!isNodeVerified || gap.target() === undefined) return 'starting';
    return gap.isLive() ? 'live' : 'catching-up';
  };

  const status = (): FollowStatus => {
    const rates = storedBlocks.rates();
    const target = gap.target();
    return {
      state: currentState(),
      height: gap.height(),
      target,
      ...rates,
      eta: target === undefined ? undefined : estimateSeconds(gap.blocksLeft(), rates.blocksPerSecond),
      behindSeconds: gap.behindSeconds(),
      lagSeconds: gap.lagSeconds(),
      lastError,
      unknownImports: storedBlocks.unknownImports(),
    };
  };

  const notifyProgress = (): void => onProgress?.(status());

  return {
    status,
    behindSeconds: gap.behindSeconds,
    /** Resolves when all blocks of the node are stored for the first time. */
    caughtUp: caughtUp.promise,
    /** Following begins or continues after this stored block. */
    startAt: gap.stored,
    nodeVerified: (): void => {
      isNodeVerified = true;
      // An invalid block stays an error until another one is stored at its height.
      if (codeOf(lastError) !== 'FOLLOW_BAD_BLOCK') lastError = undefined;
      notifyProgress();
    },
    remoteHeight: (height: bigint): void => {
      gap.heard(height);
      noteIfInSync();
      notifyProgress();
    },
    /** `milliseconds`: how long verifying and storing the blocks took. */
    blocksStored: (blocks: readonly VerifiedBlock[], milliseconds: number): void => {
      const newest = blocks[blocks.length - 1]?.block;
      if (newest === undefined) return;
      gap.stored(newest);
      lastProgress = timing.now();
      lastError = undefined;
      storedBlocks.add(blocks, milliseconds);
      noteIfInSync();
      waiters.reached(newest.height);
      notifyProgress();
    },
    errorOccurred: (error: unknown): void => {
      const isNew = codeOf(error) !== codeOf(lastError);
      lastError = error;
      if (isNew) logError(error);
      notifyProgress();
    },
    report: (): EngineReport => {
      const isBusy = gap.target() === undefined || gap.blocksLeft() > 0n || lastError !== undefined;
      return {
        processingBlocks: isBusy ? 1 : 0,
        longestProcessing: isBusy ? timing.now() - lastProgress : 0,
        averageAcceptance: storedBlocks.averageTime(),
      };
    },
    waitForHeight: waiters.wait,
    stop: waiters.stop,
  };
}

/** Compares the blocks that are stored here with the height of the node. */
function createGap(timing: Pick<Timing, 'now' | 'unix'>) {
  const lag = createLag(timing.now);
  let last: BlockPosition | undefined;
  let target: bigint | undefined;
  /** When the last stored block was last at the node's height. */
  let lastInSync: number | undefined;

  const height = (): bigint => last?.height ?? 0n;
  return {
    height,
    /** The last known height of the node. */
    target: (): bigint | undefined => target,
    blocksLeft: (): bigint => (target === undefined || target < height() ? 0n : target - height()),
    /** As `behindSeconds` of `FollowStatus`. */
    behindSeconds: (): number => {
      if (lastInSync === undefined) return last === undefined ? 0 : Math.max(0, Number(timing.unix() - last.time));
      const since = timing.now() - lastInSync;
      return since < syncTolerance ? 0 : since / 1000;
    },
    lagSeconds: lag.seconds,
    isLive: (): boolean => lastInSync !== undefined && timing.now() - lastInSync < syncTolerance,
    stored: (at: BlockPosition): void => {
      last = at;
      lag.stored(at.height);
    },
    heard: (remoteHeight: bigint): void => {
      target = remoteHeight;
      lag.heard(remoteHeight, height());
    },
    /** Returns whether all blocks of the node are stored, and notes the time if so. */
    noteIfInSync: (): boolean => {
      if (last === undefined || target === undefined || last.height < target) return false;
      lastInSync = timing.now();
      return true;
    },
  };
}

/** Seconds in which this many blocks are stored; undefined if unknown. */
const estimateSeconds = (blocks: bigint, blocksPerSecond: number): number | undefined =>
  blocks > 0n && blocksPerSecond === 0 ? undefined : Number(blocks) / (blocksPerSecond || 1);

/** Heights that a lag is measured with, and milliseconds between two of them: more than the seconds after which a follower counts as behind. */
const lagMarks = { max: 64, interval: 500 } as const;

/** Measures since when the node has had a block that is not stored here. */
function createLag(now: () => number) {
  /** Heights that the node named and that are not stored, ascending, with the time of the answer. */
  let marks: { height: bigint; readonly at: number }[] = [];
  let lastAnswer = 0;
  return {
    heard: (height: bigint, storedHeight: bigint): void => {
      lastAnswer = now();
      // The node may have gone back.
      marks = marks.filter((mark) => mark.height <= height);
      const newest = marks.at(-1);
      if (height <= (newest?.height ?? storedHeight)) return;
      if (newest !== undefined && (marks.length === lagMarks.max || lastAnswer - newest.at < lagMarks.interval)) newest.height = height;
      else marks.push({ height, at: lastAnswer });
    },
    stored: (height: bigint): void => {
      marks = marks.filter((mark) => mark.height > height);
    },
    seconds: (): number => (marks[0] === undefined ? 0 : (lastAnswer - marks[0].at) / 1000),
  };
}

/** Callers that wait until a height is stored. */
function createHeightWaiters(after: Timing['after'], height: () => bigint) {
  const waiters = new Map<PromiseWithResolvers<void>, bigint>();
  return {
    /** Resolves when a height is stored; rejects with FOLLOW_BEHIND after `timeout` milliseconds. */
    wait: async (wanted: bigint, timeout: number): Promise<void> => {
      if (wanted <= height()) return;
      const waiter = Promise.withResolvers<void>();
      waiters.set(waiter, wanted);
      const cancel = after(timeout, () => waiter.reject(behindError(height(), wanted)));
      try {
        await waiter.promise;
      } finally {
        cancel();
        waiters.delete(waiter);
      }
    },
    reached: (stored: bigint): void => {
      for (const [{ resolve }, wanted] of waiters) if (wanted <= stored) resolve();
    },
    stop: (): void => {
      for (const { reject } of waiters.keys()) reject(stopped());
    },
  };
}

const codeOf = (error: unknown): unknown => (error instanceof FollowError ? error.fault.code : error);

const behindError = (height: bigint, want: bigint) =>
  new FollowError(`block ${want} of the followed node is needed, but only blocks up to ${height} are stored yet; try again later`, {
    code: 'FOLLOW_BEHIND',
    height: String(height),
    want: String(want),
  });

/** Milliseconds over which rates are averaged. */
const rateWindow = 10_000;

/** Counts stored blocks: how many a second, and how long each took. */
function createBlockMeter(now: () => number) {
  /** What was stored within the last `rateWindow`. */
  const marks: { readonly at: number; readonly blocks: number; readonly txs: number }[] = [];
  const began = now();
  let [allBlocks, allMilliseconds, unknownImports] = [0, 0, 0];

  const dropOld = (): void => {
    const oldest = now() - rateWindow;
    while ((marks[0]?.at ?? Number.POSITIVE_INFINITY) < oldest) marks.shift();
  };

  return {
    add: (blocks: readonly VerifiedBlock[], milliseconds: number): void => {
      marks.push({ at: now(), blocks: blocks.length, txs: blocks.reduce((sum, { block }) => sum + block.txs.length, 0) });
      dropOld();
      allBlocks += blocks.length;
      allMilliseconds += milliseconds;
      for (const block of blocks) unknownImports += block.unknownImports;
    },
    rates: (): Pick<FollowStatus, 'blocksPerSecond' | 'txsPerSecond'> => {
      dropOld();
      const seconds = Math.max(Math.min(now() - began, rateWindow), 1) / 1000;
      const sum = (of: 'blocks' | 'txs') => marks.reduce((total, mark) => total + mark[of], 0) / seconds;
      return { blocksPerSecond: sum('blocks'), txsPerSecond: sum('txs') };
    },
    /** Milliseconds in which a block was verified and stored, on average. */
    averageTime: (): number => (allBlocks === 0 ? 0 : allMilliseconds / allBlocks),
    unknownImports: (): number => unknownImports,
  };
}
