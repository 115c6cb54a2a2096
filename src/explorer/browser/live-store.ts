import { isAfter } from '../../api/events/position.ts';
import type { HomeData, TapeBlock } from '../load/load-home.ts';
import { rowCount } from '../load/load-home.ts';
import type { TxRow } from '../load/tx-row.ts';
import type { LiveList, LiveView } from '../views/live.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { eventHref, eventText } from './event-text.ts';
import { createSecondCounts } from './second-counts.ts';
import { type AssetLabel, rowOfEvent, type StreamEvent, withLabels } from './stream-events.ts';

/** Blocks kept for the tape and the sparkline; transactions kept for the list and its filters. */
const maxBlocks = 600;
const maxRows = 60;
const maxLog = 12;
/** More new rows than this in one frame are not marked as new: every row would be, at a cost in every frame. */
const maxFresh = 4;
/** Events that are kept to be applied again to a page that was loaded again. */
const maxRecent = 2000;
/** Milliseconds after which figures that are behind the last block say as of when they are. */
const figuresDelay = 4000;
const noRows: ReadonlySet<string> = new Set();

type State = Pick<LiveView, 'status' | 'lostAt' | 'blocks' | 'pending' | 'fresh' | 'isBusy' | 'log' | 'reverted'> & {
  /** All transactions, newest first; the list shows the first `rowCount`, while it is paused those of the time when it was paused. */
  readonly rows: readonly TxRow[];
};

/**
 * What the event stream adds to a page, folded from events. One event costs little; a frame renders once. `sentAt`: when the server sent the first page, on the same clock as
 * `monotonic`.
 */
