import { type Id, idFromBytes, idText, idToBytes } from '../bytes/id.ts';
import { versionSize } from '../codec/pack.ts';
import { IndexError } from '../index/fault.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { fetchRowGroups, fetchRows, type Query, type Steps } from '../index/steps.ts';
import type { Tables } from '../state/schema.ts';
import type { BlockEntry, BlockQuery, PinnedBlock, TimeRange } from './index-reads.ts';

/** Queries for blocks and pinned blocks. */
export type BlockReads = {
  readonly tip: () => Steps<PinnedBlock>;
  readonly pinAtHeight: (height: number) => Steps<PinnedBlock | undefined>;
  readonly pinBeforeTime: (time: number) => Steps<PinnedBlock | undefined>;
  readonly completeFrom: () => Steps<number>;
  readonly block: (which: { readonly height: number } | { readonly id: Id }) => Steps<BlockEntry | undefined>;
  readonly blockHeights: (query: BlockQuery) => Steps<number[]>;
  readonly blocks: (heights: readonly number[]) => Steps<BlockEntry[]>;
  /** The last block before `from` and the last block before `to`; undefined where there is no bound or no block. */
  readonly bounds: (times: TimeRange) => Steps<TimeBounds>;
};

type TimeBounds = { readonly before: PinnedBlock | undefined; readonly last: PinnedBlock | undefined };

const noBounds: TimeBounds = { before: undefined, last: undefined };

