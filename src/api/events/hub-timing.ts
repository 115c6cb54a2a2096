import type { Audience } from './audience.ts';
import type { StreamEvent } from './stream-event.ts';

/** Sends heartbeats to live clients, so that they notice a dead connection. `wait` runs something after the interval. */
export function createHeartbeats(audience: Audience, create: () => StreamEvent, wait: (run: () => void) => () => void) {
  let stop = (): void => {};
  const start = (): void => {
    stop = wait(() => {
      // A client with waiting events needs no sign of life, and one that reads past events has its own pace.
      const event = create();
      for (const subscriber of audience.live()) if (subscriber.queuedBytes() === 0) subscriber.push(event);
      start();
    });
  };
  return { start, stop: () => stop() };
}

/** Opens something for the first client and shuts it after the last one. */
export function createActivation(open: () => Promise<void>, shut: () => void) {
  /** Resolves when it is open; set while there are clients. */
  let active: Promise<void> | undefined;
  const end = (): void => {
    active = undefined;
    shut();
  };
  const activate = (): Promise<void> => {
    active ??= open().catch((error: unknown) => {
      end();
      throw error;
    });
    return active;
  };
  return {
    end,
    begin: async (): Promise<void> => {
      // It may be shut during the wait, if the other clients go.
      for (let mine = activate(); ; mine = activate()) {
        await mine;
        if (mine === active) return;
      }
    },
  };
}
