import { consumedIds } from '../../avm/tx/effects.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { maxU64, u64Bytes } from '../../base/bytes/octets.ts';
import { listedAmount } from '../index/output-amount.ts';
import { unspentSet } from '../index/output-set.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, type OutputSet, outputSets } from '../index/tables.ts';
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
import type { PinnedBlock, UtxoQuery } from './index-reads.ts';
import { mergeSources, type RowSource, raceSteps } from './merge.ts';
import {
  fullKeyRange,
  type KeyRange,
  keyRangeSql,
  keyRangeValues,
  type OutputSort,
  positionComparator,
  type SortPosition,
  sortPositionOf,
} from './output-order.ts';
import {
  type ChainOutputRow,
  type CrossChainOutputRow,
  crossChainColumns,
  crossChainJoins,
  type OutputReads,
  type StoredPinnedOutput,
} from './read-outputs.ts';
import type { TxReads } from './read-txs.ts';

/** Output sets that a query reads: those of unspent outputs, and those of spent outputs. */
export type OutputSetSelection = { readonly unspent: readonly OutputSet[]; readonly spent: readonly OutputSet[] };

const allOutputSets: OutputSetSelection = {
  unspent: [outputSets.unspent, outputSets.multiOwnerUnspent, outputSets.exported],
  spent: [outputSets.spent, outputSets.multiOwnerSpent, outputSets.exportedSpent, outputSets.imported],
};

export type UtxoReads = {
  readonly utxos: (query: UtxoQuery, sets?: OutputSetSelection) => Steps<StoredPinnedOutput[]>;
};

type Row = SortPosition & (ChainOutputRow | CrossChainOutputRow);

