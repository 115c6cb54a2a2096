import type { EngineReport } from '../engine/vm.ts';
import { createDeferred } from '../timing/deferred.ts';
import { FollowError, isPassing, stopped } from './fault.ts';
import type { Timing } from './pause.ts';
import { createMeter } from './rate-meter.ts';
import type { FollowStatus } from './status.ts';
import type { Place, VerifiedBlock } from './verify.ts';

/** Keeps account of how following goes. Tells nobody what to do. */
export type Tracker = {
  readonly begins: (at: Place) => void;
  readonly recognised: () => void;
  readonly contact: (height: bigint) => void;
  readonly stored: (blocks: readonly VerifiedBlock[], milliseconds: number) => void;
  readonly failed: (error: unknown) => void;
  readonly status: () => FollowStatus;
  readonly report: () => EngineReport;
  readonly caughtUp: Promise<void>;
  /** Resolves when a height is stored, rejects with FOLLOW_BEHIND if that takes longer than so many milliseconds. */
  readonly reached: (height: bigint, patience: number) => Promise<void>;
  readonly stop: () => void;
};

export type TrackerDeps = {
  readonly timing: Pick<Timing, 'now' | 'unix' | 'after'>;
  readonly onProgress?: ((status: FollowStatus) => void) | undefined;
  readonly report: (error: unknown) => void;
};

/** Shorter than this, in milliseconds, nobody calls it being behind: the node is asked a few times a second. */
const tolerance = 1000;

export function createTracker({ timing, onProgress, report }: TrackerDeps): Tracker {
  const meter = createMeter(timing.now);
  const caughtUp = createDeferred();
  const waiting = new Set<Waiting>();
  let last: Place | undefined;
  let target: bigint | undefined;
  let isRecognised = false;
  let lastError: unknown;
  let lastLevel: number | undefined;
  let lastMove = timing.now();
  let untoldImports = 0;
  let acceptance = { blocks: 0, milliseconds: 0 };

  const height = (): bigint => last?.height ?? 0n;

  const level = (): void => {
    if (last === undefined || target === undefined || last.height < target) return;
    lastLevel = timing.now();
    lastMove = lastLevel;
    if (isPassing(lastError)) lastError = undefined;
    caughtUp.resolve();
  };

  const behindSeconds = (): number => {
    if (lastLevel === undefined) return last === undefined ? 0 : Math.max(0, Number(timing.unix() - last.time));
    const gap = timing.now() - lastLevel;
    return gap < tolerance ? 0 : gap / 1000;
  };

  const stateNow = (): FollowStatus['state'] => {
    if (lastError !== undefined) return 'waiting';
    if (!isRecognised || target === undefined) return 'starting';
    return lastLevel !== undefined && timing.now() - lastLevel < tolerance ? 'live' : 'catching-up';
  };

  const status = (): FollowStatus => {
    const rates = meter.rates();
    const left = target === undefined || target < height() ? 0n : target - height();
    const eta =
      target === undefined || (left > 0n && rates.blocksPerSecond === 0) ? undefined : Number(left) / (rates.blocksPerSecond || 1);
    return { state: stateNow(), height: height(), target, ...rates, eta, behindSeconds: behindSeconds(), lastError, untoldImports };
  };

  const tell = (): void => onProgress?.(status());

  return {
    status,
    caughtUp: caughtUp.promise,
    begins: (at) => {
      last = at;
    },
    recognised: () => {
      isRecognised = true;
      // A block that breaks a rule does so until another one is stored in its place.
      if (codeOf(lastError) !== 'FOLLOW_BAD_BLOCK') lastError = undefined;
      tell();
    },
    contact: (told) => {
      target = told;
      level();
      tell();
    },
    stored: (blocks, milliseconds) => {
      const newest = blocks[blocks.length - 1]?.block;
      if (newest === undefined) return;
      last = newest;
      lastMove = timing.now();
      lastError = undefined;
      meter.add(
        blocks.length,
        blocks.reduce((sum, { block }) => sum + block.txs.length, 0),
      );
      for (const { untold } of blocks) untoldImports += untold;
      acceptance = { blocks: acceptance.blocks + blocks.length, milliseconds: acceptance.milliseconds + milliseconds };
      level();
      for (const one of waiting) if (one.height <= newest.height) one.settle();
      tell();
    },
    failed: (error) => {
      const isNew = codeOf(error) !== codeOf(lastError);
      lastError = error;
      if (isNew) report(error);
      tell();
    },
    report: () => {
      const isBusy = target === undefined || height() < target || lastError !== undefined;
      return {
        processingBlocks: isBusy ? 1 : 0,
        longestProcessing: isBusy ? timing.now() - lastMove : 0,
        averageAcceptance: acceptance.blocks === 0 ? 0 : acceptance.milliseconds / acceptance.blocks,
      };
    },
    reached: (wanted, patience) => {
      if (wanted <= height()) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const end = (): void => {
          cancel();
          waiting.delete(one);
        };
        const one: Waiting = {
          height: wanted,
          settle: (error) => {
            end();
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        const cancel = timing.after(patience, () => one.settle(behind(height(), wanted)));
        waiting.add(one);
      });
    },
    stop: () => {
      for (const one of waiting) one.settle(stopped());
    },
  };
}

type Waiting = { readonly height: bigint; readonly settle: (error?: FollowError) => void };

const codeOf = (error: unknown): unknown => (error instanceof FollowError ? error.fault.code : error);

const behind = (height: bigint, want: bigint) =>
  new FollowError(`this needs block ${want} of the followed node, only those up to ${height} are here yet`, {
    code: 'FOLLOW_BEHIND',
    height: String(height),
    want: String(want),
  });
