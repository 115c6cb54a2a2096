import { createBackoff } from '../timing/backoff.ts';
import type { Block } from '../tx/block.ts';
import type { Tx } from '../tx/tx.ts';
import { isPassing, nonsense, stopped } from './fault.ts';
import { createWindow } from './fetch-window.ts';
import type { Timing } from './pause.ts';
import type { Remote } from './remote.ts';

/** Blocks of a node in their order, fetched ahead of who takes them, as many at once as the node answers well. */
export type Pipeline = {
  /** The next blocks; waits for the first of them, but not longer than so many milliseconds. Rejects only when stopped. */
  readonly take: (most: Most, patience: number) => Promise<readonly Fetched[]>;
  /** The node's height as it last told; undefined before it ever did. */
  readonly target: () => bigint | undefined;
  /** Forgets what was fetched and goes on from here. */
  readonly restart: (from: bigint) => void;
  readonly stop: () => void;
};

/** A block that came in. `prepared` never rejects: what could not be prepared is done when it is needed. */
export type Fetched = { readonly block: Block; readonly prepared: Promise<void> };

export type Most = { readonly txs: number; readonly bytes: number };

export type PipelineDeps = {
  readonly remote: Pick<Remote, 'height' | 'blockAt'>;
  readonly timing: Timing;
  /** Starts on what will be needed of the transactions of a block, such as their signers, while others are on their way. */
  readonly prepare?: ((txs: readonly Tx[]) => Promise<void>) | undefined;
  /** The node answered, and this is its height. */
  readonly onContact: (height: bigint) => void;
  /** The node did not answer or answered nonsense; it will be asked again. */
  readonly onTrouble: (error: unknown) => void;
};

/**
 * Milliseconds between two polls of the node's height: `live` once every block up to the known height has been asked for, `busy` while there
 * are others to ask for. In a steady stream of blocks there are always some, so the wait ends when the last of them is asked for.
 */
const polling = { live: 150, busy: 1000 } as const;
const backoff = { first: 50, longest: 2000 } as const;
const longestPreparation = 15_000;

export function startPipeline(first: bigint, deps: PipelineDeps): Pipeline {
  const { remote, timing } = deps;
  const window = createWindow();
  const waits = createBackoff(backoff, timing.random);
  const pollWaits = createBackoff(backoff, timing.random);
  const ready = new Map<bigint, Fetched>();
  const failed: bigint[] = [];
  let target: bigint | undefined;
  let next = first;
  let nextToAsk = first;
  let asked = 0;
  let readyBytes = 0;
  /** Raised by `restart`: answers to older questions no longer count. */
  let round = 0;
  let resting = false;
  let isStopped = false;
  let cancelPoll = () => {};
  /** When the next poll is due, and when it may come at the earliest. */
  let polls = { due: 0, earliest: 0 };
  let cancelRest = () => {};
  let taker: (() => void) | undefined;

  const heightToAsk = (): bigint | undefined => {
    const again = failed.shift();
    if (again !== undefined) return again;
    if (target === undefined) return undefined;
    if (nextToAsk > target) pollEarly();
    if (nextToAsk > target || nextToAsk - next >= window.ahead) return undefined;
    return nextToAsk++;
  };

  /** Whoever waits for the very next block must get it, however full it is here. */
  const hasRoom = (): boolean => asked < window.inFlight() && (asked === 0 || window.fits(readyBytes, asked));

  const pump = (): void => {
    while (!isStopped && !resting && hasRoom()) {
      const height = heightToAsk();
      if (height === undefined) return;
      void fetchOne(height);
    }
  };

  const fetchOne = async (height: bigint): Promise<void> => {
    const mine = round;
    asked++;
    try {
      const block = await remote.blockAt(height);
      if (isStopped || mine !== round) return;
      if (block === undefined) throw nonsense('avm.getBlockByHeight', `its height is ${target}, but there is no block ${height}`);
      waits.reset();
      window.went(block.bytes.length);
      readyBytes += block.bytes.length;
      ready.set(height, { block, prepared: prepared(block) });
      if (height === next) taker?.();
    } catch (error) {
      if (mine === round) failed.push(height);
      trouble(error);
    } finally {
      if (mine === round) asked--;
      pump();
    }
  };

  /** Waits for what others prepare, but not for ever: a thread that died would hold everything up. */
  const prepared = ({ txs }: Block): Promise<void> => {
    const { prepare } = deps;
    if (prepare === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = timing.after(longestPreparation, resolve);
      const go = (): void => {
        cancel();
        resolve();
      };
      prepare(txs).then(go, go);
    });
  };

  /** All questions rest together: a node in trouble is not asked sixteen things at once. */
  const trouble = (error: unknown): void => {
    if (isStopped) return;
    window.stumbled();
    deps.onTrouble(error);
    if (resting) return;
    resting = true;
    cancelRest = timing.after(waits.next(), () => {
      resting = false;
      pump();
    });
  };

  const poll = async (): Promise<void> => {
    const began = timing.now();
    polls = { due: Number.NEGATIVE_INFINITY, earliest: Number.NEGATIVE_INFINITY };
    try {
      const height = await remote.height();
      if (isStopped) return;
      target = height;
      pollWaits.reset();
      deps.onContact(height);
      pump();
      // A node that takes long to answer is not asked as often.
      const live = Math.max(polling.live, timing.now() - began);
      schedulePoll(height > nextToAsk ? Math.max(polling.busy, live) : live, live);
    } catch (error) {
      if (isStopped) return;
      deps.onTrouble(error);
      const wait = isPassing(error) ? pollWaits.next() : backoff.longest;
      schedulePoll(wait, wait);
    }
  };

  const schedulePoll = (wait: number, shortest: number): void => {
    cancelPoll();
    polls = { due: timing.now() + wait, earliest: timing.now() + shortest };
    cancelPoll = timing.after(wait, poll);
  };

  /** All known blocks have been asked for: there may be more. */
  const pollEarly = (): void => {
    if (polls.earliest >= polls.due) return;
    const wait = Math.max(0, polls.earliest - timing.now());
    schedulePoll(wait, wait);
  };

  const takeReady = ({ txs, bytes }: Most): Fetched[] => {
    const taken: Fetched[] = [];
    let room = { txs, bytes };
    for (let found = ready.get(next); found !== undefined; found = ready.get(next)) {
      const { block } = found;
      room = { txs: room.txs - block.txs.length, bytes: room.bytes - block.bytes.length };
      if (taken.length > 0 && (room.txs < 0 || room.bytes < 0)) break;
      ready.delete(next++);
      readyBytes -= block.bytes.length;
      taken.push(found);
    }
    pump();
    return taken;
  };

  void poll();

  return {
    target: () => target,
    take: async (most, patience) => {
      if (!ready.has(next) && !isStopped && patience > 0)
        await new Promise<void>((resolve) => {
          const cancel = timing.after(patience, resolve);
          taker = () => {
            cancel();
            resolve();
          };
        });
      taker = undefined;
      if (isStopped) throw stopped();
      return takeReady(most);
    },
    restart: (from) => {
      round++;
      asked = 0;
      readyBytes = 0;
      ready.clear();
      failed.length = 0;
      next = from;
      nextToAsk = from;
      pump();
    },
    stop: () => {
      isStopped = true;
      cancelPoll();
      cancelRest();
      taker?.();
    },
  };
}
