import { createBackoff } from '../../base/timing/backoff.ts';
import { isTemporary } from './fault.ts';
import { backoffLimits } from './fetch-pause.ts';
import type { Remote } from './remote.ts';
import type { Timing } from './timing.ts';

/**
 * Milliseconds between two polls of the node's height: `live` once every block up to the known height has been requested, `busy` while there
 * are others to request. In a steady stream of blocks there are always some, so the wait ends when the last of them is requested.
 */
const polling = { live: 150, busy: 1000 } as const;

/** Asks a node for its height again and again, at once for the first time. */
export function startHeightPoll({
  remote,
  timing,
  onHeight,
  onError,
}: {
  readonly remote: Pick<Remote, 'height'>;
  readonly timing: Timing;
  /** Called with the node's height after every poll. Returns whether blocks up to it are not requested yet. */
  readonly onHeight: (height: bigint) => boolean;
  readonly onError: (error: unknown) => void;
}) {
  const backoff = createBackoff(backoffLimits, timing.random);
  /** When the next poll is due, and when it may come at the earliest. */
  let times = { due: 0, earliest: 0 };
  let cancel = () => {};
  let isStopped = false;

  const poll = async (): Promise<void> => {
    const began = timing.now();
    times = { due: Number.NEGATIVE_INFINITY, earliest: Number.NEGATIVE_INFINITY };
    try {
      const height = await remote.height();
      if (isStopped) return;
      backoff.reset();
      const isBehind = onHeight(height);
      // A node that responds slowly is polled less often.
      const live = Math.max(polling.live, timing.now() - began);
      schedule(isBehind ? Math.max(polling.busy, live) : live, live);
    } catch (error) {
      if (isStopped) return;
      onError(error);
      const wait = isTemporary(error) ? backoff.next() : backoffLimits.max;
      schedule(wait, wait);
    }
  };

  const schedule = (wait: number, shortest: number): void => {
    cancel();
    times = { due: timing.now() + wait, earliest: timing.now() + shortest };
    cancel = timing.after(wait, poll);
  };

  void poll();
  return {
    /** Polls early, because all known blocks have been requested and there may be more. */
    hurry: (): void => {
      if (times.earliest >= times.due) return;
      const wait = Math.max(0, times.earliest - timing.now());
      schedule(wait, wait);
    },
    stop: (): void => {
      isStopped = true;
      cancel();
    },
  };
}
