import type { Block } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { invalidResponse, stopped } from './fault.ts';
import { createFetchPause } from './fetch-pause.ts';
import { createFetchWindow } from './fetch-window.ts';
import { startHeightPoll } from './height-poll.ts';
import { type BatchLimit, createReadyBlocks, type FetchedBlock } from './ready-blocks.ts';
import type { Remote } from './remote.ts';
import { createWakeUp, type Timing } from './timing.ts';

export type Pipeline = ReturnType<typeof startPipeline>;

type PipelineDeps = {
  readonly remote: Pick<Remote, 'height' | 'blockAt'>;
  readonly timing: Timing;
  /** Prepares the transactions of a block for verification, such as recovering signers, while others are fetched. */
  readonly prepare?: ((txs: readonly Tx[]) => Promise<void>) | undefined;
  /** Called with the node's height after every poll. */
  readonly onRemoteHeight: (height: bigint) => void;
  /** Called when a request failed; it will be retried. */
  readonly onError: (error: unknown) => void;
};

/** Milliseconds. */
const prepareTimeout = 15_000;

/**
 * Milliseconds to wait for more blocks while the node has more. A commit costs much whatever it stores. On a busy machine, where blocks arrive
 * slower than a commit of one block takes, each was stored alone, and these commits kept the machine busy.
 */
const gatherTime = 200;

/** Fetches blocks of a node ahead, with as many concurrent requests as the node responds well to, and returns them in order. */
export function startPipeline(first: bigint, deps: PipelineDeps) {
  const { timing } = deps;
  const arrival = createWakeUp(timing);
  const ready = createReadyBlocks(first);
  const fetcher = startFetcher(first, deps, ready, arrival.wake);
  let isStopped = false;

  /** Whether more blocks will come that still fit in a batch. */
  const canGather = (limit: BatchLimit): boolean => {
    const target = fetcher.target();
    return !isStopped && ready.hasNext() && fetcher.isFetching() && target !== undefined && ready.runEnd() <= target && !ready.fills(limit);
  };

  /** Waits while `isWanting`, at most for `timeout` milliseconds. The clock is read once for each wait: a second read may be past the end. */
  const waitWhile = async (isWanting: () => boolean, timeout: number): Promise<void> => {
    const until = timing.now() + timeout;
    for (let left = timeout; left > 0 && isWanting(); left = until - timing.now()) await arrival.wait(left);
  };

  return {
    /** The last known height of the node; undefined before the first response. */
    target: fetcher.target,
    /**
     * Returns the next blocks; waits up to `timeout` milliseconds for the first, and while the node has more of them a moment for a larger batch.
     * Rejects only when stopped.
     */
    take: async (limit: BatchLimit, timeout: number): Promise<readonly FetchedBlock[]> => {
      await waitWhile(() => !ready.hasNext() && !isStopped, timeout);
      await waitWhile(() => canGather(limit), gatherTime);
      if (isStopped) throw stopped();
      const taken = ready.take(limit);
      fetcher.fetchMore();
      return taken;
    },
    /** Drops all fetched blocks and continues from this height. */
    restart: (from: bigint): void => {
      ready.restart(from);
      fetcher.restart(from);
    },
    stop: (): void => {
      isStopped = true;
      fetcher.stop();
      arrival.wake();
    },
  };
}

/** Polls the height of a node, requests its blocks from `first` on, several at once, and adds them to `ready`. Failed requests are repeated. */
function startFetcher(first: bigint, deps: PipelineDeps, ready: ReturnType<typeof createReadyBlocks>, onArrival: () => void) {
  const { remote, timing } = deps;
  const window = createFetchWindow();
  const pause = createFetchPause(timing, () => fetchMore());
  const failed: bigint[] = [];
  let target: bigint | undefined;
  let nextToFetch = first;
  let inFlight = 0;
  /** Incremented by `restart`: responses to earlier requests are ignored. */
  let generation = 0;
  let isStopped = false;

  const nextHeightToFetch = (): bigint | undefined => {
    const failedHeight = failed.shift();
    if (failedHeight !== undefined || target === undefined) return failedHeight;
    if (nextToFetch > target) heights.hurry();
    if (nextToFetch > target || nextToFetch - ready.next() >= window.maxAhead) return undefined;
    return nextToFetch++;
  };

  /** With no request in flight one is always allowed, so that the next block is fetched even if memory is full. */
  const canFetchMore = (): boolean => inFlight < window.maxInFlight() && (inFlight === 0 || window.fitsInMemory(ready.bytes(), inFlight));

  const fetchMore = (): void => {
    while (!isStopped && !pause.isOn() && canFetchMore()) {
      const height = nextHeightToFetch();
      if (height === undefined) return;
      void fetchOne(height);
    }
  };

  const fetchOne = async (height: bigint): Promise<void> => {
    const ownGeneration = generation;
    inFlight++;
    try {
      const block = await remote.blockAt(height);
      if (isStopped || ownGeneration !== generation) return;
      if (block === undefined) throw invalidResponse('avm.getBlockByHeight', `its height is ${target}, but there is no block ${height}`);
      pause.reset();
      window.onSuccess(block.bytes.length);
      ready.add(height, { block, prepared: prepareBlock(block, deps) });
      onArrival();
    } catch (error) {
      if (ownGeneration === generation) failed.push(height);
      if (isStopped) return;
      window.onFailure();
      deps.onError(error);
      pause.begin();
    } finally {
      if (ownGeneration === generation) inFlight--;
      fetchMore();
    }
  };

  const heights = startHeightPoll({
    remote,
    timing,
    onHeight: (height) => {
      target = height;
      deps.onRemoteHeight(height);
      fetchMore();
      return height > nextToFetch;
    },
    onError: deps.onError,
  });

  return {
    target: (): bigint | undefined => target,
    isFetching: (): boolean => inFlight > 0,
    /** Sends as many requests as are allowed now. Call it when blocks were taken from `ready`. */
    fetchMore,
    /** Ignores the responses to all requests so far and continues from this height. */
    restart: (from: bigint): void => {
      generation++;
      inFlight = 0;
      failed.length = 0;
      nextToFetch = from;
      fetchMore();
    },
    stop: (): void => {
      isStopped = true;
      heights.stop();
      pause.cancel();
    },
  };
}

/** Prepares a block with a timeout, so that a dead thread does not block following. */
function prepareBlock({ txs }: Block, { prepare, timing }: Pick<PipelineDeps, 'prepare' | 'timing'>): Promise<void> {
  if (prepare === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = timing.after(prepareTimeout, resolve);
    const go = (): void => {
      cancel();
      resolve();
    };
    prepare(txs).then(go, go);
  });
}
