import type { Id } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { createArrivals } from './arrivals.ts';
import { createAudience } from './audience.ts';
import type { EventLog, KnownBlocks } from './event-log.ts';
import type { Filter } from './filter.ts';
import { createHubEvents } from './hub-events.ts';
import { createActivation, createHeartbeats, createWakes, watchAdmission } from './hub-timing.ts';
import { createLogReader } from './log-reader.ts';
import { createLogSender } from './log-sender.ts';
import { formatEventID } from './position.ts';
import type { ChainText } from './render-entry.ts';
import { createStreamEvent, type RenderProperties, type StreamEvent } from './stream-event.ts';
import { createSubscriber, type Subscriber } from './subscriber.ts';

export type EventHub = ReturnType<typeof createEventHub>;

/** Kinds of events that are in no log: only clients that are connected get them. */
export type LiveKind = 'mempool' | 'time' | 'settings' | 'calls' | 'health';

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
  readonly logError: (error: unknown) => void;
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

/** Sends the events of the log, and live events, to the subscribers of this process. Without subscribers it does nothing. */
export function createEventHub(deps: HubDeps) {
  const { longWork, timers, onActive, logError } = deps;
  const { heartbeat = defaultHeartbeat, maxSubscribers = defaultMaxSubscribers, maxHeld = defaultMaxHeld } = deps;
  const audience = createAudience(maxHeld);
  const { all, held } = audience;
  const log = createLogReader(deps.log, deps.textOf, deps.known);
  const events = createHubEvents(log);
  const wake = createWakes({ longWork, timers, logError });
  let isClosed = false;

  const nextTurn = (): Promise<void> => new Promise((resolve) => timers.soon(resolve));
  const sender = createLogSender({
    log,
    audience,
    longWork,
    nextTurn,
    onLost: (subscriber) => events.sendReset(subscriber, 'the log of events was started anew'),
    onMissed: (subscriber) => events.sendReset(subscriber, 'too many events waited for the log'),
  });
  let cancelRetry = (): void => {};
  /** Reports that the log could not be read, and reads it again after some time: once, however many calls have failed. */
  const watch = (sending: Promise<void>): void =>
    void sending.catch((error: unknown) => {
      logError(error);
      cancelRetry();
      cancelRetry = timers.after(retryInterval, () => advance());
    });
  const advance = (): void => {
    if (!isClosed) watch(sender.advance());
  };

  const arrivals = createArrivals({ log, audience, events, longWork, soon: timers.soon, nextTurn, advance, logError });
  const heartbeats = createHeartbeats(audience, events.heartbeat, (run) => timers.after(heartbeat, () => watch(sender.whenSent(run))));
  const activation = createActivation(
    async () => {
      onActive?.(true);
      await log.skipToEnd();
      if (!isClosed) heartbeats.start();
    },
    () => {
      heartbeats.stop();
      sender.clear();
      log.clear();
      onActive?.(false);
    },
  );

  return {
    /**
     * Adds a client. It gets the events after `lastEventId`, or only new ones; undefined if there are too many clients. `stillAdmits` is asked
     * every second; when it says no, the stream ends.
     */
    subscribe: async (
      filter: Filter,
      lastEventId: string | undefined,
      stillAdmits?: () => Promise<boolean>,
    ): Promise<Subscriber | undefined> => {
      if (isClosed || all.size >= maxSubscribers) return undefined;
      await activation.begin();
      if (isClosed) return undefined;
      const overflow = () => events.closed('too-slow');
      const subscriber = createSubscriber({ filter, position: events.headPosition(), overflow, held, wake, limit: deps.maxQueued });
      audience.add(subscriber);
      advance();
      arrivals.start(subscriber, lastEventId);
      if (stillAdmits !== undefined) watchAdmission(subscriber, stillAdmits, () => events.closed('key-invalid'), timers, logError);
      return subscriber;
    },
    /** Removes a client that has disconnected. */
    unsubscribe: (subscriber: Subscriber): void => {
      subscriber.disconnect();
      if (audience.remove(subscriber) && all.size === 0) activation.end();
    },
    /** Called when the log has new entries. */
    advance,
    /**
     * Sends an event that is not in the log. Nothing is rendered unless a client wants it. Each client gets the event after the entry of the log that was
     * the last one when the event happened; `lastEntry` returns the number of that entry.
     */
    sendLive: (
      kind: LiveKind,
      properties: RenderProperties,
      subject?: () => NonNullable<StreamEvent['subject']>,
      lastEntry?: () => number,
    ): void => {
      if (all.size === 0 || !audience.wantsKind(kind)) return;
      const event = createStreamEvent(log.id(), kind, undefined, properties, subject?.());
      watch(sender.sendLive(event, lastEntry?.() ?? log.head()));
    },
    size: (): number => all.size,
    /** The ID of the position after the last entry of the log. */
    position: async (): Promise<string> => formatEventID(await deps.log.id(), { entry: await deps.log.last(), index: undefined }),
    /** Ends all streams with a last event. */
    close: (): void => {
      isClosed = true;
      heartbeats.stop();
      for (const subscriber of all) subscriber.end(events.closed('stopping'));
    },
  };
}
