import type { Timers } from '../../base/timing/timers.ts';
import type { DeliveryState } from './webhook.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Milliseconds. A crash before the end of this time repeats deliveries; a write to the disk per delivery would cost more. */
const saveDelay = 100;

/**
 * Stores how far the deliveries of webhooks are, some time after that changed. `onResult` gets the error of every attempt to store, or undefined.
 * A failed attempt is repeated.
 */
export function createStateSaver(
  store: Pick<WebhookStore, 'saveStates'>,
  timers: Pick<Timers, 'after'>,
  onResult: (error: unknown) => void,
) {
  /** The newest state of each webhook that has one which is not stored. */
  let waiting = new Map<string, DeliveryState>();
  let running: Promise<void> = Promise.resolve();
  let isScheduled = false;
  let isClosed = false;

  const save = async (): Promise<void> => {
    const states = waiting;
    if (states.size === 0) return;
    waiting = new Map();
    try {
      await store.saveStates(states);
      onResult(undefined);
    } catch (error) {
      // What changed meanwhile is newer.
      waiting = new Map([...states, ...waiting]);
      onResult(error);
      schedule();
    }
  };
  const schedule = (): void => {
    if (isScheduled || isClosed) return;
    isScheduled = true;
    timers.after(saveDelay, () => {
      isScheduled = false;
      running = running.then(save);
    });
  };

  return {
    /** Takes the newest state of a webhook. */
    put: (id: string, state: DeliveryState): void => {
      waiting.set(id, state);
      schedule();
    },
    /** A state that is not stored yet. */
    unsaved: (id: string): DeliveryState | undefined => waiting.get(id),
    /** Stores what is left. */
    close: async (): Promise<void> => {
      isClosed = true;
      running = running.then(save);
      await running;
    },
  };
}
