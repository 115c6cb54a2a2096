import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { createEntryCache } from './entry-cache.ts';
import type { EventLog, KnownBlocks, LogEntry } from './event-log.ts';
import { type Filter, matchesSubject, wantsKind } from './filter.ts';
import { createHeldEvents } from './held-events.ts';
import { formatEventID, parseEventID } from './position.ts';
import { type ChainText, type EntryEvents, renderEntry } from './render-entry.ts';
import { createReplay } from './replay.ts';
import { sendEntry, sendTx } from './send-entry.ts';
import { createStreamEvent, type RenderProperties, renderProperties, type StreamEvent } from './stream-event.ts';
import { createSubscriber, type Subscriber } from './subscriber.ts';

/** Sends the events of the log, and live events, to the subscribers of this process. Without subscribers it does nothing. */
export type EventHub = {
  /** Adds a client. It gets the events after `lastEventId`, or only new ones; undefined if there are too many clients. */
  readonly subscribe: (filter: Filter, lastEventId: string | undefined) => Promise<Subscriber | undefined>;
  /** Removes a client that has disconnected. */
  readonly unsubscribe: (subscriber: Subscriber) => void;
  /** Called when the log has new entries. */
  readonly advance: () => void;
  /**
   * Sends an event that is not in the log. Nothing is rendered unless a client wants it. It is sent after the entry with the number that
   * `lastEntry` returns, the last one when the event happened.
   */
  readonly sendLive: (
    kind: LiveKind,
    properties: RenderProperties,
    subject?: () => NonNullable<StreamEvent['subject']>,
    lastEntry?: () => number,
  ) => void;
  readonly size: () => number;
  /** The ID of the position after the last entry of the log. */
  readonly position: () => Promise<string>;
  /** Ends all streams with a last event. */
  readonly close: () => void;
};

export type LiveKind = 'mempool' | 'time' | 'health';

export type HubDeps = {
  readonly log: EventLog;
  readonly textOf: (chainID: Id) => ChainText;
  readonly timers: { readonly soon: (run: () => void) => void; readonly after: (ms: number, run: () => void) => () => void };
  /** Lets other requests run while past events are sent. */
  readonly longWork: LongWork;
  /** Blocks that are in memory; see `EventLog`. */
  readonly known?: KnownBlocks;
  /** Called when the first client has connected, and when the last one has disconnected. */
  readonly onActive?: (isActive: boolean) => void;
  readonly report: (error: unknown) => void;
  /** Milliseconds. */
  readonly heartbeat?: number;
  readonly maxSubscribers?: number;
  /** Bytes of JSON that wait for one client. */
  readonly maxQueued?: number;
  /** Bytes of JSON that wait for all clients together. */
  readonly maxHeld?: number;
};

const defaultHeartbeat = 2000;
const defaultMaxSubscribers = 4096;
const defaultMaxHeld = 64 * 1024 * 1024;
/** Milliseconds after which a failed read of the log is repeated. */
const retryInterval = 1000;

