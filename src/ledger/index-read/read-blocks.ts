import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import { versionSize } from '../../base/codec/pack.ts';
import type { Dialect } from '../index/ddl.ts';
import { genesisTxsText } from '../index/distribution.ts';
import { type ExplorerTables, joinIdTexts } from '../index/explorer-tables.ts';
import { IndexError } from '../index/fault.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRowGroups, fetchRows, type Queries, type Query } from '../store/queries.ts';
import type { BlockEntry, PinnedBlock, QueriesOf, TimeRange } from './index-reads.ts';
import type { SingleRead } from './read-runner.ts';

/** Queries for pinned blocks. */
type PinReads = {
  readonly tip: SingleRead<PinnedBlock>;
  /** `tip`: the last indexed block if it is known; otherwise it is read too. */
  readonly pinAtHeight: (height: number, tip: PinnedBlock | undefined) => Queries<PinnedBlock | undefined>;
  readonly pinBeforeTime: (time: number, tip: PinnedBlock | undefined) => Queries<PinnedBlock | undefined>;
  /** Decided when the index is created; undefined until its first block is written. */
  readonly completeFrom: SingleRead<number | undefined>;
  /** The last block before `from` and the last block before `to`; undefined where there is no bound or no block. */
  readonly bounds: (times: TimeRange, pin: PinnedBlock) => Queries<TimeBounds>;
  /** SQL for the number of the last transaction of the last block before a time, 0 if there is none; its only value is the time. */
  readonly lastTxBefore: string;
  /** The number of the last transaction before each of the times. While the index catches up, it may not be indexed yet. */
  readonly lastTxsBefore: (times: readonly number[]) => Queries<ReadonlyMap<number, number>>;
};

/** Queries for blocks and pinned blocks. */
export type BlockReads = PinReads & QueriesOf<'block' | 'blockHeights' | 'blocks'>;

type TimeBounds = { readonly before: PinnedBlock | undefined; readonly last: PinnedBlock | undefined };

const noBounds: TimeBounds = { before: undefined, last: undefined };

function createPinReads(dialect: Dialect, t: Tables, chainID: Id): PinReads {
  // Genesis transactions are in no block; they count as transactions of block 0.
  const lastGenesisTx = dialect === 'citus' ? genesisTxsText(t) : `SELECT max(seq) FROM ${t.tx}`;
  const lastTx = `CASE WHEN height = 0 THEN coalesce((SELECT first_tx - 1 FROM ${t.block} WHERE height = 1), (${lastGenesisTx}), 0)
    ELSE first_tx + tx_count - 1 END AS last_tx`;
  const pins = `SELECT height, id, time, ${lastTx} FROM ${t.block}`;
  const progress = 'SELECT height, complete_from FROM progress WHERE chain = ?';
  const chain = idToBytes(chainID);
  const tipQuery: Query = { text: `${pins} WHERE height = (SELECT height FROM progress WHERE chain = ?)`, values: [chain] };
  const pinAtQuery = (height: number): Query => ({ text: `${pins} WHERE height = ?`, values: [height] });
  const pinBeforeQuery = (time: number): Query => ({
    text: `${pins} WHERE time < ? ORDER BY time DESC, height DESC LIMIT 1`,
    values: [time],
  });
  const lastTxsOfTimes = `WITH k(time) AS (VALUES ${Array(timesPerStatement).fill('(CAST(? AS bigint))').join(', ')})
    SELECT k.time AS before, (SELECT ${lastTx} FROM ${t.block} b WHERE b.time < k.time ORDER BY b.time DESC, b.height DESC LIMIT 1) AS last FROM k`;

  const tip: SingleRead<PinnedBlock> = {
    query: tipQuery,
    resultOf: ([row]) => {
      if (row === undefined)
        throw new IndexError(`no block of chain ${idText(chainID)} is indexed yet`, { code: 'INDEX_EMPTY', chainID: idText(chainID) });
      return pinOf(row as PinRow);
    },
  };

  /** Limits a pinned block to the last indexed one: while the index catches up, the chain's own tables are ahead of it. */
  function* limitToIndexed(query: Query, tip: PinnedBlock | undefined): Queries<PinnedBlock | undefined> {
    const [[found] = [], [last] = []] = (yield tip === undefined ? [query, tipQuery] : [query]) as readonly (readonly PinRow[])[];
    const end = tip ?? (last && pinOf(last));
    if (found === undefined || end === undefined) return undefined;
    return found.height <= end.height ? pinOf(found) : end;
  }

  function* bounds({ from, to }: TimeRange, pin: PinnedBlock): Queries<TimeBounds> {
    if (from === undefined && to === undefined) return noBounds;
    const queryOf = (time: number | undefined) => (time === undefined ? [] : [pinBeforeQuery(time)]);
    const rows = yield* fetchRowGroups({ before: queryOf(from), last: queryOf(to) });
    const limited = ([found]: PinRow[]) => found && (found.height <= pin.height ? pinOf(found) : pin);
    return { before: limited(rows.before as PinRow[]), last: limited(rows.last as PinRow[]) };
  }

  function* lastTxsBefore(times: readonly number[]): Queries<ReadonlyMap<number, number>> {
    const wanted = [...new Set(times)];
    const queries: Query[] = [];
    for (let at = 0; at < wanted.length; at += timesPerStatement) {
      const values = wanted.slice(at, at + timesPerStatement);
      while (values.length < timesPerStatement) values.push(values[0] as number);
      queries.push({ text: lastTxsOfTimes, values });
    }
    const found = yield* fetchRows<{ before: number; last: number | null }>(queries);
    return new Map(found.flatMap(({ before, last }) => (last === null ? [] : [[before, last] as const])));
  }

  return {
    tip,
    pinAtHeight: function* (height, recent) {
      if (recent?.height === height) return recent;
      // The block may be newer than what this process knows.
      const tip = recent !== undefined && height > recent.height ? undefined : recent;
      const pin = yield* limitToIndexed(pinAtQuery(height), tip);
      return pin?.height === height ? pin : undefined;
    },
    pinBeforeTime: (time, tip) => limitToIndexed(pinBeforeQuery(time), tip),
    completeFrom: {
      query: { text: progress, values: [chain] },
      resultOf: ([row]) => (row as { complete_from: number } | undefined)?.complete_from,
    },
    bounds,
    lastTxBefore: `coalesce((SELECT ${lastTx} FROM ${t.block} b WHERE b.time < ? ORDER BY b.time DESC, b.height DESC LIMIT 1), 0)`,
    lastTxsBefore,
  };
}