export function createBlockReads(t: Tables, chainID: Id): BlockReads {
  // Genesis transactions are in no block; they count as transactions of block 0.
  const pins = `SELECT height, id, time, CASE WHEN height = 0
    THEN coalesce((SELECT first_tx - 1 FROM ${t.block} WHERE height = 1), (SELECT max(seq) FROM ${t.tx}), 0)
    ELSE first_tx + tx_count - 1 END AS last_tx FROM ${t.block}`;
  const progress = 'SELECT height, complete_from FROM progress WHERE chain = ?';
  const chain = idToBytes(chainID);
  const tipQuery: Query = { text: `${pins} WHERE height = (SELECT height FROM progress WHERE chain = ?)`, values: [chain] };
  const pinAtQuery = (height: number): Query => ({ text: `${pins} WHERE height = ?`, values: [height] });
  const pinBeforeQuery = (time: number): Query => ({
    text: `${pins} WHERE time < ? ORDER BY time DESC, height DESC LIMIT 1`,
    values: [time],
  });
  const columns = `SELECT height, id, header, first_tx, tx_count, time FROM ${t.block}`;
  const byId = `${columns} WHERE id = ?`;
  const byHeights = keyLookup((keys) => `${columns} WHERE height IN (${keys})`);
  const heights = {
    asc: `SELECT height FROM ${t.block} WHERE height >= ? AND height <= ? ORDER BY height LIMIT ? + 0`,
    desc: `SELECT height FROM ${t.block} WHERE height >= ? AND height <= ? ORDER BY height DESC LIMIT ? + 0`,
  };
  const txsFrom = `SELECT id, length(bytes) AS size FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`;

  function* tip(): Steps<PinnedBlock> {
    const [row] = yield* fetchRows<PinRow>([tipQuery]);
    if (row === undefined)
      throw new IndexError(`no block of chain ${idText(chainID)} is indexed yet`, { code: 'INDEX_EMPTY', chainID: idText(chainID) });
    return pinOf(row);
  }

  /** Limits a pinned block to the last indexed one: while the index catches up, the chain's own tables are ahead of it. */
  function* limitToIndexed(query: Query): Steps<PinnedBlock | undefined> {
    const rows = yield* fetchRowGroups({ found: [query], tip: [tipQuery] });
    const [[found], [last]] = [rows.found as PinRow[], rows.tip as PinRow[]];
    if (found === undefined || last === undefined) return undefined;
    return pinOf(found.height <= last.height ? found : last);
  }

  function* bounds({ from, to }: TimeRange): Steps<TimeBounds> {
    if (from === undefined && to === undefined) return noBounds;
    const queryOf = (time: number | undefined) => (time === undefined ? [] : [pinBeforeQuery(time)]);
    const rows = yield* fetchRowGroups({ before: queryOf(from), last: queryOf(to), tip: [tipQuery] });
    const [tipRow] = rows.tip as PinRow[];
    const limited = ([found]: PinRow[]) =>
      found === undefined || tipRow === undefined ? undefined : pinOf(found.height <= tipRow.height ? found : tipRow);
    return { before: limited(rows.before as PinRow[]), last: limited(rows.last as PinRow[]) };
  }

  function* entries(rows: readonly BlockRow[]): Steps<BlockEntry[]> {
    const ranges = txRanges(rows);
    const txs = (yield ranges.map(({ first, end }) => ({ text: txsFrom, values: [first, end] }))) as readonly (readonly TxSizeRow[])[];
    return rows.map((row) => {
      const at = ranges.findIndex(({ first, end }) => first <= row.first_tx && row.first_tx < end);
      const start = row.first_tx - (ranges[at]?.first ?? row.first_tx);
      const own = txs[at]?.slice(start, start + row.tx_count) ?? [];
      return {
        height: row.height,
        id: row.id,
        parentID: row.header.subarray(parentOffset, parentOffset + 32),
        time: row.time,
        size: own.reduce((sum, { size }) => sum + size - versionSize, row.header.length),
        txIDs: own.map(({ id }) => id),
      };
    });
  }

  return {
    tip,
    pinAtHeight: function* (height) {
      const pin = yield* limitToIndexed(pinAtQuery(height));
      return pin?.height === height ? pin : undefined;
    },
    pinBeforeTime: (time) => limitToIndexed(pinBeforeQuery(time)),
    completeFrom: function* () {
      const [row] = yield* fetchRows<{ complete_from: number }>([{ text: progress, values: [chain] }]);
      return row?.complete_from ?? 0;
    },
    block: function* (which) {
      const queries = 'id' in which ? [{ text: byId, values: [idToBytes(which.id)] }] : byHeights([which.height]);
      const [row] = yield* fetchRows<BlockRow>(queries);
      return row && (yield* entries([row]))[0];
    },
    blockHeights: function* ({ pin, times, after, order, limit }) {
      const { before, last } = yield* bounds(times);
      let lowest = before === undefined ? 0 : before.height + 1;
      let highest = times.to === undefined ? pin.height : Math.min(pin.height, last?.height ?? -1);
      if (after !== undefined && order === 'asc') lowest = Math.max(lowest, after + 1);
      if (after !== undefined && order === 'desc') highest = Math.min(highest, after - 1);
      const rows = yield* fetchRows<{ height: number }>([{ text: heights[order], values: [lowest, highest, limit] }]);
      return rows.map(({ height }) => height);
    },
    blocks: function* (wanted) {
      const rows = yield* fetchRows<BlockRow>(byHeights(wanted));
      const byHeight = new Map((yield* entries(rows)).map((entry) => [entry.height, entry]));
      return wanted.map((height) => byHeight.get(height) as BlockEntry);
    },
    bounds,
  };
}

/** Ranges of numbers that cover the transactions of blocks. Transactions of consecutive blocks have consecutive numbers. */
function txRanges(rows: readonly BlockRow[]): { readonly first: number; readonly end: number }[] {
  const ranges: { first: number; end: number }[] = [];
  const sorted = rows.filter(({ tx_count }) => tx_count > 0).sort((a, b) => a.first_tx - b.first_tx);
  for (const { first_tx, tx_count } of sorted) {
    const last = ranges[ranges.length - 1];
    if (last !== undefined && first_tx <= last.end) last.end = Math.max(last.end, first_tx + tx_count);
    else ranges.push({ first: first_tx, end: first_tx + tx_count });
  }
  return ranges;
}

type TxSizeRow = { readonly id: Uint8Array; readonly size: number };

/** Offset of the parent ID in a block header: after version and type. */
const parentOffset = 6;

type PinRow = { readonly height: number; readonly id: Uint8Array; readonly time: number; readonly last_tx: number };

const pinOf = ({ height, id, time, last_tx }: PinRow): PinnedBlock => ({ height, id: idFromBytes(id), time, lastTx: last_tx });

type BlockRow = {
  readonly height: number;
  readonly id: Uint8Array;
  readonly header: Uint8Array;
  readonly first_tx: number;
  readonly tx_count: number;
  readonly time: number;
};
