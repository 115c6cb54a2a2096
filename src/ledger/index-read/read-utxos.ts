import { spentRefs } from '../../avm/tx/effects.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { maxU64, u64Bytes } from '../../base/bytes/octets.ts';
import { listedAmount } from '../index/output-amount.ts';
import type { Sql } from '../index/sql.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, type OutputSet, outputSets } from '../index/tables.ts';
import { isMovedOutput } from '../state/output-number.ts';
import { unspentShelf } from '../state/owner-rows.ts';
import type { Tables } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
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
import type { Order, PinnedBlock, UtxoQuery } from './index-reads.ts';
import { mergeSources, raceSteps } from './merge.ts';
import { type OutputSort, positionComparator, type SortPosition, sortPositionOf } from './output-order.ts';
import { createOutputSources, type OutputRange, type OutputRow, type ReadOutputRow } from './output-sources.ts';
import { createAmountReads } from './read-by-amount.ts';
import type { ChainOutputRow } from './read-chain-outputs.ts';
import type { CrossChainOutputRow, OutputReads, StoredPinnedOutput } from './read-outputs.ts';
import type { TxReads } from './read-txs.ts';

/** Output sets that a query reads: those of unspent outputs, and those of spent outputs. */
export type OutputSetSelection = { readonly unspent: readonly OutputSet[]; readonly spent: readonly OutputSet[] };

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
  chainID: Id,
  outputs: OutputReads,
  txs: TxReads,
  { dialect, epoch = noReverts }: Pick<Sql, 'dialect' | 'epoch'>,
  minListed?: number,
): UtxoReads {
  // With values, so that PostgreSQL plans it once: the driver prepares no statement without them, and planning was four fifths of its time.
  const anythingSince = `SELECT 1 AS newer WHERE EXISTS (SELECT 1 FROM ${t.tx} WHERE seq > ?) OR EXISTS (SELECT 1 FROM moved WHERE taken_time > ?)`;
  const sources = createOutputSources(t, dialect);
  const readByAmount = createAmountReads(sources, outputs, epoch, minListed);

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

  /** Adds what was spent since the pinned block and is not in its unspent set any more. Runs after the page was read, so that nothing is missed. */
  function* addSpentSince(
    query: UtxoQuery,
    sets: OutputSetSelection,
    { page, after, range, matches }: ReadPage,
  ): Steps<StoredPinnedOutput[]> {
    const { pin, sortBy, order, limit } = query;
    const addresses = [...new Set(query.addresses)];
    const compare = positionComparator(query);
    const newer = yield* fetchRows([{ text: anythingSince, values: [pin.lastTx, pin.time] }]);
    if (newer.length === 0) return page;
    const end = page.length === limit ? sortPositionOf(sortBy, page[limit - 1] as StoredPinnedOutput) : undefined;
    const isInside = (found: StoredPinnedOutput): boolean => {
      const position = sortPositionOf(sortBy, found);
      return (after === undefined || compare(position, after) > 0) && (end === undefined || compare(position, end) < 0);
    };
    const listedSeqs = new Set(page.map(({ seq }) => seq));
    const spentSince = yield* raceSteps([
      spentSinceByTxs(addresses, pin),
      spentSinceBySets(addresses, sets.spent, query, sortBy === 'timestamp' ? endRangeAt(range, order, end) : range),
    ]);
    const wasInSets = ({ seq, utxo }: StoredPinnedOutput) =>
      sets.unspent.includes(isMovedOutput(seq) ? outputSets.exported : unspentShelf(utxo));
    const all = [
      ...page,
      ...spentSince.filter((found) => !listedSeqs.has(found.seq) && wasInSets(found) && matches(found.stored) && isInside(found)),
    ];
    if (all.length === page.length) return page;
    const positions = new Map(all.map((found) => [found, sortPositionOf(sortBy, found)]));
    return all.sort((a, b) => compare(positions.get(a) as SortPosition, positions.get(b) as SortPosition)).slice(0, limit);
  }

  function* sortPositionAt(seq: number, sortBy: OutputSort['sortBy'], pin: PinnedBlock): Steps<SortPosition | undefined> {
    const row = yield* outputs.bySeq(seq);
    const found = row && outputs.toPinnedOutput(row, pin);
    return found && sortPositionOf(sortBy, found);
  }

  /** Outputs that were unspent as of the pinned block and were spent since, found by reading the transactions and imports since. */
  function* spentSinceByTxs(addresses: readonly Address[], pin: PinnedBlock): Steps<StoredPinnedOutput[]> {
    const found = new Map<number, StoredPinnedOutput>();
    const collect = (row: ChainOutputRow | CrossChainOutputRow): void => {
      if (outputs.isUnspent(row, pin)) found.set(row.seq, outputs.toPinnedOutput(row, pin) as StoredPinnedOutput);
    };
    const subjects = addresses.map((address) => ({ address }));
    const since = { pin: { ...pin, lastTx: noEnd }, subjects, kinds: undefined, times: { from: undefined, to: undefined } };
    let size = firstSize;
    for (let after: number | undefined = pin.lastTx; after !== undefined; size = Math.min(size * 2, largestSize)) {
      const seqs: number[] = yield* txs.txSeqs({ ...since, after, order: 'asc', limit: size });
      const rows = yield* fetchRows<{ id: Uint8Array; bytes: Uint8Array }>(txs.bySeq(seqs));
      const consumed = yield* outputs.byRefs(rows.flatMap((row) => spentRefs(parseStoredTx(row).unsigned)));
      for (const row of yield* outputs.bySeqs(consumed.flatMap((row) => row?.seq ?? []))) collect(row);
      after = seqs[size - 1];
      yield endOfTurn;
    }
    for (let after: CrossChainOutputRow | undefined | null = null; after !== undefined; size = Math.min(size * 2, largestSize)) {
      const rows: readonly CrossChainOutputRow[] = yield* fetchRows<CrossChainOutputRow>([
        outputs.importedElsewhereAfter(after?.taken_time ?? pin.time, -(after?.seq ?? -noEnd), size),
      ]);
      for (const row of rows) if (toHex(row.source) === chainID) collect(row);
      after = rows[size - 1];
      yield endOfTurn;
    }
    return [...found.values()];
  }

  /** The same outputs, found by reading the sets of spent outputs. */
  function* spentSinceBySets(
    addresses: readonly Address[],
    spentSets: readonly OutputSet[],
    query: UtxoQuery,
    range: OutputRange,
  ): Steps<StoredPinnedOutput[]> {
    const found = new Map<number, StoredPinnedOutput>();
    let unfinished = addresses.flatMap((address) =>
      spentSets.filter(wasUnspentHere).map((set) => ({
        source: sources.inTimeOrder(address, set, query.order, range, query.pin),
        last: undefined as ReadOutputRow | undefined,
      })),
    );
    for (let size = firstSize; unfinished.length > 0; size = Math.min(size * 2, largestSize)) {
      const batches = (yield unfinished.map(({ source, last }) => source.queryAfter(last, size))) as readonly (readonly ReadOutputRow[])[];
      // Bytes are read of transactions: only those that are needed.
      for (const row of yield* outputs.addBytes(batches.flat().filter((read) => outputs.isUnspent(read, query.pin))))
        found.set(row.seq, outputs.toPinnedOutput(row, query.pin) as StoredPinnedOutput);
      unfinished = unfinished.flatMap(({ source }, i) => {
        const last = batches[i]?.[size - 1];
        return last === undefined ? [] : [{ source, last }];
      });
      yield endOfTurn;
    }
    return [...found.values()];
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

/** A page that was read: where it began, and the filter by what does not change. */
type ReadPage = {
  readonly page: StoredPinnedOutput[];
  readonly after: SortPosition | undefined;
  readonly range: OutputRange;
  readonly matches: (bytes: StoredUtxo) => boolean;
};

/** The same range up to the end of a page. An output that moved between chains has no number in the order of time, so it ends no range of numbers. */
function endRangeAt(range: OutputRange, order: Order, end: SortPosition | undefined): OutputRange {
  if (end === undefined) return range;
  const moved = { ...range.moved, end: end.key as number };
  if (end.tie !== undefined) return { ...range, moved };
  return { ...range, moved, ...(order === 'asc' ? { below: end.seq } : { above: end.seq }) };
}

/** PostgreSQL holds followed chains, which are never reverted. */
const noReverts = (): number => 0;

/** True for a set whose outputs were unspent on this chain before: an imported output never was. */
const wasUnspentHere = (set: OutputSet): boolean => set !== outputSets.imported;

/** Rows read in the first turn, and at most: each turn reads twice as many as the one before. */
const [firstSize, largestSize] = [32, 1024];

/** Ends a turn; see `raceSteps`. */
const endOfTurn: readonly Query[] = [];

const noEnd = Number.MAX_SAFE_INTEGER - 1;

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