export function createEventHub(deps: HubDeps): EventHub {
  const { log, textOf, timers, longWork, known, onActive, report } = deps;
  const { heartbeat = defaultHeartbeat, maxSubscribers = defaultMaxSubscribers, maxHeld = defaultMaxHeld } = deps;
  const all = new Set<Subscriber>();
  /** Clients that have all entries up to `head`; the others still read past ones. Those with an address filter are found by address. */
  const live = { byOwner: new Map<Address, Set<Subscriber>>(), others: new Set<Subscriber>() };
  const cache = createEntryCache((entry) => renderEntry(logID, entry, textOf));
  let logID = '';
  let head = 0;
  let isAdvancing = false;
  let advanceAgain = false;
  let isClosed = false;
  let cancelHeartbeat = (): void => {};

  const closedEvent = (reason: keyof typeof closedMessages): StreamEvent =>
    createStreamEvent(logID, 'closed', undefined, () => renderProperties({ reason, message: closedMessages[reason] }));

  /** Only for live clients: they have all entries up to `head`. */
  const createHeartbeat = (): StreamEvent => createStreamEvent(logID, 'heartbeat', { seq: head, index: undefined }, () => '');

  const beat = (): void => {
    cancelHeartbeat = timers.after(heartbeat, () => {
      // A client with waiting events needs no sign of life, and one that reads past events has its own pace.
      const event = createHeartbeat();
      for (const subscriber of all) if (subscriber.isLive && subscriber.queuedBytes() === 0) subscriber.push(event);
      beat();
    });
  };

  const liveSets = ({ filter: { owners } }: Subscriber): Set<Subscriber>[] =>
    owners === undefined ? [live.others] : [...owners].map((owner) => getOrAdd(live.byOwner, owner));

  const remove = (subscriber: Subscriber): void => {
    if (!all.delete(subscriber)) return;
    for (const set of liveSets(subscriber)) set.delete(subscriber);
    for (const owner of subscriber.filter.owners ?? []) if (live.byOwner.get(owner)?.size === 0) live.byOwner.delete(owner);
    if (all.size === 0) deactivate();
  };

  /** Resolves when the hub is ready for clients; set while it has some. */
  let active: Promise<void> | undefined;
  const activate = (): Promise<void> => {
    active ??= (async () => {
      onActive?.(true);
      try {
        [logID, head] = [await log.id(), await log.last()];
        if (!isClosed) beat();
      } catch (error) {
        deactivate();
        throw error;
      }
    })();
    return active;
  };
  const deactivate = (): void => {
    active = undefined;
    cancelHeartbeat();
    waitingLive.length = 0;
    cache.clear();
    onActive?.(false);
  };

  const eventsOf = (entry: LogEntry): EntryEvents => {
    cache.add(entry);
    // An entry too large for the cache is rendered for this one use.
    return cache.get(entry.seq) ?? renderEntry(logID, entry, textOf);
  };

  /** Cuts off the clients with the most unread events until the rest fits. */
  const held = createHeldEvents(maxHeld, () => {
    const bySize = [...all].filter((one) => one.queuedBytes() > 0 && !one.hasEnded()).sort((a, b) => b.queuedBytes() - a.queuedBytes());
    for (const subscriber of bySize) {
      if (!held.isOver()) return;
      subscriber.cutOff();
    }
  });

  /** Sends an entry to the clients in `live`. */
  const sendToLive = (entry: EntryEvents): void => {
    if (entry.own.kind === 'reverted') {
      for (const subscriber of all) if (subscriber.isLive) sendEntry(subscriber, entry);
      return;
    }
    for (const subscriber of live.others) sendEntry(subscriber, entry);
    if (live.byOwner.size === 0) return;
    for (const tx of entry.txs)
      for (const owner of tx.subject?.owners ?? []) for (const subscriber of live.byOwner.get(owner) ?? []) sendTx(subscriber, entry, tx);
  };

  /** Reads new entries and sends them. One run at a time: calls during a run make it read once more. */
  const run = async (): Promise<void> => {
    isAdvancing = true;
    try {
      do {
        advanceAgain = false;
        const entries = await log.read(head, known);
        if (entries === undefined) await skipLostEntries();
        for (const entry of entries ?? []) {
          // `head` has changed during the read if all clients went and another one came.
          if (entry.seq !== head + 1) continue;
          sendToLive(eventsOf(entry));
          head = entry.seq;
          sendWaitingLive();
        }
        if (entries?.length) advanceAgain = true;
        if (advanceAgain) await nextTurn();
      } while (advanceAgain && all.size > 0);
    } finally {
      isAdvancing = false;
    }
  };

  /** Live events that came after entries that are not sent yet, which they must not overtake. */
  const waitingLive: { readonly after: number; readonly send: () => void }[] = [];
  const sendWaitingLive = (): void => {
    while (waitingLive[0] !== undefined && waitingLive[0].after <= head) waitingLive.shift()?.send();
  };

  const skipLostEntries = async (): Promise<void> => {
    [logID, head] = [await log.id(), await log.last()];
    cache.clear();
    sendWaitingLive();
    for (const subscriber of all) if (subscriber.isLive) sendReset(subscriber, 'the log of events was started anew');
  };

  const advance = (): void => {
    advanceAgain = true;
    if (isAdvancing || all.size === 0 || isClosed) return;
    run().catch((error: unknown) => {
      report(error);
      timers.after(retryInterval, advance);
    });
  };

  const sendReset = (subscriber: Subscriber, reason: string): void => {
    subscriber.position = { seq: head, index: undefined };
    subscriber.push(createStreamEvent(logID, 'reset', subscriber.position, () => renderProperties({ reason })));
  };

  const nextTurn = (): Promise<void> => new Promise((resolve) => timers.soon(resolve));

  const goLive = (subscriber: Subscriber): void => {
    subscriber.isLive = true;
    for (const set of liveSets(subscriber)) set.add(subscriber);
    subscriber.push(createHeartbeat());
  };

  const fail = (subscriber: Subscriber, error: unknown): void => {
    report(error);
    subscriber.end(closedEvent('failed'));
  };

  const replay = createReplay({
    longWork,
    soon: timers.soon,
    head: () => head,
    load: (seq) => {
      const cached = cache.get(seq);
      if (cached !== undefined) return cached;
      const store = (entries: readonly LogEntry[] | undefined): EntryEvents | undefined => {
        for (const entry of entries ?? []) cache.add(entry);
        return cache.get(seq);
      };
      const entries = log.read(seq - 1, known);
      return entries instanceof Promise ? entries.then(store) : store(entries);
    },
    onCaughtUp: goLive,
    onLost: (subscriber) => {
      sendReset(subscriber, 'the events after this ID are no longer stored');
      goLive(subscriber);
    },
    onFailed: fail,
  });

  const start = async (subscriber: Subscriber, lastEventId: string | undefined): Promise<void> => {
    const position = lastEventId === undefined ? undefined : parseEventID(logID, lastEventId);
    // Another process of this node may have sent entries that this one has not read yet.
    while (position !== undefined && position.seq > head && position.seq <= (await log.last()) && !subscriber.hasEnded()) {
      advance();
      await nextTurn();
    }
    if (lastEventId !== undefined && position === undefined) sendReset(subscriber, 'the ID is not one of this stream');
    if (position !== undefined) subscriber.position = position;
    const { seq, index } = subscriber.position;
    if (seq === head && index === undefined) goLive(subscriber);
    else replay.start(subscriber);
  };

  return {
    subscribe: async (filter, lastEventId) => {
      if (isClosed || all.size >= maxSubscribers) return undefined;
      // The hub may become inactive during the wait, if the other clients go.
      for (let mine = activate(); ; mine = activate()) {
        await mine;
        if (mine === active) break;
      }
      if (isClosed) return undefined;
      const overflow = () => closedEvent('too-slow');
      const subscriber = createSubscriber({ filter, position: { seq: head, index: undefined }, overflow, held, limit: deps.maxQueued });
      all.add(subscriber);
      advance();
      start(subscriber, lastEventId).catch((error: unknown) => fail(subscriber, error));
      return subscriber;
    },
    unsubscribe: (subscriber) => {
      subscriber.disconnect();
      remove(subscriber);
    },
    advance,
    sendLive: (kind, properties, subject, lastEntry) => {
      if (all.size === 0) return;
      const wanting = [...all].filter((subscriber) => subscriber.isLive && wantsKind(subscriber.filter, kind));
      if (wanting.length === 0) return;
      const event = createStreamEvent(logID, kind, undefined, properties, subject?.());
      const send = (): void => {
        for (const subscriber of wanting)
          if (event.subject === undefined || matchesSubject(subscriber.filter, event.subject)) subscriber.push(event);
      };
      const after = lastEntry?.() ?? head;
      if (after > head && waitingLive.length < maxWaitingLive) waitingLive.push({ after, send });
      else send();
    },
    size: () => all.size,
    position: async () => formatEventID(await log.id(), { seq: await log.last(), index: undefined }),
    close: () => {
      isClosed = true;
      cancelHeartbeat();
      for (const subscriber of all) subscriber.end(closedEvent('stopping'));
    },
  };
}

const closedMessages = {
  'too-slow': 'the client did not read its events in time; reconnect with the last ID',
  failed: 'the server could not read past events; reconnect with the last ID',
  stopping: 'the server stops; reconnect with the last ID',
} as const;

function getOrAdd(sets: Map<Address, Set<Subscriber>>, owner: Address): Set<Subscriber> {
  const found = sets.get(owner) ?? new Set();
  sets.set(owner, found);
  return found;
}

/** Live events that wait for entries of the log to be read. */
const maxWaitingLive = 10_000;