export function createBlockReads(dialect: Dialect, t: Tables & Pick<ExplorerTables, 'blockTxIds'>, chainID: Id): BlockReads {
  const pins = createPinReads(dialect, t, chainID);
  const columns = `SELECT b.height, b.id, length(b.header) AS header_size, substr(b.header, ${parentAt}, 32) AS parent, b.first_tx, b.tx_count,
    b.time, b.tx_bytes, i.texts FROM ${t.block} b LEFT JOIN ${t.blockTxIds} i ON i.height = b.height`;
  const byId = `${columns} WHERE b.id = ?`;
  const byHeights = keyLookup(dialect, (isKey) => `${columns} WHERE b.height ${isKey}`);
  const heights = {
    asc: `SELECT height FROM ${t.block} WHERE height >= ? AND height <= ? ORDER BY height LIMIT ? + 0`,
    desc: `SELECT height FROM ${t.block} WHERE height >= ? AND height <= ? ORDER BY height DESC LIMIT ? + 0`,
  };
  const idsFrom = `SELECT seq, id FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`;

  /** The entries of blocks. IDs of transactions that are not stored as text are read from `tx`, those of successive blocks with one query. */
  function* toEntries(rows: readonly BlockRow[]): Queries<BlockEntry[]> {
    const ranges: { from: number; to: number }[] = [];
    for (const { first_tx, tx_count, texts } of rows.toSorted((a, b) => a.first_tx - b.first_tx)) {
      if (texts !== null || tx_count === 0) continue;
      const last = ranges.at(-1);
      if (last?.to === first_tx) last.to += tx_count;
      else ranges.push({ from: first_tx, to: first_tx + tx_count });
    }
    const found = yield* fetchRows<TxIdRow>(ranges.map(({ from, to }) => ({ text: idsFrom, values: [from, to] })));
    const ids = new Map(found.map(({ seq, id }) => [seq, id]));
    return rows.map((row) => toEntry(row, row.texts ?? joinIdTexts(idsOfBlock(row, ids))));
  }

  return {
    ...pins,
    block: function* (which) {
      const queries = 'id' in which ? [{ text: byId, values: [idToBytes(which.id)] }] : byHeights([which.height]);
      return (yield* toEntries(yield* fetchRows<BlockRow>(queries)))[0];
    },
    blockHeights: function* ({ pin, times, after, order, limit }) {
      const { before, last } = yield* pins.bounds(times, pin);
      let lowest = before === undefined ? 0 : before.height + 1;
      let highest = times.to === undefined ? pin.height : Math.min(pin.height, last?.height ?? -1);
      if (after !== undefined && order === 'asc') lowest = Math.max(lowest, after + 1);
      if (after !== undefined && order === 'desc') highest = Math.min(highest, after - 1);
      const rows = yield* fetchRows<{ height: number }>([{ text: heights[order], values: [lowest, highest, limit] }]);
      return rows.map(({ height }) => height);
    },
    blocks: function* (wanted) {
      const entries = yield* toEntries(yield* fetchRows<BlockRow>(byHeights(wanted)));
      const byHeight = new Map(entries.map((entry) => [entry.height, entry]));
      return wanted.map((height) => byHeight.get(height) as BlockEntry);
    },
  };
}

/** Times that one statement looks up. */
const timesPerStatement = 32;

const idsOfBlock = ({ first_tx, tx_count }: BlockRow, ids: ReadonlyMap<number, Uint8Array>): Id[] =>
  Array.from({ length: tx_count }, (_, i) => idFromBytes(ids.get(first_tx + i) as Uint8Array));

type TxIdRow = { readonly seq: number; readonly id: Uint8Array };

/** In a block, transactions lack the codec version that their own bytes begin with. */
const toEntry = ({ height, id, header_size, parent, tx_count, time, tx_bytes }: BlockRow, txIDTexts: Uint8Array): BlockEntry => ({
  height,
  id,
  parentID: parent,
  time,
  size: header_size + tx_bytes - versionSize * tx_count,
  txCount: tx_count,
  txIDTexts,
});

/** Position of the parent ID in a block header, counted from 1 (SQL `substr`): after version and type. */
const parentAt = 7;

type PinRow = { readonly height: number; readonly id: Uint8Array; readonly time: number; readonly last_tx: number };

const pinOf = ({ height, id, time, last_tx }: PinRow): PinnedBlock => ({ height, id: idFromBytes(id), time, lastTx: last_tx });

/** `texts` is null for a block with few transactions, and for one that is not indexed yet. */
type BlockRow = {
  readonly height: number;
  readonly id: Uint8Array;
  readonly header_size: number;
  readonly parent: Uint8Array;
  readonly first_tx: number;
  readonly tx_count: number;
  readonly time: number;
  readonly tx_bytes: number;
  readonly texts: Uint8Array | null;
};
