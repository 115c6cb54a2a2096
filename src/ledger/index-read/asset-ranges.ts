import type { Address } from '../../base/bytes/address.ts';
import { addressToBytes } from '../../base/bytes/address.ts';
import { arrayText } from '../index/key-array.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { Sql } from '../index/sql.ts';
import { type IndexTables, type OutputSet, outputSets } from '../index/tables.ts';
import { ownPart, partToBytes } from '../state/balance.ts';
import { outputsPerTx } from '../state/output-number.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import type { Order, PinnedBlock } from './index-reads.ts';
import type { RowSource } from './merge.ts';
import type { OutputRange, OutputSources, ReadOutputRow } from './output-sources.ts';

/**
 * Sources of the outputs of one asset. An address may have a million unspent outputs and three of the asset. A balance has a row for every block that
 * changed it, so these blocks tell where the outputs of the asset are: of each, only the range of its outputs is read. Mint outputs have no balance;
 * the unspent ones of an asset are few, and are looked up by their numbers.
 */
export type AssetRanges = {
  /**
   * Sources of the unspent single-owner outputs of an asset, in place of those of all assets; the other sets are read as they are. Undefined if the asset
   * has very many mint outputs.
   */
  readonly sourcesOf: (
    filled: readonly { readonly address: Address; readonly set: OutputSet }[],
    asset: Uint8Array,
    query: { readonly order: Order; readonly pin: PinnedBlock; readonly includeSpent: boolean },
    range: OutputRange,
  ) => Queries<readonly RowSource<ReadOutputRow>[] | undefined>;
};

/** A row of the blocks that changed a balance. Without an output of the set in the block, `bytes` are empty, and the position is that of the row before. */
type RangeRow = ReadOutputRow & { readonly height: number };
type FoundRow = Omit<RangeRow, 'seq'> & { readonly seq: number | null };

export function createAssetRanges(t: Tables & IndexTables, dialect: Sql['dialect'], sources: OutputSources): AssetRanges {
  const number = (column: string): string => (dialect === 'sqlite' ? column : `CAST(${column} AS double precision)`);
  const [least, greatest] = dialect === 'sqlite' ? ['min', 'max'] : ['least', 'greatest'];
  const columns = `${number('b.time')} AS key, ${number('h.seq')} AS seq, ${number('b.height')} AS height, ${number('b.time')} AS time, h.bytes, NULL AS spent`;
  // Outputs of height 0 have the numbers below block 1, also those that became known later.
  const ofBlocks = (order: Order): string =>
    `SELECT ${columns}
     FROM (SELECT height FROM ${t.balance} WHERE address = ? AND asset = ? AND part = ? AND height >= ? AND height <= ?
       ORDER BY height ${order} LIMIT ? + 0) k
     JOIN ${t.block} b ON b.height = k.height LEFT JOIN ${t.block} n ON n.height = k.height + 1
     LEFT JOIN ${t.owner} h ON h.address = ? AND h.shelf = ${outputSets.unspent}
       AND h.seq >= ${greatest}(?, CASE k.height WHEN 0 THEN ${Number.MIN_SAFE_INTEGER} ELSE b.first_tx * ${outputsPerTx} END)
       AND h.seq < ${least}(?, coalesce(n.first_tx * ${outputsPerTx}, ${Number.MAX_SAFE_INTEGER}))
     ORDER BY k.height ${order}, h.seq ${order} LIMIT ? + 0`;
  const isListed = dialect === 'sqlite' ? 'IN (SELECT value FROM json_each(?))' : '= ANY(CAST(? AS bigint[]))';
  const ofNumbers = (order: Order): string =>
    `SELECT ${columns} FROM ${t.owner} h JOIN ${t.block} b ON b.height = h.height
     WHERE h.address = ? AND h.shelf = ${outputSets.unspent} AND h.seq ${isListed} AND h.seq > ? AND h.seq < ? AND h.height <= ?
     ORDER BY h.seq ${order} LIMIT ? + 0`;
  const texts = {
    asc: { blocks: ofBlocks('asc'), numbers: ofNumbers('asc') },
    desc: { blocks: ofBlocks('desc'), numbers: ofNumbers('desc') },
  };
  const unspentMinters = keyLookup(
    dialect,
    (isKey) =>
      `SELECT m.seq FROM ${t.minter} m WHERE m.asset ${isKey} AND NOT EXISTS (SELECT 1 FROM ${t.spend} s WHERE s.utxo = m.seq) LIMIT ${maxMinters + 1}`,
  );
  const ownBytes = partToBytes(ownPart);

  return {
    sourcesOf: function* (filled, asset, { order, pin, includeSpent }, range) {
      const minters = yield* fetchRows<{ seq: number }>(unspentMinters([asset]));
      if (minters.length > maxMinters) return undefined;
      const seqs = minters.map(({ seq }) => seq);
      const listed = dialect === 'sqlite' ? JSON.stringify(seqs) : arrayText(seqs);
      const isUp = order === 'asc';

      const inBlocks = (owner: Uint8Array): RowSource<ReadOutputRow> => ({
        queryAfter: (row, limit) => {
          const last = row as RangeRow | undefined;
          // A row without an output ends its block.
          const height = last === undefined ? range.height : last.height + (last.bytes?.length === 0 ? (isUp ? 1 : -1) : 0);
          const heights = isUp ? [height ?? 0, pin.height] : [0, Math.min(height ?? pin.height, pin.height)];
          const above = last !== undefined && isUp ? last.seq : range.above;
          const below = last !== undefined && !isUp ? last.seq : range.below;
          return { text: texts[order].blocks, values: [owner, asset, ownBytes, ...heights, limit, owner, above + 1, below, limit] };
        },
        rowsFrom: (found, after) => {
          let last: Pick<ReadOutputRow, 'key' | 'seq'> = after ?? {
            key: isUp ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER,
            seq: isUp ? range.above : range.below,
          };
          return (found as readonly FoundRow[]).map((row): ReadOutputRow => {
            if (row.seq === null) return { ...row, key: last.key, seq: last.seq, bytes: noBytes } as ReadOutputRow;
            last = row as ReadOutputRow;
            return row as ReadOutputRow;
          });
        },
      });
      const byNumber = (owner: Uint8Array): RowSource<ReadOutputRow> => ({
        queryAfter: (row, limit) => {
          const above = row !== undefined && isUp ? row.seq : range.above;
          const below = row !== undefined && !isUp ? row.seq : range.below;
          return { text: texts[order].numbers, values: [owner, listed, above, below, pin.height, limit] };
        },
      });
      return filled.flatMap(({ address, set }) => {
        if (set !== outputSets.unspent) return [sources.inTimeOrder(address, set, order, range, pin, includeSpent)];
        const owner = addressToBytes(address);
        return seqs.length === 0 ? [inBlocks(owner)] : [inBlocks(owner), byNumber(owner)];
      });
    },
  };
}

const noBytes = new Uint8Array(0);

/** Unspent mint outputs of an asset that are looked up one by one. */
const maxMinters = 1024;
