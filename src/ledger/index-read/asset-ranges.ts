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
import { asNumber, type OutputRange, type OutputSources, type ReadOutputRow } from './output-sources.ts';

/**
 * Sources of the outputs of one asset. An address may have a million unspent outputs and three of the asset, and no index is by address and asset. But a
 * balance has a row for every block that changed it, so these blocks tell where the outputs of the asset are. Of each block all unspent outputs of the
 * address are read. Those of other assets are left out by the caller when it makes items of the rows. A block without unspent outputs gives one row with
 * empty bytes, a mark, so that the next read goes on behind it; the caller leaves it out too.
 *
 * Mint outputs have no balance; the unspent ones of an asset are few, and are looked up by their numbers. One may also be in one of the blocks: then it
 * is read twice, and the merge of the sources drops the second.
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

/** A row of a block that changed a balance: an unspent output, or a mark. */
type BlockRow = ReadOutputRow & { readonly height: number };
type FoundRow = Omit<BlockRow, 'seq'> & { readonly seq: number | null };

/** What a source reads: the outputs of an owner in a range, up to a block. */
type OwnedRange = { readonly owner: Uint8Array; readonly order: Order; readonly range: OutputRange; readonly pin: PinnedBlock };

export function createAssetRanges(t: Tables & IndexTables, dialect: Sql['dialect'], sources: OutputSources): AssetRanges {
  const number = asNumber(dialect);
  const [least, greatest] = dialect === 'sqlite' ? ['min', 'max'] : ['least', 'greatest'];
  const columns = `${number('b.time')} AS key, ${number('h.seq')} AS seq, ${number('b.height')} AS height, ${number('b.time')} AS time, h.bytes, NULL AS spent`;
  // The outputs of a block have the numbers from its first transaction up to that of the next block. Those of height 0 have all numbers below block 1,
  // also outputs that became known later.
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
  const blockTexts = { asc: ofBlocks('asc'), desc: ofBlocks('desc') };
  const numberTexts = { asc: ofNumbers('asc'), desc: ofNumbers('desc') };
  const mintOutputs = keyLookup(
    dialect,
    (isKey) =>
      `SELECT m.seq FROM ${t.minter} m WHERE m.asset ${isKey} AND NOT EXISTS (SELECT 1 FROM ${t.spend} s WHERE s.utxo = m.seq) LIMIT ${maxMintOutputs + 1}`,
  );

  const inBlocks = (asset: Uint8Array, owned: OwnedRange): RowSource<ReadOutputRow> => ({
    queryAfter: (row, limit) => {
      const last = row as BlockRow | undefined;
      const { from, to } = heightsAfter(last, owned);
      const { above, below } = numbersAfter(last, owned);
      return {
        text: blockTexts[owned.order],
        values: [owned.owner, asset, ownBytes, from, to, limit, owned.owner, above + 1, below, limit],
      };
    },
    rowsFrom: (found, after) => placeMarks(found as readonly FoundRow[], after ?? startOf(owned)),
  });
  const byNumber = (numbers: string, owned: OwnedRange): RowSource<ReadOutputRow> => ({
    queryAfter: (row, limit) => {
      const { above, below } = numbersAfter(row, owned);
      return { text: numberTexts[owned.order], values: [owned.owner, numbers, above, below, owned.pin.height, limit] };
    },
  });

  return {
    sourcesOf: function* (filled, asset, { order, pin, includeSpent }, range) {
      const mints = yield* fetchRows<{ seq: number }>(mintOutputs([asset]));
      if (mints.length > maxMintOutputs) return undefined;
      const seqs = mints.map(({ seq }) => seq);
      const numbers = dialect === 'sqlite' ? JSON.stringify(seqs) : arrayText(seqs);
      return filled.flatMap(({ address, set }) => {
        if (set !== outputSets.unspent) return [sources.inTimeOrder(address, set, order, range, pin, includeSpent)];
        const owned: OwnedRange = { owner: addressToBytes(address), order, range, pin };
        return [inBlocks(asset, owned), ...(seqs.length === 0 ? [] : [byNumber(numbers, owned)])];
      });
    },
  };
}

/** The numbers of outputs that are still to be read: the range, cut at the last row. */
function numbersAfter(last: ReadOutputRow | undefined, { order, range }: OwnedRange): { readonly above: number; readonly below: number } {
  if (last === undefined) return range;
  return order === 'asc' ? { above: last.seq, below: range.below } : { above: range.above, below: last.seq };
}

/** The blocks that are still to be read: from that of the last row on, which may have more outputs; a mark is the only row of its block. */
function heightsAfter(last: BlockRow | undefined, { order, range, pin }: OwnedRange): { readonly from: number; readonly to: number } {
  const step = order === 'asc' ? 1 : -1;
  const next = last === undefined ? range.height : isMark(last) ? last.height + step : last.height;
  return order === 'asc' ? { from: next ?? 0, to: pin.height } : { from: 0, to: Math.min(next ?? pin.height, pin.height) };
}

/** Gives each mark the position of the row before it, so that rows stay in their order: it has no number of its own. */
function placeMarks(found: readonly FoundRow[], before: Position): readonly ReadOutputRow[] {
  let { key, seq } = before;
  return found.map((row) => {
    if (row.seq === null) return { ...row, key, seq, bytes: noBytes } as ReadOutputRow;
    ({ key, seq } = row as ReadOutputRow);
    return row as ReadOutputRow;
  });
}

const isMark = (row: BlockRow): boolean => row.bytes?.length === 0;

type Position = Pick<ReadOutputRow, 'key' | 'seq'>;

/** The position before the first row of an owned range. */
const startOf = ({ order, range }: OwnedRange): Position =>
  order === 'asc' ? { key: Number.MIN_SAFE_INTEGER, seq: range.above } : { key: Number.MAX_SAFE_INTEGER, seq: range.below };

const noBytes = new Uint8Array(0);

/** Balances of what an address owns alone, without multisig. */
const ownBytes = partToBytes(ownPart);

/** Unspent mint outputs of an asset that are looked up one by one. */
const maxMintOutputs = 1024;
