import type { LongWork } from '../../base/timing/long-work.ts';
import type { Audience } from './audience.ts';
import type { createHubEvents } from './hub-events.ts';
import type { LogReader } from './log-reader.ts';
import { parseEventID } from './position.ts';
import { createReplay } from './replay.ts';
import type { Subscriber } from './subscriber.ts';

/**
 * Brings new clients from the last event they know to the head of the log, where they are live. `advance`: reads and sends the new entries of
 * the log.
 */
export function createArrivals({
  log,
  audience,
  events,
  longWork,
  soon,
  nextTurn,
  advance,
  logError,
}: {
  readonly log: LogReader;
  readonly audience: Pick<Audience, 'goLive'>;
  readonly events: ReturnType<typeof createHubEvents>;
  readonly longWork: LongWork;
  readonly soon: (run: () => void) => void;
  readonly nextTurn: () => Promise<void>;
  readonly advance: () => void;
  readonly logError: (error: unknown) => void;
}) {
  const goLive = (subscriber: Subscriber): void => {
    audience.goLive(subscriber);
    subscriber.push(events.heartbeat());
  };
  const fail = (subscriber: Subscriber, error: unknown): void => {
    logError(error);
    subscriber.end(events.closed('failed'));
  };
  const replay = createReplay({
    longWork,
    soon,
    head: log.head,
    load: log.load,
    onCaughtUp: goLive,
    onLost: (subscriber) => {
      events.sendReset(subscriber, 'the events after this ID are no longer stored');
      goLive(subscriber);
    },
    onFailed: fail,
  });

  const resume = async (subscriber: Subscriber, lastEventId: string | undefined): Promise<void> => {
    const position = lastEventId === undefined ? undefined : parseEventID(log.id(), lastEventId);
    // Another process of this node may have sent entries that this one has not read yet.
    while (position !== undefined && position.entry > log.head() && position.entry <= (await log.last()) && !subscriber.hasEnded()) {
      advance();
      await nextTurn();
    }
    if (lastEventId !== undefined && position === undefined) events.sendReset(subscriber, 'the ID is not one of this stream');
    if (position !== undefined) subscriber.position = position;
    const { entry, index } = subscriber.position;
    if (entry === log.head() && index === undefined) goLive(subscriber);
    else replay.start(subscriber);
  };

  return {
    /** Starts a client after the event with this ID, or at the head. */
    start: (subscriber: Subscriber, lastEventId: string | undefined): void =>
      void resume(subscriber, lastEventId).catch((error: unknown) => fail(subscriber, error)),
  };
}
