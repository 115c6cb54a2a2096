import { addressToBytes } from '../../base/bytes/address.ts';
import { idToBytes } from '../../base/bytes/id.ts';
import { maxU64, u64Bytes } from '../../base/bytes/octets.ts';
import { listedAmount } from '../index/output-amount.ts';
import type { OutputSetSelection } from '../index/output-set.ts';
import type { Sql } from '../index/sql.ts';
import { type IndexTables, outputSets } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import {
  decodeStoredUtxo,
  hasAmount,
  hasAsset,
  hasOnlyOwner,
  isTransfer,
  ownerCount,
  type StoredUtxo,
  storedOwners,
  storedThreshold,
} from '../state/stored-utxo.ts';
import type { Queries } from '../store/queries.ts';
import { createAssetRanges } from './asset-ranges.ts';
import type { IndexedChain, UtxoQuery } from './index-reads.ts';
import { type MergedPage, mergeSources, type RowSource } from './merge.ts';
import { type OutputSort, positionComparator, type SortPosition, sortPositionOf } from './output-order.ts';
import { type BlockPosition, createOutputSources, type OutputRow, type ReadOutputRow } from './output-sources.ts';
import { createAmountReads, type ListLimits } from './read-by-amount.ts';
import type { ChainOutputRow } from './read-chain-outputs.ts';
import type { CrossChainOutputRow, OutputReads, StoredPinnedOutput } from './read-outputs.ts';
import { createSpentSinceReads } from './read-spent-since.ts';
import type { TxReads } from './read-txs.ts';

const allOutputSets: OutputSetSelection = {
  unspent: [outputSets.unspent, outputSets.multiOwnerUnspent, outputSets.exported],
  spent: [outputSets.spent, outputSets.multiOwnerSpent, outputSets.exportedSpent, outputSets.imported],
};

export type UtxoReads = {
  readonly utxos: (query: UtxoQuery, sets?: OutputSetSelection) => Queries<PinnedOutputs>;
  /** The same in two parts: what is in the sets now, and the list as of the pinned block, which is the same one if nothing was spent since. */
  readonly listNow: (query: UtxoQuery, sets?: OutputSetSelection) => Queries<ListedOutputs>;
};

/** `readTo`: as in `OutputList`. */
export type PinnedOutputs = { readonly outputs: StoredPinnedOutput[]; readonly readTo: SortPosition | undefined };

export type ListedOutputs = PinnedOutputs & { readonly asPinned: () => Queries<PinnedOutputs> };

