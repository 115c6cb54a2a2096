import type { HomeData, PendingSum, TapeBlock } from '../load/load-home.ts';
import type { TxRow } from '../load/tx-row.ts';
import type { LiveView } from '../views/live.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { createSecondCounts } from './second-counts.ts';
import { type AssetLabel, rowOfEvent, type StreamEvent, withLabels } from './stream-events.ts';

/** Blocks kept for the tape and the sparkline; transactions kept for the list and its filters. */
const maxBlocks = 600;
const maxRows = 60;
/** More new rows than this in one frame are not marked as new: every row would be, at a cost in every frame. */
const maxFresh = 4;
const noRows: ReadonlySet<string> = new Set();

type TapeState = Pick<LiveView, 'blocks' | 'pending' | 'fresh' | 'isBusy' | 'reverted'> & {
  /** All transactions, newest first. */
  readonly rows: readonly TxRow[];
};

type TapeEvents = {
  readonly onTime: (time: number, isFrozen: boolean) => void;
  readonly onReverted: (isKept: (one: { readonly height: number }) => boolean) => void;
};

/** The newest blocks and transactions: those of the loaded page, and what events add. */
export function createLiveTape(first: PagePayload, now: () => number, { onTime, onReverted }: TapeEvents) {
  const { id: chainID, feeAsset, feeSymbol, feeDecimals } = first.context.chain;
  const labels = new Map<string, AssetLabel>([[feeAsset, { symbol: feeSymbol, denomination: feeDecimals }]]);
  const labelOf = (id: string): AssetLabel | undefined => labels.get(id);
  const pool = createPoolSum();
  const seconds = createSecondCounts();
  /** Height of the last block that this page knows. */
  let lastHeight = 0;
  let isGap = false;
  let state: TapeState = { blocks: [], rows: [], pending: undefined, fresh: noRows, isBusy: false, reverted: undefined };

  const restart = (payload: PagePayload): void => {
    const home = payload.view === 'home' ? (payload.data as HomeData) : undefined;
    pool.restart(home?.pending);
    seconds.restart(home);
    for (const { summary } of home?.txs ?? [])
      for (const { assetId, symbol, denomination } of summary.amounts)
        if (symbol !== undefined && denomination !== undefined) labels.set(assetId, { symbol, denomination });
    lastHeight = payload.height ?? lastHeight;
    isGap = false;
    state = { ...state, blocks: home?.blocks ?? [], rows: home?.txs ?? [], pending: home?.pending };
  };
  restart(first);

  /** Applies events, newest last. */
  const fold = (events: readonly StreamEvent[]): void => {
    let { blocks, rows, reverted } = state;
    let newBlocks: TapeBlock[] = [];
    let newRows: TxRow[] = [];
    for (const event of events) {
      if ('chainID' in event && event.chainID !== chainID) continue;
      if (event.kind === 'block') {
        newBlocks.push(blockOfEvent(event));
        if (event.height > lastHeight + 1) isGap = true;
        lastHeight = Math.max(lastHeight, event.height);
      }
      if (event.kind === 'tx') {
        pool.leave(event);
        seconds.add(event.txType, event);
        newRows.push(rowOfEvent(event, labelOf));
        if (newRows.length > maxRows) newRows.shift();
      }
      if (event.kind === 'mempool') pool[event.action === 'in' ? 'enter' : 'leave'](event);
      if (event.kind === 'time') onTime(event.time, event.frozen);
      if (event.kind === 'reverted') {
        const { height, snapshot } = event;
        const gone = [...blocks, ...newBlocks].filter((one) => one.height > height);
        const count = Math.max(0, lastHeight - height);
        const txs = gone.length === count ? gone.reduce((sum, one) => sum + one.txs, 0) : undefined;
        reverted = { height, snapshot, blocks: count, txs };
        lastHeight = height;
        seconds.revert(height);
        const isKept = (one: { readonly height: number }): boolean => one.height <= height;
        [blocks, newBlocks] = [blocks.filter(isKept), newBlocks.filter(isKept)];
        [rows, newRows] = [rows.filter(isKept), newRows.filter(isKept)];
        onReverted(isKept);
        pool.restart(undefined);
      }
    }
    seconds.forget(now());
    const known = new Set(blocks.map(({ id }) => id));
    const knownRows = new Set(rows.map(({ id }) => id));
    const freshRows = newRows.reverse().filter(({ id }) => !knownRows.has(id));
    state = {
      blocks: [...newBlocks.reverse().filter(({ id }) => !known.has(id)), ...blocks].slice(0, maxBlocks),
      rows: [...freshRows, ...rows].slice(0, maxRows),
      fresh: freshRows.length > maxFresh ? noRows : freshRows.length > 0 ? new Set(freshRows.map(({ id }) => id)) : state.fresh,
      isBusy: freshRows.length === 0 ? state.isBusy : freshRows.length > maxFresh,
      pending: state.pending === undefined ? undefined : pool.sum(),
      reverted,
    };
  };

  return {
    read: () => state,
    seconds: seconds.counts,
    lastHeight: () => lastHeight,
    restart,
    fold,
    /** Adds the label of an asset. Returns a function that adds it to a row. */
    addLabel: (id: string, label: AssetLabel): ((row: TxRow) => TxRow) => {
      labels.set(id, label);
      const relabel = (row: TxRow): TxRow => withLabels(row, labelOf);
      state = { ...state, rows: state.rows.map(relabel) };
      return relabel;
    },
    closeReverted: (): void => {
      state = { ...state, reverted: undefined };
    },
    /** Whether blocks are missing between those of the page and those of the stream. The page must then be loaded again. */
    takeGap: (): boolean => {
      const found = isGap;
      isGap = false;
      return found;
    },
  };
}

const blockOfEvent = ({ height, blockID, time, txIDs, txCountByType, sizeBytes }: Extract<StreamEvent, { kind: 'block' }>): TapeBlock => ({
  height,
  id: blockID,
  time,
  txs: txIDs.length,
  kinds: txCountByType,
  bytes: sizeBytes,
});

type PoolTx = { readonly txID: string; readonly sizeBytes: number };

/** The number and the size of the transactions in the mempool: those that entered since the page was loaded, and those that were there before. */
function createPoolSum() {
  const entered = new Map<string, number>();
  let before: PendingSum = { count: 0, bytes: 0 };
  return {
    restart: (pending: PendingSum | undefined): void => {
      entered.clear();
      before = pending ?? { count: 0, bytes: 0 };
    },
    enter: ({ txID, sizeBytes }: PoolTx): void => void entered.set(txID, sizeBytes),
    leave: ({ txID, sizeBytes }: PoolTx): void => {
      if (!entered.delete(txID) && before.count > 0) before = { count: before.count - 1, bytes: Math.max(0, before.bytes - sizeBytes) };
    },
    sum: (): PendingSum => ({
      count: before.count + entered.size,
      bytes: [...entered.values()].reduce((sum, bytes) => sum + bytes, before.bytes),
    }),
  };
}
