import type { Timers } from '../../base/timing/timers.ts';
import { webhookLimits } from '../contract/webhook-schemas.ts';
import type { Attempt, DeliveryState } from './webhook.ts';
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
  /** The last attempts of each webhook that are not stored. */
  let attempts = new Map<string, readonly Attempt[]>();
  let running: Promise<void> = Promise.resolve();
  let isScheduled = false;
  let isClosed = false;

  const save = async (): Promise<void> => {
    const [states, made] = [waiting, attempts];
    if (states.size === 0 && made.size === 0) return;
    [waiting, attempts] = [new Map(), new Map()];
    try {
      await store.saveStates(states, made);
      onResult(undefined);
    } catch (error) {
      // What changed meanwhile is newer.
      waiting = new Map([...states, ...waiting]);
      for (const [id, list] of made) attempts.set(id, lastOf([...list, ...(attempts.get(id) ?? [])]));
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
    /** Takes an attempt of a webhook. Of those that wait, only the last are stored. */
    addAttempt: (id: string, attempt: Attempt): void => {
      attempts.set(id, lastOf([...(attempts.get(id) ?? []), attempt]));
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

/** The attempts that are stored anyway. */
const lastOf = (attempts: readonly Attempt[]): readonly Attempt[] => {
  let bytes = 0;
  const from = attempts.findLastIndex(({ body = '' }) => {
    bytes += body.length;
    return bytes > webhookLimits.attemptBytes;
  });
  return attempts.slice(Math.max(from, attempts.length - webhookLimits.attempts, 0));
};
