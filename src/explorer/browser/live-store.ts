import type { HomeData, TapeBlock } from '../load/load-home.ts';
import { rowCount } from '../load/load-home.ts';
import type { TxSummary } from '../load/tx-summary.ts';
import type { LiveView } from '../views/live.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { eventHref, eventText } from './event-text.ts';
import { type AssetLabel, type StreamEvent, summarizeEvent } from './stream-events.ts';

/** Blocks kept for the tape and the sparkline; transactions kept for the list and its filters. */
const maxBlocks = 600;
const maxRows = 60;
const maxLog = 12;
/** More new rows than this in one frame are not marked as new: every row would be, at a cost in every frame. */
const maxFresh = 4;
const noRows: ReadonlySet<string> = new Set();

type State = Omit<LiveView, 'now' | 'isGone' | 'toggleHold' | 'showWaiting' | 'onEnter' | 'onLeave' | 'waiting' | 'isHeld' | 'txs'> & {
  /** All transactions, newest first; the list shows the first `rowCount`, while it is paused those of the time when it was paused. */
  readonly rows: readonly TxSummary[];
};

/** What the event stream adds to a page, folded from events. One event costs little; a frame renders once. */
export function createLiveStore(first: PagePayload, monotonic: () => number) {
  const labels = new Map<string, AssetLabel>();
  const { feeAsset, feeSymbol, feeDecimals } = first.context.chain;
  labels.set(feeAsset, { symbol: feeSymbol, denomination: feeDecimals });
  /** Transactions that entered the mempool since the page was loaded, and the number of those that were there before. */
  const pending = new Set<string>();
  let pendingBefore = 0;
  /** Transactions by second, and by second and type, for the last minute. */
  const seconds = new Map<number, number>();
  const kindSeconds = new Map<number, Record<string, number>>();
  let clock = { at: monotonic(), time: first.now, isFrozen: first.dev?.isFrozen === true };
  let held: readonly TxSummary[] | undefined;
  let eventCount = 0;
  let isPointerInside = false;
  /** Height of the last block that this page knows. */
  let lastHeight = first.height ?? 0;
  let isHeldByKey = false;
  let state: State = fromPayload(first, { status: 'connecting', lostAt: undefined, reverted: undefined, log: [] });

  function fromPayload(
    payload: PagePayload,
    { status, lostAt, reverted, log }: Pick<State, 'status' | 'lostAt' | 'reverted' | 'log'>,
  ): State {
    const home = payload.view === 'home' ? (payload.data as HomeData) : undefined;
    pending.clear();
    pendingBefore = home?.pending ?? 0;
    kindSeconds.clear();
    seconds.clear();
    for (const [second, txs] of home?.seconds ?? []) seconds.set(second, txs);
    // The types of the minute before the page was loaded are known as one sum, which is counted in one second.
    if (home !== undefined) kindSeconds.set(Math.floor(payload.now), { ...home.kinds });
    for (const { amount } of home?.txs ?? []) if (amount !== undefined) labels.set(amount.assetId, amount);
    return {
      status,
      lostAt,
      blocks: home?.blocks ?? [],
      seconds,
      rows: home?.txs ?? [],
      pending: home?.pending,
      kinds: countKinds(),
      fresh: new Set(),
      isBusy: false,
      log,
      reverted,
    };
  }

  function countTx(type: string, time: number): void {
    const counts = kindSeconds.get(time) ?? {};
    counts[type] = (counts[type] ?? 0) + 1;
    kindSeconds.set(time, counts);
    seconds.set(time, (seconds.get(time) ?? 0) + 1);
  }

  function countKinds(): Record<string, number> {
    const sums: Record<string, number> = {};
    for (const [second, counts] of kindSeconds) {
      if (second <= now() - 61) kindSeconds.delete(second);
      else for (const [type, count] of Object.entries(counts)) sums[type] = (sums[type] ?? 0) + count;
    }
    for (const second of seconds.keys()) if (second <= now() - 61) seconds.delete(second);
    return sums;
  }

  function now(): number {
    return clock.time + (clock.isFrozen ? 0 : (monotonic() - clock.at) / 1000);
  }

  const leavePool = (txID: string): void => {
    if (!pending.delete(txID) && pendingBefore > 0) pendingBefore--;
  };

  /** Applies the events of one frame. */
  const apply = (events: readonly StreamEvent[]): void => {
    let { blocks, rows, reverted } = state;
    const newBlocks: TapeBlock[] = [];
    const newRows: TxSummary[] = [];
    const logged = events
      .slice(-maxLog)
      .map((event) => ({ number: ++eventCount, time: now(), kind: event.kind, text: eventText(event), href: eventHref(event) }));
    for (const event of events) {
      if ('chainID' in event && event.chainID !== first.context.chain.id) continue;
      if (event.kind === 'block') {
        newBlocks.push({ height: event.height, id: event.blockID, time: event.time, txs: event.txIDs.length });
        lastHeight = event.height;
      }
      if (event.kind === 'tx') {
        leavePool(event.txID);
        countTx(event.txType, event.time);
        newRows.push(summarizeEvent(event, (id) => labels.get(id)));
        if (newRows.length > maxRows) newRows.shift();
      }
      if (event.kind === 'mempool') {
        if (event.action === 'in') pending.add(event.txID);
        else leavePool(event.txID);
      }
      if (event.kind === 'time') clock = { at: monotonic(), time: event.time, isFrozen: event.frozen };
      if (event.kind === 'reverted') {
        const { height, snapshot } = event;
        const gone = [...blocks, ...newBlocks].filter((one) => one.height > height);
        const count = Math.max(0, lastHeight - height);
        const txs = gone.length === count ? gone.reduce((sum, one) => sum + one.txs, 0) : undefined;
        reverted = { height, snapshot, blocks: count, txs };
        lastHeight = height;
        const isKept = (one: { height: number }): boolean => one.height <= height;
        blocks = blocks.filter(isKept);
        rows = rows.filter(isKept);
        held = held?.filter(isKept);
        newBlocks.splice(0, newBlocks.length, ...newBlocks.filter(isKept));
        newRows.splice(0, newRows.length, ...newRows.filter(isKept));
        pending.clear();
        pendingBefore = 0;
      }
    }
    const known = new Set(blocks.map(({ id }) => id));
    const knownRows = new Set(rows.map(({ id }) => id));
    const freshRows = newRows.reverse().filter(({ id }) => !knownRows.has(id));
    state = {
      ...state,
      log: [...logged.reverse(), ...state.log].slice(0, maxLog),
      blocks: [...newBlocks.reverse().filter(({ id }) => !known.has(id)), ...blocks].slice(0, maxBlocks),
      rows: [...freshRows, ...rows].slice(0, maxRows),
      fresh: freshRows.length > maxFresh ? noRows : freshRows.length > 0 ? new Set(freshRows.map(({ id }) => id)) : state.fresh,
      isBusy: freshRows.length === 0 ? state.isBusy : freshRows.length > maxFresh,
      kinds: countKinds(),
      pending: state.pending === undefined ? undefined : pendingBefore + pending.size,
      reverted,
    };
  };

  const isHeld = (): boolean => isHeldByKey || isPointerInside;
  const hold = (): void => {
    held = isHeld() ? (held ?? state.rows) : undefined;
  };

  const view = (onChange: () => void, isGone: boolean): LiveView => {
    const rows = held ?? state.rows;
    const newest = rows[0]?.id;
    const at = newest === undefined ? state.rows.length : state.rows.findIndex(({ id }) => id === newest);
    const change = (run: () => void) => (): void => {
      run();
      hold();
      onChange();
    };
    return {
      ...state,
      isGone,
      now: now(),
      txs: rows.slice(0, rowCount),
      isHeld: isHeldByKey,
      waiting: held === undefined ? 0 : at < 0 ? state.rows.length : at,
      toggleHold: change(() => {
        isHeldByKey = !isHeldByKey;
      }),
      showWaiting: change(() => {
        held = isHeld() ? state.rows : undefined;
      }),
      onEnter: change(() => {
        isPointerInside = true;
      }),
      onLeave: change(() => {
        isPointerInside = false;
      }),
    };
  };

  return {
    now,
    apply,
    view,
    addLabel: (id: string, label: AssetLabel) => {
      labels.set(id, label);
      const relabel = (row: TxSummary): TxSummary => (row.amount?.assetId === id ? { ...row, amount: { ...row.amount, ...label } } : row);
      state = { ...state, rows: state.rows.map(relabel) };
      held = held?.map(relabel);
    },
    /** Assets in the list whose symbol is not known yet. */
    unknownAssets: (): string[] => [
      ...new Set(state.rows.flatMap(({ amount }) => (amount === undefined || labels.has(amount.assetId) ? [] : [amount.assetId]))),
    ],
    setStatus: (status: LiveView['status']): boolean => {
      const isNew = state.status !== status;
      if (isNew) state = { ...state, status, lostAt: status === 'lost' ? now() : undefined };
      return isNew;
    },
    /** Starts again from a page that was loaded again. */
    restart: (payload: PagePayload): void => {
      clock = { at: monotonic(), time: payload.now, isFrozen: payload.dev?.isFrozen === true };
      lastHeight = payload.height ?? lastHeight;
      state = fromPayload(payload, state);
    },
  };
}
