import type { Id } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { createAudience, sendMatching, wantingKind } from './audience.ts';
import type { EventLog, KnownBlocks } from './event-log.ts';
import type { Filter } from './filter.ts';
import { createLogReader } from './log-reader.ts';
import { formatEventID, parseEventID } from './position.ts';
import type { ChainText } from './render-entry.ts';
import { createReplay } from './replay.ts';
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
  const { timers, onActive, report } = deps;
  const { heartbeat = defaultHeartbeat, maxSubscribers = defaultMaxSubscribers, maxHeld = defaultMaxHeld } = deps;
  const audience = createAudience(maxHeld);
  const { all, held } = audience;
  const log = createLogReader(deps.log, deps.textOf, deps.known);
  const waitingLive = createWaitingLive();
  let isAdvancing = false;
  let advanceAgain = false;
  let isClosed = false;
  let cancelHeartbeat = (): void => {};

  const closedEvent = (reason: keyof typeof closedMessages): StreamEvent =>
    createStreamEvent(log.id(), 'closed', undefined, () => renderProperties({ reason, message: closedMessages[reason] }));
  const headPosition = () => ({ seq: log.head(), index: undefined });
  /** Only for live clients: they have all entries up to the head. */
  const createHeartbeat = (): StreamEvent => createStreamEvent(log.id(), 'heartbeat', headPosition(), () => '');
  const beat = (): void => {
    cancelHeartbeat = timers.after(heartbeat, () => {
      // A client with waiting events needs no sign of life, and one that reads past events has its own pace.
      const event = createHeartbeat();
      for (const subscriber of audience.live()) if (subscriber.queuedBytes() === 0) subscriber.push(event);
      beat();
    });
  };

  /** Resolves when the hub is ready for clients; set while it has some. */
  let active: Promise<void> | undefined;
  const activate = (): Promise<void> => {
    active ??= (async () => {
      onActive?.(true);
      try {
        await log.skipToEnd();
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
    waitingLive.clear();
    log.clear();
    onActive?.(false);
  };

  /** Reads new entries and sends them. One run at a time: calls during a run make it read once more. */
  const run = async (): Promise<void> => {
    isAdvancing = true;
    try {
      do {
        advanceAgain = false;
        const entries = await log.readNew();
        if (entries === undefined) await skipLostEntries();
        for (const entry of entries ?? []) {
          // The head has changed during the read if all clients went and another one came.
          if (entry.seq !== log.head() + 1) continue;
          audience.send(log.eventsOf(entry));
          log.setHead(entry.seq);
          waitingLive.sendUpTo(entry.seq);
        }
        if (entries?.length) advanceAgain = true;
        if (advanceAgain) await nextTurn();
      } while (advanceAgain && all.size > 0);
    } finally {
      isAdvancing = false;
    }
  };
  const skipLostEntries = async (): Promise<void> => {
    await log.skipToEnd();
    log.clear();
    waitingLive.sendUpTo(log.head());
    for (const subscriber of audience.live()) sendReset(subscriber, 'the log of events was started anew');
  };
  const advance = (): void => {
    advanceAgain = true;
    if (isAdvancing || all.size === 0 || isClosed) return;
    run().catch((error: unknown) => {
      report(error);
      timers.after(retryInterval, advance);
    });
  };
  const nextTurn = (): Promise<void> => new Promise((resolve) => timers.soon(resolve));

  const sendReset = (subscriber: Subscriber, reason: string): void => {
    subscriber.position = headPosition();
    subscriber.push(createStreamEvent(log.id(), 'reset', subscriber.position, () => renderProperties({ reason })));
  };
  const goLive = (subscriber: Subscriber): void => {
    audience.goLive(subscriber);
    subscriber.push(createHeartbeat());
  };
  const fail = (subscriber: Subscriber, error: unknown): void => {
    report(error);
    subscriber.end(closedEvent('failed'));
  };
  const replay = createReplay({
    longWork: deps.longWork,
    soon: timers.soon,
    head: log.head,
    load: log.load,
    onCaughtUp: goLive,
    onLost: (subscriber) => {
      sendReset(subscriber, 'the events after this ID are no longer stored');
      goLive(subscriber);
    },
    onFailed: fail,
  });

  const start = async (subscriber: Subscriber, lastEventId: string | undefined): Promise<void> => {
    const position = lastEventId === undefined ? undefined : parseEventID(log.id(), lastEventId);
    // Another process of this node may have sent entries that this one has not read yet.
    while (position !== undefined && position.seq > log.head() && position.seq <= (await log.last()) && !subscriber.hasEnded()) {
      advance();
      await nextTurn();
    }
    if (lastEventId !== undefined && position === undefined) sendReset(subscriber, 'the ID is not one of this stream');
    if (position !== undefined) subscriber.position = position;
    const { seq, index } = subscriber.position;
    if (seq === log.head() && index === undefined) goLive(subscriber);
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
      const subscriber = createSubscriber({ filter, position: headPosition(), overflow, held, limit: deps.maxQueued });
      audience.add(subscriber);
      advance();
      start(subscriber, lastEventId).catch((error: unknown) => fail(subscriber, error));
      return subscriber;
    },
    unsubscribe: (subscriber) => {
      subscriber.disconnect();
      if (audience.remove(subscriber) && all.size === 0) deactivate();
    },
    advance,
    sendLive: (kind, properties, subject, lastEntry) => {
      const wanting = all.size === 0 ? [] : wantingKind(audience, kind);
      if (wanting.length === 0) return;
      const event = createStreamEvent(log.id(), kind, undefined, properties, subject?.());
      waitingLive.sendAfter(lastEntry?.() ?? log.head(), log.head(), () => sendMatching(wanting, event));
    },
    size: () => all.size,
    position: async () => formatEventID(await deps.log.id(), { seq: await deps.log.last(), index: undefined }),
    close: () => {
      isClosed = true;
      cancelHeartbeat();
      for (const subscriber of all) subscriber.end(closedEvent('stopping'));
    },
  };
}

/** Live events that wait for entries of the log to be read. */
const maxWaitingLive = 10_000;

/** Live events that came after entries that are not sent yet, which they must not overtake. */
function createWaitingLive() {
  const waiting: { readonly after: number; readonly send: () => void }[] = [];
  return {
    sendAfter: (after: number, head: number, send: () => void): void => {
      if (after > head && waiting.length < maxWaitingLive) waiting.push({ after, send });
      else send();
    },
    sendUpTo: (head: number): void => {
      while (waiting[0] !== undefined && waiting[0].after <= head) waiting.shift()?.send();
    },
    clear: (): void => {
      waiting.length = 0;
    },
  };
}

const closedMessages = {
  'too-slow': 'the client did not read its events in time; reconnect with the last ID',
  failed: 'the server could not read past events; reconnect with the last ID',
  stopping: 'the server stops; reconnect with the last ID',
} as const;
