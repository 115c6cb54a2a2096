import { isAfter } from '../../api/events/position.ts';
import { rowCount } from '../load/load-home.ts';
import type { TxRow } from '../load/tx-row.ts';
import { groupDigits, shortId, spanText } from '../text/text-format.ts';
import type { LiveList, LiveView } from '../views/live.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { createLiveTape } from './live-tape.ts';
import type { AssetLabel, StreamEvent } from './stream-events.ts';

const maxLog = 12;
/** Events that are kept to be applied again to a page that was loaded again. */
const maxRecent = 2000;
/** Milliseconds after which figures that are behind the last block say as of when they are. */
const figuresDelay = 4000;

/**
 * What the event stream adds to a page, folded from events. One event costs little; a frame renders once. `sentAt`: when the server sent the first page, on the same clock as
 * `monotonic`.
 */
export function createLiveStore(first: PagePayload, monotonic: () => number, sentAt: number) {
  const clock = createPageClock(monotonic);
  clock.set(first.now, first.dev?.isFrozen === true, sentAt);
  const { now } = clock;
  const paused = createPausedList();
  const tape = createLiveTape(first, now, { onTime: clock.set, onReverted: paused.filter });
  let state: Pick<LiveView, 'status' | 'lostAt' | 'log'> = { status: 'connecting', lostAt: undefined, log: [] };
  let eventCount = 0;
  /** The last page that was loaded, and when. */
  let loaded = { payload: first, at: monotonic() };
  /** The latest events with an ID, oldest first: a page that is loaded while they come may not show all of them. */
  let recent: StreamEvent[] = [];

  return {
    now,
    /** Applies the events of one frame. */
    apply: (events: readonly StreamEvent[]): void => {
      const logged = events
        .slice(-maxLog)
        .map((event) => ({ number: ++eventCount, time: now(), kind: event.kind, text: eventText(event), href: eventHref(event) }));
      recent = [...recent, ...events.filter(({ id }) => id !== undefined)].slice(-maxRecent);
      tape.fold(events);
      state = { ...state, log: [...logged.reverse(), ...state.log].slice(0, maxLog) };
    },
    view: (onChange: () => void, isGone: boolean): LiveView => {
      const isBehind = tape.lastHeight() > (loaded.payload.height ?? 0) && monotonic() - loaded.at > figuresDelay;
      return {
        ...state,
        ...tape.read(),
        ...paused.view(tape.read().rows, onChange),
        closeReverted: () => {
          tape.closeReverted();
          onChange();
        },
        seconds: tape.seconds(),
        figuresAsOf: isBehind ? loaded.payload.now : undefined,
        isGone,
        now: now(),
      };
    },
    addLabel: (id: string, label: AssetLabel) => paused.map(tape.addLabel(id, label)),
    /** Assets in the list whose symbol is not known yet. */
    unknownAssets: (): string[] => {
      const amounts = tape.read().rows.flatMap(({ summary }) => summary.amounts);
      return [...new Set(amounts.flatMap(({ assetId, symbol }) => (symbol === undefined ? [assetId] : [])))];
    },
    setStatus: (status: LiveView['status']): boolean => {
      const isNew = state.status !== status;
      if (isNew) state = { ...state, status, lostAt: status === 'lost' ? now() : undefined };
      return isNew;
    },
    takeGap: tape.takeGap,
    /** The height of the last block that is known, from a page or an event. */
    lastHeight: tape.lastHeight,
    /** Starts again from a page that was loaded again, and applies the events that came meanwhile. */
    restart: (payload: PagePayload): void => {
      clock.set(payload.now, payload.dev?.isFrozen === true);
      loaded = { payload, at: monotonic() };
      const { position } = payload;
      recent = position === undefined ? [] : recent.filter(({ id }) => id !== undefined && isAfter(id, position));
      tape.restart(payload);
      tape.fold(recent);
    },
  };
}

/** The clock of the chain, which goes on from the last time that the server sent. */
function createPageClock(monotonic: () => number) {
  let last = { at: 0, time: 0, isFrozen: false };
  return {
    /** `at`: when the server sent it, on the clock of `monotonic`. */
    set: (time: number, isFrozen: boolean, at = monotonic()): void => {
      last = { at, time, isFrozen };
    },
    /** Unix seconds. */
    now: (): number => last.time + (last.isFrozen ? 0 : (monotonic() - last.at) / 1000),
  };
}

/** The list of transactions, which stands still under the pointer and while it is on hold. */
function createPausedList() {
  let held: readonly TxRow[] | undefined;
  let isPointerInside = false;
  let isHeldByKey = false;
  const isHeld = (): boolean => isHeldByKey || isPointerInside;
  return {
    filter: (isKept: (row: TxRow) => boolean): void => {
      held = held?.filter(isKept);
    },
    map: (change: (row: TxRow) => TxRow): void => {
      held = held?.map(change);
    },
    view: (all: readonly TxRow[], onChange: () => void): LiveList => {
      const rows = held ?? all;
      const newest = rows[0]?.id;
      const at = newest === undefined ? all.length : all.findIndex(({ id }) => id === newest);
      const change = (run: () => void) => (): void => {
        run();
        held = isHeld() ? (held ?? all) : undefined;
        onChange();
      };
      return {
        txs: rows.slice(0, rowCount),
        isHeld: isHeldByKey,
        waiting: held === undefined ? 0 : at < 0 ? all.length : at,
        toggleHold: change(() => {
          isHeldByKey = !isHeldByKey;
        }),
        showWaiting: change(() => {
          held = isHeld() ? all : undefined;
        }),
        onEnter: change(() => {
          isPointerInside = true;
        }),
        onLeave: change(() => {
          isPointerInside = false;
        }),
      };
    },
  };
}

/** What an event says, in a few words. */
function eventText(event: StreamEvent): string {
  if (event.kind === 'block') return `${groupDigits(event.height)} · ${groupDigits(event.txIDs.length)} tx`;
  if (event.kind === 'tx') return `${event.txType} ${shortId(event.txID)}`;
  if (event.kind === 'mempool') return `${event.action} ${shortId(event.txID)}`;
  if (event.kind === 'reverted')
    return `to block ${groupDigits(event.height)}${event.snapshot === undefined ? '' : ` · ${event.snapshot}`}`;
  if (event.kind === 'time') return `${event.offset < 0 ? '−' : '+'}${spanText(Math.abs(event.offset))}${event.frozen ? ', frozen' : ''}`;
  return event.kind === 'settings' ? event.changed : '';
}

/** The page of what an event is about. */
function eventHref(event: StreamEvent): string | undefined {
  if (event.kind === 'block') return `/block/${event.height}`;
  return event.kind === 'tx' || event.kind === 'mempool' ? `/tx/${event.txID}` : undefined;
}
