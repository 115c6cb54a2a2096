import { spentRefs } from '../../avm/tx/effects.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { storedProgressTable } from '../index/distribution.ts';
import type { OutputSetSelection } from '../index/output-set.ts';
import type { Sql } from '../index/sql.ts';
import { type OutputSet, outputSets } from '../index/tables.ts';
import { isMovedOutput } from '../state/output-number.ts';
import { unspentSetOf } from '../state/owner-rows.ts';
import type { Tables } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import type { StoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries, type Query, raceQueries } from '../store/queries.ts';
import type { Order, PinnedBlock, UtxoQuery } from './index-reads.ts';
import { positionComparator, type SortPosition, sortPositionOf } from './output-order.ts';
import type { OutputRange, OutputSources, ReadOutputRow } from './output-sources.ts';
import type { ChainOutputRow } from './read-chain-outputs.ts';
import type { CrossChainOutputRow, OutputReads, StoredPinnedOutput } from './read-outputs.ts';
import type { TxReads } from './read-txs.ts';
import type { PinnedOutputs } from './read-utxos.ts';

/** A page that was read: where it began, and the filter by what does not change. */
type ReadPage = {
  readonly page: PinnedOutputs;
  readonly after: SortPosition | undefined;
  readonly range: OutputRange;
  readonly matches: (bytes: StoredUtxo) => boolean;
};

/** Reads outputs that were spent since a pinned block. `sources`: of the same chain. `recentTip`: see `IndexedChain`. */
export function createSpentSinceReads(
  t: Pick<Tables, 'tx'>,
  chainID: Id,
  outputs: OutputReads,
  txs: Pick<TxReads, 'txSeqs' | 'bySeq'>,
  sources: OutputSources,
  dialect: Sql['dialect'],
  recentTip: () => PinnedBlock | undefined = () => undefined,
) {
  /** On PostgreSQL another turn takes longer than to read a thousand rows. */
  const rowsPerTurn = dialect === 'sqlite' ? 0 : 2048;
  /** The last block, if nothing is newer. */
  let newest: PinnedBlock | undefined;
  // With values, so that PostgreSQL plans it once: the driver prepares no statement without them, and planning was four fifths of its time.
  const movedSince = 'EXISTS (SELECT 1 FROM moved WHERE taken_time > ?)';
  const anythingSince = (pin: PinnedBlock): Query =>
    dialect === 'citus'
      ? {
          // The coordinator commits this table before other servers commit what the blocks have changed there.
          text: `SELECT 1 AS newer FROM ${storedProgressTable(dialect)} WHERE chain = ? AND (height > ? OR ${movedSince})`,
          values: [idToBytes(chainID), pin.height, pin.time],
        }
      : {
          text: `SELECT 1 AS newer WHERE EXISTS (SELECT 1 FROM ${t.tx} WHERE seq > ?) OR ${movedSince}`,
          values: [pin.lastTx, pin.time],
        };

  /** Adds what was spent since the pinned block and is not in its unspent set any more. Runs after the page was read, so that nothing is missed. */
  return function* addSpentSince(
    query: UtxoQuery,
    sets: OutputSetSelection,
    { page, after, range, matches }: ReadPage,
  ): Queries<PinnedOutputs> {
    const { pin, sortBy, order, limit } = query;
    const { outputs: listed, readTo } = page;
    const addresses = [...new Set(query.addresses)];
    const compare = positionComparator(query);
    // Still the last block after the page was read: so the index is as it was when nothing newer was found.
    if (pin === newest && pin === recentTip()) return page;
    const newer = yield* fetchRows([anythingSince(pin)]);
    if (newer.length === 0) {
      if (pin === recentTip()) newest = pin;
      return page;
    }
    const end = listed.length === limit ? sortPositionOf(sortBy, listed[limit - 1] as StoredPinnedOutput) : readTo;
    const isInside = (found: StoredPinnedOutput): boolean => {
      const position = sortPositionOf(sortBy, found);
      return (after === undefined || compare(position, after) > 0) && (end === undefined || compare(position, end) <= 0);
    };
    const listedSeqs = new Set(listed.map(({ seq }) => seq));
    const spentSince = yield* raceQueries([
      spentSinceBySets(
        outputs,
        sources,
        addresses,
        sets.spent,
        query,
        sortBy === 'timestamp' ? endRangeAt(range, order, end) : range,
        rowsPerTurn,
      ),
      spentSinceByTxs(addresses, pin),
    ]);
    const wasInSets = ({ seq, utxo }: StoredPinnedOutput) =>
      sets.unspent.includes(isMovedOutput(seq) ? outputSets.exported : unspentSetOf(utxo));
    const all = [
      ...listed,
      ...spentSince.filter((found) => !listedSeqs.has(found.seq) && wasInSets(found) && matches(found.stored) && isInside(found)),
    ];
    if (all.length === listed.length) return page;
    const positions = new Map(all.map((found) => [found, sortPositionOf(sortBy, found)]));
    all.sort((a, b) => compare(positions.get(a) as SortPosition, positions.get(b) as SortPosition));
    return { outputs: all.slice(0, limit), readTo: all.length < limit ? readTo : undefined };
  };

  /** Outputs that were unspent as of the pinned block and were spent since, found by reading the transactions and imports since. */
  function* spentSinceByTxs(addresses: readonly Address[], pin: PinnedBlock): Queries<StoredPinnedOutput[]> {
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
      if (after !== undefined) yield endOfTurn;
    }
    for (let after: CrossChainOutputRow | undefined | null = null; after !== undefined; size = Math.min(size * 2, largestSize)) {
      const rows: readonly CrossChainOutputRow[] = yield* fetchRows<CrossChainOutputRow>([
        outputs.importedElsewhereAfter(after?.taken_time ?? pin.time, -(after?.seq ?? -noEnd), size),
      ]);
      for (const row of rows) if (toHex(row.source) === chainID) collect(row);
      after = rows[size - 1];
      if (after !== undefined) yield endOfTurn;
    }
    return [...found.values()];
  }
}

