import type { Timers } from '../../base/timing/timers.ts';
import type { DeliveryState } from './webhook.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Stores how far deliveries are, some time after they changed. */
type StateSaver = {
  readonly put: (id: string, state: DeliveryState) => void;
  /** A state that is not stored yet. */
  readonly unsaved: (id: string) => DeliveryState | undefined;
  /** Stores what is left. */
  readonly close: () => Promise<void>;
};

/** Milliseconds. A crash before the end of this time repeats deliveries; a write to the disk per delivery would cost more. */
const saveDelay = 100;

/** `onResult` gets the error of every attempt to store, or undefined. A failed attempt is repeated. */
export function createStateSaver(
  store: Pick<WebhookStore, 'saveStates'>,
  timers: Pick<Timers, 'after'>,
  onResult: (error: unknown) => void,
): StateSaver {
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
    put: (id, state) => {
      waiting.set(id, state);
      schedule();
    },
    unsaved: (id) => waiting.get(id),
    close: async () => {
      isClosed = true;
      running = running.then(save);
      await running;
    },
  };
}
