import { matchesSubject, wantsKind } from './filter.ts';
import type { EntryEvents } from './render-entry.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

/** Queues the events of an entry that the filter selects, until the client is full. Returns whether all were queued; else call it again later. */
export function sendEntry(subscriber: Subscriber, entry: EntryEvents, isFull = () => false): boolean {
  const { filter } = subscriber;
  const isUnfiltered = entry.own.kind === 'reverted' || (filter.owners === undefined && filter.assets === undefined);
  if (isUnfiltered) pushIfNew(subscriber, entry, entry.own);
  if (isUnfiltered && !wantsKind(filter, 'tx')) return true;
  for (const tx of entry.txs) {
    if (isFull()) return false;
    if (isUnfiltered) pushIfNew(subscriber, entry, tx);
    else sendTx(subscriber, entry, tx);
  }
  return true;
}

/** Queues a transaction that the filter selects. With an address or asset, a block is sent only before its first matching transaction. */
export function sendTx(subscriber: Subscriber, entry: EntryEvents, tx: StreamEvent): void {
  if (tx.subject === undefined || !matchesSubject(subscriber.filter, tx.subject)) return;
  pushIfNew(subscriber, entry, entry.own);
  if (wantsKind(subscriber.filter, 'tx')) pushIfNew(subscriber, entry, tx);
}

/** Queues an event after the client's position, and moves the position to it. */
function pushIfNew(subscriber: Subscriber, { seq }: EntryEvents, event: StreamEvent): void {
  const index = event.position?.index ?? 0;
  const { position } = subscriber;
  if (position.seq === seq && (position.index === undefined || position.index >= index)) return;
  if (!wantsKind(subscriber.filter, event.kind)) return;
  subscriber.position = { seq, index };
  subscriber.push(event);
}
