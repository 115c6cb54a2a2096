import type { Channel, RelayTimers } from './relay.ts';

/** Another process of the node. */
export type WatchedProcess = Channel & {
  /** Milliseconds so far in which it could have run but had no CPU; missing where that is not known. */
  readonly cpuWait?: () => number;
};

/** Watches for messages of another process of the node. `reset`: call it for every message received. */
type Heartbeat = { readonly reset: () => void; readonly stop: () => void };

/** Milliseconds between two pings, and without an answer until a process counts as hung. So a hung process is noticed within 5 s. */
export const pingInterval = 500;
export const hungTimeout = 4500;

/** Milliseconds without an answer after which a hung writer process is killed. */
export const killTimeout = 15_000;

/**
 * Calls `onTick` every `pingInterval` milliseconds with the milliseconds since the last `reset`, rounded down to that interval. Time is counted
 * in ticks of this process: while this process itself is stopped or suspended, no time passes for the other one. Nor does it while the other one
 * waits for a CPU (`cpuWait`): it is not hung then, and killing it would reset the connections of its clients.
 */
export function watchHeartbeat(
  { after }: Pick<RelayTimers, 'after'>,
  { cpuWait = () => 0 }: Pick<WatchedProcess, 'cpuWait'>,
  onTick: (sinceReset: number) => void,
): Heartbeat {
  let ticks = 0;
  let waitedBefore = 0;
  let cancel = () => {};
  const next = (): void => {
    cancel = after(pingInterval, () => {
      next();
      const waited = cpuWait();
      if (++ticks === 1) waitedBefore = waited;
      const waitedTicks = Math.ceil(Math.max(0, waited - waitedBefore) / pingInterval);
      onTick(Math.max(0, ticks - waitedTicks) * pingInterval);
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