/** The outputs that `spentSinceByTxs` finds, found by reading the sets of spent outputs. */
function* spentSinceBySets(
  outputs: OutputReads,
  sources: OutputSources,
  addresses: readonly Address[],
  spentSets: readonly OutputSet[],
  query: UtxoQuery,
  range: OutputRange,
  rowsPerTurn: number,
): Queries<StoredPinnedOutput[]> {
  const found = new Map<number, StoredPinnedOutput>();
  let unfinished = addresses.flatMap((address) =>
    spentSets.filter(wasUnspentHere).map((set) => ({
      source: sources.inTimeOrder(address, set, query.order, range, query.pin),
      last: undefined as ReadOutputRow | undefined,
    })),
  );
  for (
    let size = Math.min(largestSize, Math.max(firstSize, Math.ceil(rowsPerTurn / unfinished.length)));
    unfinished.length > 0;
    size = Math.min(size * 2, largestSize)
  ) {
    const batches = (yield unfinished.map(({ source, last }) => source.queryAfter(last, size))) as readonly (readonly ReadOutputRow[])[];
    const read = yield* outputs.addSpenders(batches.flat());
    // The bytes of an output are read from its transaction, so they are read only for outputs that belong to the answer.
    for (const row of yield* outputs.addBytes(read.filter((one) => outputs.isUnspent(one, query.pin))))
      found.set(row.seq, outputs.toPinnedOutput(row, query.pin) as StoredPinnedOutput);
    unfinished = unfinished.flatMap(({ source }, i) => {
      const last = batches[i]?.[size - 1];
      return last === undefined ? [] : [{ source, last }];
    });
    if (unfinished.length > 0) yield endOfTurn;
  }
  return [...found.values()];
}

/** The same range up to the end of a page, which is in the range. An output that moved between chains has no number in the order of time, so it ends no range of numbers. */
function endRangeAt(range: OutputRange, order: Order, end: SortPosition | undefined): OutputRange {
  if (end === undefined) return range;
  const moved = { ...range.moved, end: end.key as number };
  if (end.tie !== undefined) return { ...range, moved };
  return order === 'asc' ? { ...range, moved, below: end.seq + 1 } : { ...range, moved, above: end.seq - 1 };
}

/** True for a set whose outputs were unspent on this chain before: an imported output never was. */
const wasUnspentHere = (set: OutputSet): boolean => set !== outputSets.imported;

/** Rows read in the first turn, and at most: each turn reads twice as many as the one before. */
const [firstSize, largestSize] = [32, 1024];

/** Ends a turn; see `raceQueries`. */
const endOfTurn: readonly Query[] = [];

const noEnd = Number.MAX_SAFE_INTEGER - 1;