export function createLiveStore(first: PagePayload, monotonic: () => number, sentAt: number) {
  const labels = new Map<string, AssetLabel>();
  const labelOf = (id: string): AssetLabel | undefined => labels.get(id);
  const { feeAsset, feeSymbol, feeDecimals } = first.context.chain;
  labels.set(feeAsset, { symbol: feeSymbol, denomination: feeDecimals });
  const pool = createPoolCount();
  const seconds = createSecondCounts();
  const clock = createPageClock(monotonic);
  clock.set(first.now, first.dev?.isFrozen === true, sentAt);
  const { now } = clock;
  const paused = createPausedList();
  let eventCount = 0;
  /** Height of the last block that this page knows. */
  let lastHeight = first.height ?? 0;
  /** The last page that was loaded, and when. */
  let loaded = { payload: first, at: monotonic() };
  /** The latest events with an ID, oldest first: a page that is loaded while they come may not show all of them. */
  let recent: StreamEvent[] = [];
  let isGap = false;
  let state: State = fromPayload(first, { status: 'connecting', lostAt: undefined, reverted: undefined, log: [] });

  function fromPayload(payload: PagePayload, kept: Pick<State, 'status' | 'lostAt' | 'reverted' | 'log'>): State {
    const home = payload.view === 'home' ? (payload.data as HomeData) : undefined;
    pool.restart(home?.pending ?? 0);
    seconds.restart(home);
    for (const { summary } of home?.txs ?? [])
      for (const { assetId, symbol, denomination } of summary.amounts)
        if (symbol !== undefined && denomination !== undefined) labels.set(assetId, { symbol, denomination });
    const { status, lostAt, reverted, log } = kept;
    return {
      status,
      lostAt,
      blocks: home?.blocks ?? [],
      rows: home?.txs ?? [],
      pending: home?.pending,
      fresh: noRows,
      isBusy: false,
      log,
      reverted,
    };
  }

  /** Applies events, newest last. */
  const fold = (events: readonly StreamEvent[]): void => {
    let { blocks, rows, reverted } = state;
    const newBlocks: TapeBlock[] = [];
    const newRows: TxRow[] = [];
    for (const event of events) {
      if ('chainID' in event && event.chainID !== first.context.chain.id) continue;
      if (event.kind === 'block') {
        newBlocks.push({ height: event.height, id: event.blockID, time: event.time, txs: event.txIDs.length });
        if (event.height > lastHeight + 1) isGap = true;
        lastHeight = Math.max(lastHeight, event.height);
      }
      if (event.kind === 'tx') {
        pool.leave(event.txID);
        seconds.add(event.txType, event);
        newRows.push(rowOfEvent(event, labelOf));
        if (newRows.length > maxRows) newRows.shift();
      }
      if (event.kind === 'mempool') pool[event.action === 'in' ? 'enter' : 'leave'](event.txID);
      if (event.kind === 'time') clock.set(event.time, event.frozen);
      if (event.kind === 'reverted') {
        const { height, snapshot } = event;
        const gone = [...blocks, ...newBlocks].filter((one) => one.height > height);
        const count = Math.max(0, lastHeight - height);
        const txs = gone.length === count ? gone.reduce((sum, one) => sum + one.txs, 0) : undefined;
        reverted = { height, snapshot, blocks: count, txs };
        lastHeight = height;
        seconds.revert(height);
        const isKept = (one: { height: number }): boolean => one.height <= height;
        blocks = blocks.filter(isKept);
        rows = rows.filter(isKept);
        paused.filter(isKept);
        newBlocks.splice(0, newBlocks.length, ...newBlocks.filter(isKept));
        newRows.splice(0, newRows.length, ...newRows.filter(isKept));
        pool.restart(0);
      }
    }
    seconds.forget(now());
    const known = new Set(blocks.map(({ id }) => id));
    const knownRows = new Set(rows.map(({ id }) => id));
    const freshRows = newRows.reverse().filter(({ id }) => !knownRows.has(id));
    state = {
      ...state,
      blocks: [...newBlocks.reverse().filter(({ id }) => !known.has(id)), ...blocks].slice(0, maxBlocks),
      rows: [...freshRows, ...rows].slice(0, maxRows),
      fresh: freshRows.length > maxFresh ? noRows : freshRows.length > 0 ? new Set(freshRows.map(({ id }) => id)) : state.fresh,
      isBusy: freshRows.length === 0 ? state.isBusy : freshRows.length > maxFresh,
      pending: state.pending === undefined ? undefined : pool.count(),
      reverted,
    };
  };

  /** Applies the events of one frame. */
  const apply = (events: readonly StreamEvent[]): void => {
    const logged = events
      .slice(-maxLog)
      .map((event) => ({ number: ++eventCount, time: now(), kind: event.kind, text: eventText(event), href: eventHref(event) }));
    recent = [...recent, ...events.filter(({ id }) => id !== undefined)].slice(-maxRecent);
    fold(events);
    state = { ...state, log: [...logged.reverse(), ...state.log].slice(0, maxLog) };
  };

  const view = (onChange: () => void, isGone: boolean): LiveView => {
    const isBehind = lastHeight > (loaded.payload.height ?? 0) && monotonic() - loaded.at > figuresDelay;
    return {
      ...state,
      ...paused.view(state.rows, onChange),
      seconds: seconds.counts(),
      figuresAsOf: isBehind ? loaded.payload.now : undefined,
      isGone,
      now: now(),
    };
  };

  return {
    now,
    apply,
    view,
    addLabel: (id: string, label: AssetLabel) => {
      labels.set(id, label);
      const relabel = (row: TxRow): TxRow => withLabels(row, labelOf);
      state = { ...state, rows: state.rows.map(relabel) };
      paused.map(relabel);
    },
    /** Assets in the list whose symbol is not known yet. */
    unknownAssets: (): string[] => [
      ...new Set(
        state.rows.flatMap(({ summary }) => summary.amounts.flatMap(({ assetId, symbol }) => (symbol === undefined ? [assetId] : []))),
      ),
    ],
    setStatus: (status: LiveView['status']): boolean => {
      const isNew = state.status !== status;
      if (isNew) state = { ...state, status, lostAt: status === 'lost' ? now() : undefined };
      return isNew;
    },
    /** Whether blocks are missing between those of the page and those of the stream. The page must then be loaded again. */
    takeGap: (): boolean => {
      const found = isGap;
      isGap = false;
      return found;
    },
    /** Starts again from a page that was loaded again, and applies the events that came meanwhile. */
    restart: (payload: PagePayload): void => {
      clock.set(payload.now, payload.dev?.isFrozen === true);
      lastHeight = payload.height ?? lastHeight;
      loaded = { payload, at: monotonic() };
      const { fresh, isBusy } = state;
      state = { ...fromPayload(payload, state), fresh, isBusy };
      const { position } = payload;
      recent = position === undefined ? [] : recent.filter(({ id }) => id !== undefined && isAfter(id, position));
      isGap = false;
      fold(recent);
    },
  };
}

/** The number of transactions in the mempool: those that entered since the page was loaded, and those that were there before. */
function createPoolCount() {
  const entered = new Set<string>();
  let before = 0;
  return {
    restart: (count: number): void => {
      entered.clear();
      before = count;
    },
    enter: (txID: string): void => void entered.add(txID),
    leave: (txID: string): void => {
      if (!entered.delete(txID) && before > 0) before--;
    },
    count: (): number => before + entered.size,
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