export function createUtxoReads(t: Tables & IndexTables, chainID: Id, outputs: OutputReads, txs: TxReads): UtxoReads {
  const pageSql = (set: OutputSet, sort: OutputSort): string => {
    const [table, column] = sort.sortBy === 'timestamp' ? [t.holding, 'time'] : [t.amount, 'amount'];
    const from =
      set === outputSets.exported || set === outputSets.exportedSpent || set === outputSets.imported
        ? `${crossChainColumns} FROM ${table} h JOIN moved m ON m.seq = -h.seq ${crossChainJoins(t)}`
        : chainOutputsFrom(set, sort, table);
    return `SELECT h.${column} AS key, h.tie, h.seq, ${from} WHERE h.address = ? AND h.shelf = ? AND ${keyRangeSql(column, sort)} LIMIT ? + 0`;
  };
  // Joins only what the row itself does not tell: `holding` has the time, and an output in an unspent set has no row in `spend`.
  const chainOutputsFrom = (set: OutputSet, { sortBy }: OutputSort, table: string): string => {
    const isUnspentSet = set === outputSets.unspent || set === outputSets.multiOwnerUnspent;
    const [time, block] = sortBy === 'timestamp' ? ['h.time', ''] : ['b.time', `JOIN ${t.block} b ON b.height = u.height`];
    const [spent, spend] = isUnspentSet ? ['NULL', ''] : ['s.tx', `LEFT JOIN ${t.spend} s ON s.utxo = u.seq`];
    return `u.height, ${time} AS time, u.bytes, ${spent} AS spent FROM ${table} h JOIN ${t.utxo} u ON u.seq = h.seq ${block} ${spend}`;
  };
  const latest = `SELECT (SELECT max(seq) FROM ${t.tx}) AS tx, (SELECT max(taken_time) FROM moved) AS taken`;

  const pageTexts = new Map<string, string>();
  /** A text is built once: the statement cache would have to hash a new one for every query. */
  const cachedPageSql = (set: OutputSet, sort: OutputSort): string => {
    const key = `${set} ${sort.sortBy} ${sort.order}`;
    const text = pageTexts.get(key) ?? pageSql(set, sort);
    pageTexts.set(key, text);
    return text;
  };

  const setSource = (address: Address, set: OutputSet, sort: OutputSort, range: KeyRange): RowSource<Row> => {
    const text = cachedPageSql(set, sort);
    const owner = addressToBytes(address);
    return {
      queryAfter: (row, limit) => ({ text, values: [owner, set, ...keyRangeValues(row ? { ...range, after: row } : range), limit] }),
    };
  };

  function* utxos(query: UtxoQuery, sets = allOutputSets): Steps<StoredPinnedOutput[]> {
    const { pin, includeSpent, sortBy, limit } = query;
    if (query.minAmount > maxU64 || limit < 1) return [];
    const asset = query.asset === undefined ? undefined : idToBytes(query.asset);
    const addresses = [...new Set(query.addresses)];
    const full = fullKeyRange(query, pin.time, query.minAmount);
    const after = query.after === undefined ? undefined : yield* sortPositionAt(query.after, sortBy, pin);
    const range = after === undefined ? full : { ...full, after };
    const compare = positionComparator(query);
    const matches = queryFilter(query);
    const toItem = (row: Row): StoredPinnedOutput | undefined => {
      if ((asset && !hasAsset(row.bytes, asset)) || !(includeSpent || outputs.isUnspent(row, pin))) return undefined;
      if (matches(row.bytes)) return outputs.toPinnedOutput(row, pin);
      // The filter reads unverified bytes: a damaged output must be an error, not a missing item.
      decodeStoredUtxo(row.bytes);
      return undefined;
    };
    const listed = includeSpent ? [...sets.unspent, ...sets.spent] : sets.unspent;
    const sources = addresses.flatMap((address) => listed.map((set) => setSource(address, set, query, range)));
    const page = yield* mergeSources({ sources, compare, toItem, limit });

    // Outputs that were spent after the pinned block are no longer in their unspent set. They are looked up after the page was read, so that
    // those spent in the meantime are found as well.
    const [last] = yield* fetchRows<{ tx: number | null; taken: number | null }>([{ text: latest, values: [] }]);
    if ((last?.tx ?? 0) <= pin.lastTx && (last?.taken ?? 0) <= pin.time) return page;
    const end = page.length === limit ? sortPositionOf(sortBy, page[limit - 1] as StoredPinnedOutput) : undefined;
    const isInside = (found: StoredPinnedOutput): boolean => {
      const position = sortPositionOf(sortBy, found);
      return compare(position, range.after) > 0 && (end === undefined || compare(position, end) < 0);
    };
    const listedSeqs = new Set(page.map(({ seq }) => seq));
    const spentSince = yield* raceSteps([
      spentSinceByTxs(addresses, pin),
      spentSinceBySets(addresses, sets.spent, query, end === undefined ? range : { ...range, end: end.key }),
    ]);
    const wasInSets = ({ seq, utxo }: StoredPinnedOutput) => sets.unspent.includes(seq < 0 ? outputSets.exported : unspentSet(utxo));
    const all = [
      ...page,
      ...spentSince.filter((found) => !listedSeqs.has(found.seq) && wasInSets(found) && matches(found.stored) && isInside(found)),
    ];
    if (all.length === page.length) return page;
    const positions = new Map(all.map((found) => [found, sortPositionOf(sortBy, found)]));
    return all.sort((a, b) => compare(positions.get(a) as SortPosition, positions.get(b) as SortPosition)).slice(0, limit);
  }

  function* sortPositionAt(seq: number, sortBy: OutputSort['sortBy'], pin: PinnedBlock): Steps<SortPosition | undefined> {
    const [row] = yield* fetchRows<ChainOutputRow | CrossChainOutputRow>([outputs.bySeq(seq)]);
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
      const consumed = rows.flatMap((row) => consumedIds(parseStoredTx(row)));
      for (const row of yield* fetchRows<ChainOutputRow>(outputs.byId(consumed.map(idToBytes)))) collect(row);
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
    range: KeyRange,
  ): Steps<StoredPinnedOutput[]> {
    const found = new Map<number, StoredPinnedOutput>();
    let unfinished = addresses.flatMap((address) =>
      spentSets
        .filter(wasUnspentHere)
        .map((set) => ({ source: setSource(address, set, query, range), last: undefined as Row | undefined })),
    );
    for (let size = firstSize; unfinished.length > 0; size = Math.min(size * 2, largestSize)) {
      const batches = (yield unfinished.map(({ source, last }) => source.queryAfter(last, size))) as readonly (readonly Row[])[];
      for (const row of batches.flat())
        if (outputs.isUnspent(row, query.pin)) found.set(row.seq, outputs.toPinnedOutput(row, query.pin) as StoredPinnedOutput);
      unfinished = unfinished.flatMap(({ source }, i) => {
        const last = batches[i]?.[size - 1];
        return last === undefined ? [] : [{ source, last }];
      });
      yield endOfTurn;
    }
    return [...found.values()];
  }

  return { utxos };
}

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
