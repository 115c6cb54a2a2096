import type { Address } from '../../base/bytes/address.ts';
import { addressToBytes } from '../../base/bytes/address.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { orderedLookup, rowsByPosition } from '../index/key-lookup.ts';
import { isMovedSet, isUnspentSet } from '../index/output-set.ts';
import type { Sql } from '../index/sql.ts';
import { type IndexTables, type OutputSet, outputSets } from '../index/tables.ts';
import { aboveAnyOutput, belowAnyOutput, outputNumber } from '../state/output-number.ts';
import type { Tables } from '../state/schema.ts';
import type { StoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries, type Query } from '../store/queries.ts';
import type { Order, PinnedBlock } from './index-reads.ts';
import type { RowSource } from './merge.ts';
import { fullKeyRange, type KeyRange, keyRangeSql, keyRangeValues, type SortPosition } from './output-order.ts';
import type { ChainOutputRow } from './read-chain-outputs.ts';
import { type CrossChainOutputRow, crossChainSql, unknownSpender } from './read-outputs.ts';

/** A row of an output set, with its position in the order of time. */
export type OutputRow = SortPosition & (ChainOutputRow | CrossChainOutputRow);

/** The same as it is read: rows of spent and of long outputs have no bytes. `OutputReads.completeRows` adds them. */
export type ReadOutputRow = SortPosition & ((Omit<ChainOutputRow, 'bytes'> & { readonly bytes: StoredUtxo | null }) | CrossChainOutputRow);

/**
 * A part of the outputs in the order of time: numbers of this chain's outputs between two others, and a range of those that moved between chains.
 * `height`: of the block where it begins, if it begins behind a position.
 */
export type OutputRange = {
  readonly above: number;
  readonly below: number;
  readonly moved: KeyRange;
  readonly height?: number | undefined;
};

/** The position of an output. `height`: of the block that created it, if that is one of this chain. */
export type BlockPosition = SortPosition & { readonly height?: number };

/** A column as a number: PostgreSQL's driver returns bigint as a BigInt, which would have to be converted, value by value. */
export const asNumber =
  (dialect: Sql['dialect']) =>
  (column: string): string =>
    dialect === 'sqlite' ? column : `CAST(${column} AS double precision)`;

/** The rows of one set of one address. */
export type OutputSources = {
  /**
   * Rows in the order of time. `besideSpent`: the rows are read together with those of spent outputs, so that on PostgreSQL one statement reads
   * both.
   */
  readonly inTimeOrder: (
    address: Address,
    set: OutputSet,
    order: Order,
    range: OutputRange,
    pin: PinnedBlock,
    besideSpent?: boolean,
  ) => RowSource<ReadOutputRow>;
  /** The range behind a position. */
  readonly rangeAfter: (order: Order, pin: PinnedBlock, after: BlockPosition | undefined) => Queries<OutputRange>;
  /** Which of the sets of each address may have rows. Few addresses have multi-owner outputs or outputs that moved between chains. */
  readonly filledSets: (
    addresses: readonly Address[],
    sets: readonly OutputSet[],
  ) => Queries<readonly { address: Address; set: OutputSet }[]>;
  /**
   * A number such that all outputs of this chain from it on were stored before; there may be older ones, which `readOldest` tells. On PostgreSQL
   * the one that was read last: outputs from before linearization are numbered down, and another query would cost a round trip.
   */
  readonly knownOldest: () => Queries<number>;
  /** The lowest number of an output of this chain now. */
  readonly readOldest: () => Queries<number>;
};

