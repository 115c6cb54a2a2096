import { matchesSubject, wantsKind } from './filter.ts';
import type { EntryEvents } from './render-entry.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

/** Queues the events of an entry that the filter selects, until the client is full. Returns whether all were queued; else call it again later. */
export function sendEntry(subscriber: Subscriber, entry: EntryEvents, isFull = () => false): boolean {
  sendOwn(subscriber, entry);
  if (isUnfiltered(subscriber) && !wantsKind(subscriber.filter, 'tx')) return true;
  for (const tx of entry.txs) {
    if (isFull()) return false;
    sendTx(subscriber, entry, tx);
  }
  return true;
}

/** Queues the event of the entry itself. With an address or asset, a block is sent only before its first matching transaction. */
export function sendOwn(subscriber: Subscriber, entry: EntryEvents): void {
  if (entry.own.kind === 'reverted' || isUnfiltered(subscriber)) pushIfNew(subscriber, entry, entry.own);
}

/** Queues a transaction that the filter selects, and its block before it. */
export function sendTx(subscriber: Subscriber, entry: EntryEvents, tx: StreamEvent): void {
  if (!isUnfiltered(subscriber)) {
    if (tx.subject === undefined || !matchesSubject(subscriber.filter, tx.subject)) return;
    pushIfNew(subscriber, entry, entry.own);
  }
  pushIfNew(subscriber, entry, tx);
}

const isUnfiltered = ({ filter }: Subscriber): boolean => filter.owners === undefined && filter.assets === undefined;

/** Queues an event after the client's position, and moves the position to it. */
function pushIfNew(subscriber: Subscriber, { number }: EntryEvents, event: StreamEvent): void {
  const index = event.position?.index ?? 0;
  const { position } = subscriber;
  if (position.entry > number || (position.entry === number && (position.index === undefined || position.index >= index))) return;
  if (!wantsKind(subscriber.filter, event.kind)) return;
  subscriber.position = { entry: number, index };
  subscriber.push(event);
}
