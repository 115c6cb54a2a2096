import type { EngineReport } from '../../avm/vm.ts';
import { createDeferred } from '../../base/timing/promise.ts';
import { FollowError, isTemporary, stopped } from './fault.ts';
import type { FollowStatus } from './status.ts';
import type { Timing } from './timing.ts';
import type { BlockPosition, VerifiedBlock } from './verify-blocks.ts';

/** Tracks the progress of following for status and health. It is only informed; it controls nothing. */
export type Tracker = {
  readonly startAt: (at: BlockPosition) => void;
  readonly nodeVerified: () => void;
  readonly remoteHeight: (height: bigint) => void;
  readonly blocksStored: (blocks: readonly VerifiedBlock[], milliseconds: number) => void;
  readonly errorOccurred: (error: unknown) => void;
  readonly status: () => FollowStatus;
  readonly behindSeconds: () => number;
  readonly report: () => EngineReport;
  readonly caughtUp: Promise<void>;
  /** Resolves when a height is stored; rejects with FOLLOW_BEHIND after `timeout` milliseconds. */
  readonly waitForHeight: (height: bigint, timeout: number) => Promise<void>;
  readonly stop: () => void;
};

type TrackerDeps = {
  readonly timing: Pick<Timing, 'now' | 'unix' | 'after'>;
  readonly onProgress?: ((status: FollowStatus) => void) | undefined;
  readonly report: (error: unknown) => void;
};

/** Milliseconds without being in sync that still count as live: the node's height is polled a few times a second. */
const syncTolerance = 1000;

export function createTracker({ timing, onProgress, report }: TrackerDeps): Tracker {
  const meter = createRateMeter(timing.now);
  const lag = createLag(timing.now);
  const caughtUp = createDeferred();
  let last: BlockPosition | undefined;
  let target: bigint | undefined;
  let isNodeVerified = false;
  let lastError: unknown;
  let lastInSync: number | undefined;
  let lastProgress = timing.now();
  let unknownImports = 0;
  let acceptance = { blocks: 0, milliseconds: 0 };

  const height = (): bigint => last?.height ?? 0n;
  const waiters = createHeightWaiters(timing, height);

  const noteIfInSync = (): void => {
    if (last === undefined || target === undefined || last.height < target) return;
    lastInSync = timing.now();
    lastProgress = lastInSync;
    if (isTemporary(lastError)) lastError = undefined;
    caughtUp.resolve();
  };

  const behindSeconds = (): number => {
    if (lastInSync === undefined) return last === undefined ? 0 : Math.max(0, Number(timing.unix() - last.time));
    const gap = timing.now() - lastInSync;
    return gap < syncTolerance ? 0 : gap / 1000;
  };

  const currentState = (): FollowStatus['state'] => {
    if (lastError !== undefined) return 'waiting';
    if (!isNodeVerified || target === undefined) return 'starting';
    return lastInSync !== undefined && timing.now() - lastInSync < syncTolerance ? 'live' : 'catching-up';
  };

  const status = (): FollowStatus => {
    const rates = meter.rates();
    const left = target === undefined || target < height() ? 0n : target - height();
    const eta =
      target === undefined || (left > 0n && rates.blocksPerSecond === 0) ? undefined : Number(left) / (rates.blocksPerSecond || 1);
    return {
      state: currentState(),
      height: height(),
      target,
      ...rates,
      eta,
      behindSeconds: behindSeconds(),
      lagSeconds: lag.seconds(),
      lastError,
      unknownImports,
    };
  };

  const notifyProgress = (): void => onProgress?.(status());

  return {
    status,
    behindSeconds,
    caughtUp: caughtUp.promise,
    startAt: (at) => {
      last = at;
      lag.stored(at.height);
    },
    nodeVerified: () => {
      isNodeVerified = true;
      // An invalid block stays an error until another one is stored at its height.
      if (codeOf(lastError) !== 'FOLLOW_BAD_BLOCK') lastError = undefined;
      notifyProgress();
    },
    remoteHeight: (newTarget) => {
      target = newTarget;
      lag.heard(newTarget, height());
      noteIfInSync();
      notifyProgress();
    },
    blocksStored: (blocks, milliseconds) => {
      const newest = blocks[blocks.length - 1]?.block;
      if (newest === undefined) return;
      last = newest;
      lag.stored(newest.height);
      lastProgress = timing.now();
      lastError = undefined;
      meter.add(
        blocks.length,
        blocks.reduce((sum, { block }) => sum + block.txs.length, 0),
      );
      for (const block of blocks) unknownImports += block.unknownImports;
      acceptance = { blocks: acceptance.blocks + blocks.length, milliseconds: acceptance.milliseconds + milliseconds };
      noteIfInSync();
      waiters.reached(newest.height);
      notifyProgress();
    },
    errorOccurred: (error) => {
      const isNew = codeOf(error) !== codeOf(lastError);
      lastError = error;
      if (isNew) report(error);
      notifyProgress();
    },
    report: () => {
      const isBusy = target === undefined || height() < target || lastError !== undefined;
      return {
        processingBlocks: isBusy ? 1 : 0,
        longestProcessing: isBusy ? timing.now() - lastProgress : 0,
        averageAcceptance: acceptance.blocks === 0 ? 0 : acceptance.milliseconds / acceptance.blocks,
      };
    },
    waitForHeight: waiters.wait,
    stop: waiters.stop,
  };
}

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
function createHeightWaiters(timing: TrackerDeps['timing'], height: () => bigint) {
  const waiters = new Map<PromiseWithResolvers<void>, bigint>();
  return {
    wait: async (wanted: bigint, timeout: number): Promise<void> => {
      if (wanted <= height()) return;
      const waiter = Promise.withResolvers<void>();
      waiters.set(waiter, wanted);
      const cancel = timing.after(timeout, () => waiter.reject(behindError(height(), wanted)));
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

/** Measures blocks and transactions per second. */
function createRateMeter(now: () => number) {
  const marks: { readonly at: number; readonly blocks: number; readonly txs: number }[] = [];
  const began = now();

  const dropOld = (): void => {
    const oldest = now() - rateWindow;
    while ((marks[0]?.at ?? Number.POSITIVE_INFINITY) < oldest) marks.shift();
  };

  return {
    add: (blocks: number, txs: number): void => {
      marks.push({ at: now(), blocks, txs });
      dropOld();
    },
    rates: (): Pick<FollowStatus, 'blocksPerSecond' | 'txsPerSecond'> => {
      dropOld();
      const seconds = Math.max(Math.min(now() - began, rateWindow), 1) / 1000;
      const sum = (of: 'blocks' | 'txs') => marks.reduce((total, mark) => total + mark[of], 0) / seconds;
      return { blocksPerSecond: sum('blocks'), txsPerSecond: sum('txs') };
    },
  };
}
