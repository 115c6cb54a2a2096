import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { StoredBlock } from '../../ledger/state/block-change.ts';

/** What happens to a chain, published after it happened. Changes of the accepted state come in the order of their commits. */
export type ChainEvent =
  | { readonly kind: 'accepted'; readonly chainID: Id; readonly stored: StoredBlock }
  /**
   * An earlier state was restored, and the mempool is empty; `height`, `blockID` and `blockTime` are of its last block, `snapshot` is its
   * name. Transactions that it has in the mempool follow as `pooled`.
   */
  | {
      readonly kind: 'reverted';
      readonly chainID: Id;
      readonly height: bigint;
      readonly blockID: Id;
      readonly blockTime: bigint;
      readonly snapshot: string;
    }
  /** The chain's clock was changed; times are Unix seconds. */
  | { readonly kind: 'time'; readonly time: bigint; readonly offset: bigint; readonly isFrozen: boolean }
  /** What a developer sets while the chain runs was changed: when blocks are made, which calls fail or wait, the snapshots. */
  | { readonly kind: 'settings'; readonly changed: 'blocks' | 'faults' | 'snapshots' | 'labels' | 'impersonation' }
  /** Calls were added to the log of calls, which somebody reads; `last` is the number of the last. */
  | { readonly kind: 'calls'; readonly last: number }
  /** A transaction entered the mempool, or left it other than by being accepted. */
  | { readonly kind: 'pooled'; readonly chainID: Id; readonly tx: Tx }
  | { readonly kind: 'dropped'; readonly chainID: Id; readonly tx: Tx; readonly reason: AnyFault }
  /** A health check of the node began to fail, or passed again; `error` is why it fails, `isHealthy` whether all checks pass. */
  | { readonly kind: 'health'; readonly check: string; readonly error: string | undefined; readonly isHealthy: boolean };

type ChainEventKind = ChainEvent['kind'];
export type EventOf<K extends ChainEventKind> = Extract<ChainEvent, { readonly kind: K }>;

/** Delivers chain events to subscribers in this process. */
export type EventBus = {
  readonly publish: (event: ChainEvent) => void;
  /** Calls the listener for every event of a kind. Returns a function that ends the subscription. */
  readonly subscribe: <K extends ChainEventKind>(kind: K, listener: (event: EventOf<K>) => void) => () => void;
};

/** Creates an event bus. An error of a listener goes to `logError`; the other listeners are still called. */
export function createEventBus(logError: (error: unknown) => void): EventBus {
  const listeners = new Set<{ readonly kind: ChainEventKind; readonly call: (event: never) => void }>();
  return {
    publish: (event) => {
      for (const { kind, call } of listeners)
        try {
          if (kind === event.kind) call(event as never);
        } catch (error) {
          logError(error);
        }
    },
    subscribe: (kind, call) => {
      // A function that is subscribed twice is called twice and has two subscriptions.
      const entry = { kind, call };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