export function createUtxoReads(
  t: Tables & IndexTables,
  { id, recentTip }: Pick<IndexedChain, 'id' | 'recentTip'>,
  outputs: OutputReads,
  txs: TxReads,
  { dialect, epoch = noReverts }: Pick<Sql, 'dialect' | 'epoch'>,
  limits: ListLimits & FilterLimits = {},
): UtxoReads {
  const { filteredRows = usualFilteredRows } = limits;
  // On PostgreSQL another round trip takes longer than to read a thousand rows.
  const rowsPerRound = dialect === 'sqlite' ? undefined : filteredRows / 2;
  const sources = createOutputSources(t, dialect);
  const assetRanges = createAssetRanges(t, dialect, sources);
  const readByAmount = createAmountReads(sources, assetRanges, outputs, epoch, limits);
  const addSpentSince = createSpentSinceReads(t, id, outputs, txs, sources, dialect, recentTip);

  function* listNow(query: UtxoQuery, sets = allOutputSets): Queries<ListedOutputs> {
    const { pin, includeSpent, sortBy, order, limit } = query;
    if (query.minAmount > maxU64 || limit < 1) return nothingListed;
    const asset = query.asset === undefined ? undefined : idToBytes(query.asset);
    const addresses = [...new Set(query.addresses)];
    const after = query.after === undefined ? undefined : yield* sortPositionAt(query.after, sortBy);
    const compare = positionComparator(query);
    const matches = queryFilter(query);
    const itemIf =
      (isListed: typeof matches) =>
      (row: ChainOutputRow | CrossChainOutputRow): StoredPinnedOutput | undefined => {
        if ((asset && !hasAsset(row.bytes, asset)) || !(includeSpent || outputs.isUnspent(row, pin))) return undefined;
        if (isListed(row.bytes)) return outputs.toPinnedOutput(row, pin);
        // The filter reads unverified bytes: a damaged output must be an error, not a missing item.
        decodeStoredUtxo(row.bytes);
        return undefined;
      };
    const listed = includeSpent ? [...sets.unspent, ...sets.spent] : sets.unspent;
    const filled = yield* sources.filledSets(addresses, listed);
    const range = yield* sources.rangeAfter(order, pin, sortBy === 'timestamp' ? after : undefined);
    const isFiltered = asset !== undefined || query.minAmount > 0n;
    const inTimeOrder = filled.map(({ address, set }) => sources.inTimeOrder(address, set, order, range, pin, includeSpent));
    const merge = (from: readonly RowSource<ReadOutputRow>[], maxRounds?: number) =>
      mergeSources<ReadOutputRow, OutputRow, StoredPinnedOutput>({
        sources: from,
        complete: outputs.completeRows,
        compare,
        toItem: itemIf(matches),
        limit,
        filteredRows: isFiltered ? filteredRows : undefined,
        ...(maxRounds !== undefined && { maxRounds }),
        rowsPerRound,
      });
    function* readByTime(): Queries<TimePage> {
      if (asset === undefined || includeSpent) return yield* merge(inTimeOrder);
      // Most addresses have few outputs, or most of theirs are of the asset.
      const first = yield* merge(inTimeOrder, 1);
      if (first.readTo === undefined) return first;
      const from = yield* assetRanges.sourcesOf(filled, asset, query, range);
      const ranges = from && (yield* merge(from));
      if (ranges !== undefined && ranges.readTo === undefined) return ranges;
      // Ranges are the worse way where the balance changed in many more blocks than it has outputs.
      const page = yield* merge(inTimeOrder);
      return ranges !== undefined && isBehind(ranges.readTo, page.readTo) ? ranges : page;
    }
    /** Whether a page that was read to one position covers more than one that was read to the other; undefined is the end. */
    const isBehind = (one: SortPosition | undefined, other: SortPosition | undefined): boolean =>
      other !== undefined && (one === undefined || compare(one, other) > 0);
    const { items, readTo } =
      sortBy === 'amount'
        ? {
            items: yield* readByAmount({ query, filled, after, toItem: itemIf(queryFilter({ ...query, minAmount: 0n })) }),
            readTo: undefined,
          }
        : yield* readByTime();
    const page = { outputs: items, readTo };
    return { ...page, asPinned: () => addSpentSince(query, sets, { page, after, range, matches }) };
  }

  /** The position of an output, of whichever block: a page may end at one that the list leaves out. */
  function* sortPositionAt(seq: number, sortBy: OutputSort['sortBy']): Queries<BlockPosition | undefined> {
    const row = yield* outputs.bySeq(seq);
    if (row === undefined) return undefined;
    const time = 'source' in row ? row.seen : row.time;
    const position = sortPositionOf(sortBy, { seq, time, stored: row.bytes, utxo: decodeStoredUtxo(row.bytes) });
    return 'source' in row ? position : { ...position, height: row.height };
  }

  return {
    listNow,
    utxos: function* (query, sets) {
      const { asPinned } = yield* listNow(query, sets);
      return yield* asPinned();
    },
  };
}

type TimePage = MergedPage<ReadOutputRow, StoredPinnedOutput>;

const nothing: PinnedOutputs = { outputs: [], readTo: undefined };
const nothingListed: ListedOutputs = {
  ...nothing,
  // biome-ignore lint/correctness/useYield: a result without a query.
  asPinned: function* () {
    return nothing;
  },
};

/** For tests: how many rows a page of one asset or of large amounts reads after the first ones. A page that is not full then ends there. */
export type FilterLimits = { readonly filteredRows?: number };

const usualFilteredRows = 4096;

/** PostgreSQL holds followed chains, which are never reverted. */
const noReverts = (): number => 0;

/** A filter by the conditions of a query that do not depend on time: owners, asset and amount. */
function queryFilter({ addresses, asset, minAmount, ownership = 'enough' }: UtxoQuery): (bytes: StoredUtxo) => boolean {
  const requested = new Set(addresses);
  const assetBytes = asset === undefined ? undefined : idToBytes(asset);
  const leastAmount = u64Bytes(minAmount);
  const isEnough = (bytes: StoredUtxo): boolean =>
    isTransfer(bytes) ? hasAmount(bytes, leastAmount) : listedAmount(decodeStoredUtxo(bytes).output) >= minAmount;
  const [only] = addresses.length === 1 ? addresses.map(addressToBytes) : [];
  const countOwners = (bytes: StoredUtxo): number =>
    only !== undefined && ownerCount(bytes) === 1
      ? Number(hasOnlyOwner(bytes, only))
      : storedOwners(bytes).filter((address) => requested.has(address)).length;
  return (bytes) => {
    const owners = countOwners(bytes);
    if (owners === 0 || owners >= storedThreshold(bytes) !== (ownership === 'enough')) return false;
    return (assetBytes === undefined || hasAsset(bytes, assetBytes)) && (minAmount === 0n || isEnough(bytes));
  };
}
