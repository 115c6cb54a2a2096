import type { Address } from '../../base/bytes/address.ts';
import type { Pause } from '../../base/timing/long-work.ts';
import { type Filter, matchesSubject, wantsKind } from './filter.ts';
import { createHeldEvents, type HeldEvents } from './held-events.ts';
import type { EntryEvents } from './render-entry.ts';
import { sendEntry, sendOwn, sendTx } from './send-entry.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

export type Audience = ReturnType<typeof createAudience>;

/**
 * The clients of a hub. A client is live when it has all entries of the log that were sent; the others still read past ones. `maxHeld`: bytes
 * of JSON that wait for all clients together.
 */
export function createAudience(maxHeld: number) {
  const all = new Set<Subscriber>();
  /** Live clients with an address filter are found by address. */
  const byOwner = new Map<Address, Set<Subscriber>>();
  const others = new Set<Subscriber>();
  const setsOf = ({ owners }: Filter): Set<Subscriber>[] =>
    owners === undefined ? [others] : [...owners].map((owner) => getOrAdd(byOwner, owner));
  const live = (): Subscriber[] => [...all].filter(({ isLive }) => isLive);

  /** The live clients whose filter a live event matches. */
  const wanting = ({ kind, subject }: StreamEvent): readonly Subscriber[] =>
    live().filter(({ filter }) => wantsKind(filter, kind) && (subject === undefined || matchesSubject(filter, subject)));

  /** Counts the events in all queues, and cuts off the clients with the most unread events while there are too many. */
  const held: HeldEvents = createHeldEvents(maxHeld, () => {
    const bySize = [...all].filter((one) => one.queuedBytes() > 0 && !one.hasEnded()).sort((a, b) => b.queuedBytes() - a.queuedBytes());
    for (const subscriber of bySize) {
      if (!held.isOver()) return;
      subscriber.cutOff();
    }
  });

  return {
    all: all as ReadonlySet<Subscriber>,
    held,
    add: (subscriber: Subscriber): void => void all.add(subscriber),
    /** Returns false if the client was not there. */
    remove: (subscriber: Subscriber): boolean => {
      if (!all.delete(subscriber)) return false;
      for (const set of setsOf(subscriber.filter)) set.delete(subscriber);
      for (const owner of subscriber.filter.owners ?? []) if (byOwner.get(owner)?.size === 0) byOwner.delete(owner);
      return true;
    },
    goLive: (subscriber: Subscriber): void => {
      subscriber.isLive = true;
      for (const set of setsOf(subscriber.filter)) set.add(subscriber);
    },
    live,
    /** Whether a live client wants events of a kind. */
    wantsKind: (kind: StreamEvent['kind']): boolean => live().some(({ filter }) => wantsKind(filter, kind)),
    wanting,
    sendLive: (event: StreamEvent): void => {
      for (const subscriber of wanting(event)) subscriber.push(event);
    },
    /** Sends an entry of the log to the live clients. */
    send: async (entry: EntryEvents, pause: Pause): Promise<void> => {
      if (entry.own.kind === 'reverted') {
        for (const subscriber of live()) sendEntry(subscriber, entry);
        return;
      }
      for (const subscriber of others) sendOwn(subscriber, entry);
      for (const tx of entry.txs) {
        for (const subscriber of others) sendTx(subscriber, entry, tx);
        if (byOwner.size > 0)
          for (const owner of tx.subject?.owners ?? []) for (const subscriber of byOwner.get(owner) ?? []) sendTx(subscriber, entry, tx);
        const paused = pause();
        if (paused !== undefined) await paused;
      }
    },
  };
}

function getOrAdd(sets: Map<Address, Set<Subscriber>>, owner: Address): Set<Subscriber> {
  const found = sets.get(owner) ?? new Set();
  sets.set(owner, found);
  return found;
}
