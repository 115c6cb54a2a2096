import type { RelayTimers } from './relay.ts';

/** Watches for messages of another process of the node. `reset`: call it for every message received. */
type Heartbeat = { readonly reset: () => void; readonly stop: () => void };

/** Milliseconds between two pings, and without an answer until a process counts as hung. So a hung process is noticed within 5 s. */
export const pingInterval = 500;
export const hungTimeout = 4500;

/** Milliseconds without an answer after which a hung writer process is killed. */
export const killTimeout = 15_000;

/**
 * Calls `onTick` every `pingInterval` milliseconds with the milliseconds since the last `reset`. Time is counted in ticks of this process:
 * while this process itself is stopped or suspended, no time passes for the other one.
 */
export function watchHeartbeat({ after }: Pick<RelayTimers, 'after'>, onTick: (sinceReset: number) => void): Heartbeat {
  let ticks = 0;
  let cancel = () => {};
  const next = (): void => {
    cancel = after(pingInterval, () => {
      next();
      onTick(++ticks * pingInterval);
    });
  };
  next();
  return {
    reset: () => {
      ticks = 0;
    },
    stop: () => cancel(),
  };
}
