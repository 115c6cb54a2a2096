import type { ProcessActivity, WatchedProcess } from '../platform/node-processes.ts';
import type { RelayTimers } from './relay.ts';

/** Watches for messages of another process of the node. `reset`: call it for every message received. */
type Heartbeat = { readonly reset: () => void; readonly stop: () => void };

/** Milliseconds between two pings, and without an answer until a process counts as hung. So a hung process is noticed within 5 s. */
export const pingInterval = 500;
export const hungTimeout = 4500;

/** Milliseconds without an answer after which a hung writer process is killed. */
export const killTimeout = 15_000;

/**
 * Milliseconds without an answer in which a process did nothing at all, after which it is hung for certain: one that is only slow computes, or
 * waits for a CPU or a disk. Its clients wait for less than 2 s then: it is killed 1.5 s after it stood still at the latest.
 */
export const stillTimeout = 1000;

/** How long a process has not answered, in milliseconds, rounded down to `pingInterval`. */
type Silence = {
  /** Without the time in which it waited for a CPU. */
  readonly silentFor: number;
  /** The last part of that time, in which it did nothing; 0 where that is not known. */
  readonly stillFor: number;
};

/**
 * Calls `onTick` every `pingInterval` milliseconds with the time since the last `reset`. Time is counted in ticks of this process: while this
 * process itself is stopped or suspended, no time passes for the other one. Nor does it while the other one waits for a CPU: it is not hung
 * then, and killing it would reset the connections of its clients.
 */
export function watchHeartbeat(
  { after }: Pick<RelayTimers, 'after'>,
  { activity = () => undefined }: Pick<WatchedProcess, 'activity'>,
  onTick: (silence: Silence) => void,
): Heartbeat {
  let [ticks, stillTicks, waited, waitedBefore] = [0, 0, 0, 0];
  let before: ProcessActivity | undefined;
  let cancel = () => {};
  const next = (): void => {
    cancel = after(pingInterval, () => {
      next();
      const now = activity();
      waited = now?.cpuWait ?? waited;
      if (++ticks === 1) waitedBefore = waited;
      const isStill = now !== undefined && !now.isBusy && now.cpuTime === before?.cpuTime;
      stillTicks = isStill ? stillTicks + 1 : 0;
      before = now;
      const waitedTicks = Math.ceil(Math.max(0, waited - waitedBefore) / pingInterval);
      onTick({ silentFor: Math.max(0, ticks - waitedTicks) * pingInterval, stillFor: stillTicks * pingInterval });
    });
  };
  next();
  return {
    reset: () => {
      [ticks, stillTicks] = [0, 0];
    },
    stop: () => cancel(),
  };
}
