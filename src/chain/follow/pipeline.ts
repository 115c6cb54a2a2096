import type { Block } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { createBackoff } from '../../base/timing/backoff.ts';
import { invalidResponse, isTemporary, stopped } from './fault.ts';
import { createFetchWindow } from './fetch-window.ts';
import type { Remote } from './remote.ts';
import type { Timing } from './timing.ts';

/** Fetches blocks of a node ahead, with as many concurrent requests as the node responds well to, and returns them in order. */
export type Pipeline = {
  /** Returns the next blocks; waits up to `timeout` milliseconds for the first. Rejects only when stopped. */
  readonly take: (limit: BatchLimit, timeout: number) => Promise<readonly FetchedBlock[]>;
  /** The last known height of the node; undefined before the first response. */
  readonly target: () => bigint | undefined;
  /** Drops all fetched blocks and continues from this height. */
  readonly restart: (from: bigint) => void;
  readonly stop: () => void;
};

/** A fetched block. `prepared` never rejects: what could not be prepared is done during verification. */
export type FetchedBlock = { readonly block: Block; readonly prepared: Promise<void> };

/** Most transactions and bytes of the blocks in a batch; a single larger block is allowed. */
export type BatchLimit = { readonly txs: number; readonly bytes: number };

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

/**
 * Milliseconds between two polls of the node's height: `live` once every block up to the known height has been requested, `busy` while there
 * are others to request. In a steady stream of blocks there are always some, so the wait ends when the last of them is requested.
 */
const polling = { live: 150, busy: 1000 } as const;
const backoffLimits = { first: 50, max: 2000 } as const;
const prepareTimeout = 15_000;

export function startPipeline(first: bigint, deps: PipelineDeps): Pipeline {
  const { remote, timing } = deps;
  const window = createFetchWindow();
  const fetchBackoff = createBackoff(backoffLimits, timing.random);
  const pollBackoff = createBackoff(backoffLimits, timing.random);
  const ready = new Map<bigint, FetchedBlock>();
  const failed: bigint[] = [];
  let target: bigint | undefined;
  let next = first;
  let nextToFetch = first;
  let inFlight = 0;
  let readyBytes = 0;
  /** Incremented by `restart`: responses to earlier requests are ignored. */
  let generation = 0;
  let isBackingOff = false;
  let isStopped = false;
  let cancelPoll = () => {};
  /** When the next poll is due, and when it may come at the earliest. */
  let pollTimes = { due: 0, earliest: 0 };
  let cancelBackoff = () => {};
  let wakeTaker: (() => void) | undefined;

  const nextHeightToFetch = (): bigint | undefined => {
    const failedHeight = failed.shift();
    if (failedHeight !== undefined) return failedHeight;
    if (target === undefined) return undefined;
    if (nextToFetch > target) pollEarly();
    if (nextToFetch > target || nextToFetch - next >= window.maxAhead) return undefined;
    return nextToFetch++;
  };

  /** With no request in flight one is always allowed, so that the next block is fetched even if memory is full. */
  const canFetchMore = (): boolean => inFlight < window.maxInFlight() && (inFlight === 0 || window.fitsInMemory(readyBytes, inFlight));

  const fetchMore = (): void => {
    while (!isStopped && !isBackingOff && canFetchMore()) {
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
      fetchBackoff.reset();
      window.onSuccess(block.bytes.length);
      readyBytes += block.bytes.length;
      ready.set(height, { block, prepared: prepareBlock(block) });
      if (height === next) wakeTaker?.();
    } catch (error) {
      if (ownGeneration === generation) failed.push(height);
      onFetchError(error);
    } finally {
      if (ownGeneration === generation) inFlight--;
      fetchMore();
    }
  };

  /** Prepares a block with a timeout, so that a dead thread does not block following. */
  const prepareBlock = ({ txs }: Block): Promise<void> => {
    const { prepare } = deps;
    if (prepare === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = timing.after(prepareTimeout, resolve);
      const go = (): void => {
        cancel();
        resolve();
      };
      prepare(txs).then(go, go);
    });
  };

  /** All requests back off together, so that a failing node does not get sixteen retries at once. */
  const onFetchError = (error: unknown): void => {
    if (isStopped) return;
    window.onFailure();
    deps.onError(error);
    if (isBackingOff) return;
    isBackingOff = true;
    cancelBackoff = timing.after(fetchBackoff.next(), () => {
      isBackingOff = false;
      fetchMore();
    });
  };

  const poll = async (): Promise<void> => {
    const began = timing.now();
    pollTimes = { due: Number.NEGATIVE_INFINITY, earliest: Number.NEGATIVE_INFINITY };
    try {
      const height = await remote.height();
      if (isStopped) return;
      target = height;
      pollBackoff.reset();
      deps.onRemoteHeight(height);
      fetchMore();
      // A node that responds slowly is polled less often.
      const live = Math.max(polling.live, timing.now() - began);
      schedulePoll(height > nextToFetch ? Math.max(polling.busy, live) : live, live);
    } catch (error) {
      if (isStopped) return;
      deps.onError(error);
      const wait = isTemporary(error) ? pollBackoff.next() : backoffLimits.max;
      schedulePoll(wait, wait);
    }
  };

  const schedulePoll = (wait: number, shortest: number): void => {
    cancelPoll();
    pollTimes = { due: timing.now() + wait, earliest: timing.now() + shortest };
    cancelPoll = timing.after(wait, poll);
  };

  /** Polls early, because all known blocks have been requested and there may be more. */
  const pollEarly = (): void => {
    if (pollTimes.earliest >= pollTimes.due) return;
    const wait = Math.max(0, pollTimes.earliest - timing.now());
    schedulePoll(wait, wait);
  };

  const takeReady = ({ txs, bytes }: BatchLimit): FetchedBlock[] => {
    const taken: FetchedBlock[] = [];
    let remaining = { txs, bytes };
    for (let found = ready.get(next); found !== undefined; found = ready.get(next)) {
      const { block } = found;
      remaining = { txs: remaining.txs - block.txs.length, bytes: remaining.bytes - block.bytes.length };
      if (taken.length > 0 && (remaining.txs < 0 || remaining.bytes < 0)) break;
      ready.delete(next++);
      readyBytes -= block.bytes.length;
      taken.push(found);
    }
    fetchMore();
    return taken;
  };

  void poll();

  return {
    target: () => target,
    take: async (limit, timeout) => {
      if (!ready.has(next) && !isStopped && timeout > 0)
        await new Promise<void>((resolve) => {
          const cancel = timing.after(timeout, resolve);
          wakeTaker = () => {
            cancel();
            resolve();
          };
        });
      wakeTaker = undefined;
      if (isStopped) throw stopped();
      return takeReady(limit);
    },
    restart: (from) => {
      generation++;
      inFlight = 0;
      readyBytes = 0;
      ready.clear();
      failed.length = 0;
      next = from;
      nextToFetch = from;
      fetchMore();
    },
    stop: () => {
      isStopped = true;
      cancelPoll();
      cancelBackoff();
      wakeTaker?.();
    },
  };
}
