import { addressToBytes } from '../../base/bytes/address.ts';
import { idToBytes } from '../../base/bytes/id.ts';
import { maxU64, u64Bytes } from '../../base/bytes/octets.ts';
import { listedAmount } from '../index/output-amount.ts';
import type { OutputSetSelection } from '../index/output-set.ts';
import type { Sql } from '../index/sql.ts';
import type { Steps } from '../index/steps.ts';
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
import type { IndexedChain, PinnedBlock, UtxoQuery } from './index-reads.ts';
import { mergeSources } from './merge.ts';
import { type OutputSort, positionComparator, type SortPosition, sortPositionOf } from './output-order.ts';
import { createOutputSources, type OutputRow, type ReadOutputRow } from './output-sources.ts';
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
  readonly utxos: (query: UtxoQuery, sets?: OutputSetSelection) => Steps<StoredPinnedOutput[]>;
  /** The same in two parts: what is in the sets now, and the list as of the pinned block, which is the same one if nothing was spent since. */
  readonly listNow: (query: UtxoQuery, sets?: OutputSetSelection) => Steps<ListedOutputs>;
};

export type ListedOutputs = { readonly outputs: StoredPinnedOutput[]; readonly asPinned: () => Steps<StoredPinnedOutput[]> };

export function createUtxoReads(
  t: Tables & IndexTables,
  { id, recentTip }: Pick<IndexedChain, 'id' | 'recentTip'>,
  outputs: OutputReads,
  txs: TxReads,
  { dialect, epoch = noReverts }: Pick<Sql, 'dialect' | 'epoch'>,
  listLimits?: ListLimits,
): UtxoReads {
  const sources = createOutputSources(t, dialect);
  const readByAmount = createAmountReads(sources, outputs, epoch, listLimits);
  const addSpentSince = createSpentSinceReads(t, id, outputs, txs, sources, recentTip);

  function* listNow(query: UtxoQuery, sets = allOutputSets): Steps<ListedOutputs> {
    const { pin, includeSpent, sortBy, order, limit } = query;
    if (query.minAmount > maxU64 || limit < 1) return nothingListed;
    const asset = query.asset === undefined ? undefined : idToBytes(query.asset);
    const addresses = [...new Set(query.addresses)];
    const after = query.after === undefined ? undefined : yield* sortPositionAt(query.after, sortBy, pin);
    const compare = positionComparator(query);
    const matches = queryFilter(query);
    const toItem = (row: ChainOutputRow | CrossChainOutputRow): StoredPinnedOutput | undefined => {
      if ((asset && !hasAsset(row.bytes, asset)) || !(includeSpent || outputs.isUnspent(row, pin))) return undefined;
      if (matches(row.bytes)) return outputs.toPinnedOutput(row, pin);
      // The filter reads unverified bytes: a damaged output must be an error, not a missing item.
      decodeStoredUtxo(row.bytes);
      return undefined;
    };
    const listed = includeSpent ? [...sets.unspent, ...sets.spent] : sets.unspent;
    const filled = yield* sources.filledSets(addresses, listed);
    const range = yield* sources.rangeAfter(order, pin, sortBy === 'timestamp' ? after : undefined);
    const page =
      sortBy === 'amount'
        ? yield* readByAmount({ query, filled, after, toItem })
        : yield* mergeSources<ReadOutputRow, OutputRow, StoredPinnedOutput>({
            sources: filled.map(({ address, set }) => sources.inTimeOrder(address, set, order, range, pin)),
            complete: outputs.addBytes,
            compare,
            toItem,
            limit,
            isFiltered: asset !== undefined || query.minAmount > 0n,
          });

    return { outputs: page, asPinned: () => addSpentSince(query, sets, { page, after, range, matches }) };
  }

  function* sortPositionAt(seq: number, sortBy: OutputSort['sortBy'], pin: PinnedBlock): Steps<SortPosition | undefined> {
    const row = yield* outputs.bySeq(seq);
    const found = row && outputs.toPinnedOutput(row, pin);
    return found && sortPositionOf(sortBy, found);
  }

  return {
    listNow,
    utxos: function* (query, sets) {
      const { asPinned } = yield* listNow(query, sets);
      return yield* asPinned();
    },
  };
}

const nothingListed: ListedOutputs = {
  outputs: [],
  // biome-ignore lint/correctness/useYield: steps without a query.
  asPinned: function* () {
    return [];
  },
};

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
