import type { Timers } from '../../base/timing/timers.ts';
import type { Filter } from '../events/filter.ts';
import type { EventHub } from '../events/hub.ts';
import type { StreamEvent } from '../events/stream-event.ts';
import type { Subscriber } from '../events/subscriber.ts';
import type { Webhook } from './webhook.ts';

/** Milliseconds after which a subscription that has ended is begun again. */
const retryDelay = 1000;

/**
 * The place of a webhook among the clients of the event stream. While it is closed, events wait in the log and cost no memory. `last`: the ID of
 * the last event that was taken. `onEvents`: called when there are events to take.
 */
export function createHookSubscription(
  webhook: Webhook,
  {
    hub,
    timers,
    last,
    onEvents,
    logError,
  }: {
    readonly hub: Pick<EventHub, 'subscribe' | 'unsubscribe'>;
    readonly timers: Pick<Timers, 'after'>;
    readonly last: () => string;
    readonly onEvents: () => void;
    readonly logError: (error: unknown) => void;
  },
) {
  let isWanted = false;
  let isOpening = false;
  let subscriber: Subscriber | undefined;
  let cancelRetry = (): void => {};

  const subscribe = async (): Promise<void> => {
    if (!isWanted || isOpening || subscriber !== undefined) return;
    isOpening = true;
    const from = last();
    const found = await hub.subscribe(filterOf(webhook), from).catch((error: unknown) => void logError(error));
    isOpening = false;
    if (found === undefined) return retry();
    // It was closed meanwhile, and perhaps opened again after later events.
    if (!isWanted || last() !== from) {
      hub.unsubscribe(found);
      return subscribe();
    }
    subscriber = found;
    found.onQueued(onEvents);
    onEvents();
  };
  const retry = (): void => {
    cancelRetry();
    if (isWanted) cancelRetry = timers.after(retryDelay, () => void subscribe());
  };
  const unsubscribe = (): void => {
    cancelRetry();
    if (subscriber !== undefined) hub.unsubscribe(subscriber);
    subscriber = undefined;
  };

  return {
    /** Subscribes after the event that `last` returns, unless it is subscribed; tries again until it succeeds. */
    open: (): void => {
      isWanted = true;
      void subscribe();
    },
    /** The next events; none if there are none or if it is closed. */
    take: (): readonly StreamEvent[] => {
      const events = subscriber?.take() ?? [];
      if (!events.some(({ kind }) => kind === 'closed')) return events;
      // The hub has ended it: too many events waited, or the server stops.
      unsubscribe();
      retry();
      return events.filter(({ kind }) => kind !== 'closed');
    },
    close: (): void => {
      isWanted = false;
      unsubscribe();
    },
  };
}

const filterOf = ({ filter }: Webhook): Filter => ({
  owners: filter.keyType === 'addresses' ? new Set(filter.keys) : undefined,
  assets: filter.keyType === 'assets' ? new Set(filter.keys) : undefined,
  kinds: new Set(['tx', 'reverted']),
});
