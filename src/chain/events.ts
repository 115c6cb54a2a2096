import type { Id } from '../bytes/id.ts';
import type { StoredBlock } from '../state/block-change.ts';

/** A change of the accepted state, published after its commit, in the order of the commits. */
export type ChainEvent = { readonly kind: 'accepted'; readonly chainID: Id; readonly stored: StoredBlock };

/** Delivers changes of the accepted state to subscribers in this process. */
export type EventBus = {
  readonly publish: (event: ChainEvent) => void;
  /** Returns a function that ends the subscription. */
  readonly subscribe: (listener: (event: ChainEvent) => void) => () => void;
};

/** Creates an event bus. An error of a listener goes to `report`; the other listeners are still called. */
export function createEventBus(report: (error: unknown) => void): EventBus {
  const listeners = new Set<(event: ChainEvent) => void>();
  return {
    publish: (event) => {
      for (const listener of listeners)
        try {
          listener(event);
        } catch (error) {
          report(error);
        }
    },
    subscribe: (listener) => {
      // A function that is subscribed twice is called twice and has two subscriptions.
      const entry = (event: ChainEvent) => listener(event);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
