import type { Id } from '../bytes/id.ts';
import type { StoredBlock } from '../state/block-change.ts';

/** A change of accepted state. It is published after the change is committed, in the order of the commits. */
export type ChainEvent = { readonly kind: 'accepted'; readonly chainID: Id; readonly stored: StoredBlock };

/** Tells everyone in this process who listens about changes of accepted state. */
export type EventBus = {
  readonly publish: (event: ChainEvent) => void;
  /** Returns a function that ends the subscription. */
  readonly subscribe: (listener: (event: ChainEvent) => void) => () => void;
};

/** A listener that throws is reported; it stops neither the chain nor the other listeners. */
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
      // A function given twice is called twice, and ends one subscription at a time.
      const entry = (event: ChainEvent) => listener(event);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