export function createOutputSources(t: Tables & IndexTables, dialect: Sql['dialect']): OutputSources {
  /** Joins only what the row itself does not tell: an unspent output has no row in `spend`. */
  const ownColumns = (set: OutputSet): readonly [columns: string, joins: string] =>
    isUnspentSet(set) ? ['h.bytes, NULL AS spent', ''] : spentColumns;
  // On Citus `spend` is divided by another key than `owner`.
  const spentColumns: readonly [columns: string, joins: string] =
    dialect === 'citus'
      ? [`h.bytes, ${unknownSpender} AS spent`, '']
      : ['h.bytes, s.tx AS spent', `LEFT JOIN ${t.spend} s ON s.utxo = h.seq`];
  const number = asNumber(dialect);
  const [seq, height, time] = [number('h.seq'), number('h.height'), number('b.time')];
  const ownSql = (set: OutputSet, order: Order): string => {
    const [columns, joins] = ownColumns(set);
    return `SELECT ${time} AS key, ${seq} AS seq, ${height} AS height, ${time} AS time, ${columns} FROM ${t.owner} h JOIN ${t.block} b ON b.height = h.height ${joins}
      WHERE h.address = ? AND h.shelf = ? AND h.seq > ? AND h.seq < ? AND h.height <= ? ORDER BY h.seq ${order} LIMIT ? + 0`;
  };
  const [movedColumns, movedJoins] = crossChainSql(dialect, t);
  const movedSql = (order: Order): string =>
    `SELECT h.time AS key, h.tie, h.seq, ${movedColumns} FROM ${t.movedOwner} h JOIN moved m ON m.seq = -h.seq ${movedJoins}
     WHERE h.address = ? AND h.shelf = ? AND ${keyRangeSql(order)} LIMIT ? + 0`;
  // A text is built once: the statement cache would have to hash a new one for every query.
  const textsOf = memoize((set: OutputSet) => {
    const text = isMovedSet(set) ? movedSql : (order: Order) => ownSql(set, order);
    return { asc: text('asc'), desc: text('desc') };
  });

  const lastBlockUpTo = `SELECT height FROM ${t.block} WHERE time <= ? ORDER BY time DESC, height DESC LIMIT 1`;
  // Genesis transactions are before those of block 1 and in no block.
  const firstTxAfter = `SELECT coalesce((SELECT n.first_tx FROM ${t.block} n WHERE n.height = ?), (SELECT max(x.seq) + 1 FROM ${t.tx} x)) AS tx`;
  // With a value, so that PostgreSQL plans it once. All numbers of these outputs are negative.
  const oldestQuery: Query = { text: `SELECT min(seq) AS oldest FROM ${t.oldUtxo} WHERE seq < ?`, values: [0] };
  let lastOldest: number | undefined;

  /** Which addresses have rows: two seeks for each, in one statement. */
  const rareSets = orderedLookup(
    dialect,
    (keys) => `${keys} SELECT k.n, CASE WHEN EXISTS (SELECT 1 FROM ${t.movedOwner} m WHERE m.address = k.id) THEN 1 ELSE 0 END AS moved,
      CASE WHEN EXISTS (SELECT 1 FROM ${t.owner} o WHERE o.address = k.id AND o.shelf >= ${outputSets.multiOwnerUnspent}) THEN 1 ELSE 0 END AS multi
      FROM k`,
  );

  /** The highest number of this chain's outputs that were created up to a time, and the height of the last block up to then. */
  function* lastUpTo(time: number): Queries<{ readonly seq: number; readonly height: number }> {
    const [block] = yield* fetchRows<{ height: number }>([{ text: lastBlockUpTo, values: [time] }]);
    if (block === undefined) return { seq: belowAnyOutput, height: 0 };
    const [next] = yield* fetchRows<{ tx: number | null }>([{ text: firstTxAfter, values: [block.height + 1] }]);
    return { seq: outputNumber(next?.tx ?? 1, 0) - 1, height: block.height };
  }

  function* readOldest(): Queries<number> {
    const [row] = yield* fetchRows<{ oldest: number | null }>([oldestQuery]);
    lastOldest = row?.oldest ?? 0;
    return lastOldest;
  }

  return {
    inTimeOrder: (address, set, order, range, { height }, besideSpent = false) => {
      const text = textsOf(dialect === 'postgres' && besideSpent && !isMovedSet(set) ? outputSets.spent : set)[order];
      const owner = addressToBytes(address);
      if (isMovedSet(set))
        return {
          queryAfter: (row, limit) => {
            const values = keyRangeValues(row === undefined ? range.moved : { ...range.moved, after: row });
            return { text, values: [owner, set, ...values, limit] };
          },
        };
      return {
        queryAfter: (row, limit) => {
          const above = row !== undefined && order === 'asc' ? row.seq : range.above;
          const below = row !== undefined && order === 'desc' ? row.seq : range.below;
          return { text, values: [owner, set, above, below, height, limit] };
        },
      };
    },
    filledSets: function* (addresses, sets) {
      const all = addresses.flatMap((address) => sets.map((set) => ({ address, set })));
      // Asking first saves two of three queries of each address. On PostgreSQL it would cost a round trip, and they are one statement anyway.
      if (dialect !== 'sqlite' || addresses.length < minAsked) return all;
      const rows = rowsByPosition((yield rareSets(addresses.map(addressToBytes))) as readonly (readonly RareSets[])[]);
      return all.filter(({ set }, i) => {
        const found = rows[Math.floor(i / sets.length)];
        return isMovedSet(set) ? found?.moved === 1 : isSingleOwnerSet(set) || found?.multi === 1;
      });
    },
    rangeAfter: function* (order, { time }, after) {
      const moved = fullKeyRange(order, time);
      if (after === undefined) return { above: belowAnyOutput, below: aboveAnyOutput, moved };
      // This chain's outputs come before those that moved between chains at the same time.
      const isOwn = after.tie === undefined;
      const { seq: last, height }: Pick<BlockPosition, 'seq' | 'height'> = isOwn ? after : yield* lastUpTo(after.key as number);
      const numbers = order === 'asc' ? { above: last, below: aboveAnyOutput } : { above: belowAnyOutput, below: isOwn ? last : last + 1 };
      return { above: numbers.above, below: numbers.below, moved: { ...moved, after }, height };
    },
    knownOldest: function* () {
      return dialect !== 'sqlite' && lastOldest !== undefined ? lastOldest : yield* readOldest();
    },
    readOldest,
  };
}

/** Whether an address has rows of outputs that moved between chains, and of outputs with several owners: 1 or 0. */
type RareSets = { readonly n: number; readonly moved: number; readonly multi: number };

const isSingleOwnerSet = (set: OutputSet): boolean => set === outputSets.unspent || set === outputSets.spent;

/** From this number of addresses on, it is asked first which sets have rows. */
const minAsked = 4;
