import { utxoIdBytes } from '../../avm/tx/utxo.ts';
import { compare, equal } from '../../base/bytes/octets.ts';
import { type Queries, type Query, runAllTogether, runTogether } from '../store/queries.ts';
import { aboveNewRuns, createRunQueries, type IdPrefix, newRunOf, newRunRows, type OutputIdRow, prefixOfBytes } from './output-id-runs.ts';
import { outputNumber, txOfOutput } from './output-number.ts';
import { createdCount, verifyStoredTx } from './stored-tx.ts';
import { outputsAreKnown } from './tx-outputs.ts';

/*
 * Finds outputs by UTXO ID. Only page cursors of avm.getUTXOs, searches and the explorer need it: an input names a transaction and an index. IDs
 * are hashes, so an index of them would change a page of its own for nearly every output. Instead, the IDs of many outputs after each other are
 * written at once as a run; see output-id-runs.ts. A look-up reads some rows of runs, and the transactions that they name; the IDs of the
 * newest outputs, which are in no run, are computed from their transactions.
 */

/** Outputs after which a run ends, with the transaction that created the last of them. */
const outputsPerRun = 16_384;
/** Transactions after which a run ends at the latest: those behind the last run are read when a process starts. */
const txsPerRun = 65_536;

/** The prefix of an ID in hex. */
const prefixOfId = (id: string): IdPrefix => Number.parseInt(id.slice(0, 8), 16);

/** The outputs behind the last run. */
type RecentIds = {
  /** The number of the next run, and the last transaction of the run before it. */
  readonly run: () => number;
  readonly after: () => number;
  /** The transaction up to which outputs were added. */
  readonly upTo: () => number;
  /** Adds the outputs of the next transaction. Returns the rows of runs that end with it or before it. */
  readonly add: (tx: number, prefixes: readonly IdPrefix[]) => OutputIdRow[];
  /** Forgets the outputs of runs that another process has written. */
  readonly forget: (run: number, after: number) => void;
  /** Transactions that may have created the output. */
  readonly find: (prefix: IdPrefix) => number[];
};

/** `run`, `after`: see `RecentIds`. */
export function createRecentIds(run = 0, after = 0): RecentIds {
  let prefixes: IdPrefix[] = [];
  let txs: number[] = [];
  let upTo = after;

  const endRun = (lastTx: number): OutputIdRow[] => {
    const rows = newRunRows(run, lastTx, prefixes, txs);
    [prefixes, txs] = [[], []];
    run++;
    after = lastTx;
    return rows;
  };
  return {
    run: () => run,
    after: () => after,
    upTo: () => upTo,
    add: (tx, added) => {
      const rows: OutputIdRow[] = [];
      while (tx - after > txsPerRun) rows.push(...endRun(after + txsPerRun));
      for (const prefix of added) {
        prefixes.push(prefix);
        txs.push(tx);
      }
      upTo = tx;
      if (prefixes.length >= outputsPerRun) rows.push(...endRun(tx));
      return rows;
    },
    forget: (nextRun, lastTx) => {
      const first = txs.findIndex((tx) => tx > lastTx);
      [prefixes, txs] = first < 0 ? [[], []] : [prefixes.slice(first), txs.slice(first)];
      run = nextRun;
      after = lastTx;
      upTo = Math.max(upTo, lastTx);
    },
    find: (prefix) => {
      const found: number[] = [];
      for (let at = prefixes.indexOf(prefix); at >= 0; at = prefixes.indexOf(prefix, at + 1)) found.push(txs[at] as number);
      return found;
    },
  };
}

/** Six characters of an ID in CB58 leave this many prefixes at most. */
const maxPrefixes = 4;

type OutputIdReads = {
  /** The IDs behind the last run up to a transaction, which must be the last stored one if they have to be read. */
  readonly recentUpTo: (tx: number) => Queries<RecentIds>;
  /** The numbers of outputs by their IDs; undefined where there is none. Outputs of `old_utxo` are not found. */
  readonly find: (ids: readonly Uint8Array[]) => Queries<(number | undefined)[]>;
  /** IDs in a range, both ends included, in order. Ranges of more than `maxPrefixes` prefixes are too wide: none is found. */
  readonly between: (low: Uint8Array, high: Uint8Array) => Queries<Uint8Array[]>;
  /** Merges runs after new ones were stored: their number was `before` and is `after`. */
  readonly merge: (before: number, after: number) => Queries<void>;
  /** Forgets the IDs behind the last run, after a failed commit. */
  readonly forgetRecent: () => void;
};

/** Creates the reads of a chain's IDs. `epoch`: number of reverts so far. */
export function createOutputIdReads(t: { readonly tx: string; readonly outputId: string }, epoch: () => number): OutputIdReads {
  const lastRun = `SELECT number, last_tx FROM ${t.outputId} WHERE number < ${aboveNewRuns} ORDER BY number DESC LIMIT 1`;
  const stored = createRunQueries(t.outputId);
  const txsAfter = `SELECT x.seq, x.id, x.bytes, CASE WHEN ${outputsAreKnown} THEN 1 ELSE 0 END AS known FROM ${t.tx} x
    WHERE x.seq > ? ORDER BY x.seq LIMIT ${txsPerRead}`;
  const txOf = `SELECT id, bytes FROM ${t.tx} WHERE seq = ?`;
  const newerThan = (ids: RecentIds): Query => ({ text: txsAfter, values: [ids.upTo()] });
  let recent: { readonly ids: RecentIds; readonly epoch: number } | undefined;

  /** The IDs that were read before; undefined after a revert, and in a new process. */
  const knownIds = (): RecentIds | undefined => (recent?.epoch === epoch() ? recent.ids : undefined);

  function* readRecent(): Queries<RecentIds> {
    const readAt = epoch();
    const known = knownIds();
    // Newer transactions are read in the same round trip as the last run if this process knows from where on.
    const [found, ahead] = (yield [{ text: lastRun, values: [] }, ...(known === undefined ? [] : [newerThan(known)])]) as [
      readonly LastRunRow[],
      (readonly TxRow[])?,
    ];
    const last = found[0];
    const [run, after] = last === undefined ? [0, 0] : [newRunOf(last.number) + 1, last.last_tx];
    if (recent?.epoch !== readAt) recent = { ids: createRecentIds(run, after), epoch: readAt };
    const { ids } = recent;
    if (ids.run() !== run) ids.forget(run, after);
    for (let next = ids === known ? ahead : undefined; ; next = undefined) {
      const rows = next ?? ((yield [newerThan(ids)]) as readonly (readonly TxRow[])[])[0] ?? [];
      for (const row of rows) {
        // Another reader may have added it meanwhile.
        if (row.seq <= ids.upTo()) continue;
        verifyStoredTx(row);
        const count = row.known === 0 ? 0 : createdCount(row.bytes);
        ids.add(
          row.seq,
          Array.from({ length: count }, (_, index) => prefixOfBytes(utxoIdBytes(row.id, 0, index))),
        );
      }
      if (rows.length < txsPerRead) return ids;
    }
  }

  return {
    // The writer knows them already.
    recentUpTo: function* (tx) {
      if (recent?.epoch === epoch() && recent.ids.upTo() === tx) return recent.ids;
      recent = undefined;
      return yield* readRecent();
    },
    find: function* (wanted) {
      if (wanted.length === 0) return [];
      const findStored = (run: number) => runAllTogether(wanted.map((id) => stored.find(run, prefixOfBytes(id))));
      // Nearly always no run has ended since the last look-up, so its rows are read in the same round trip.
      const knownRun = knownIds()?.run();
      const [ids, ahead] = yield* runTogether(readRecent(), knownRun === undefined ? runAllTogether<number[]>([]) : findStored(knownRun));
      const inRuns = ids.run() === knownRun ? ahead : yield* findStored(ids.run());
      return yield* runAllTogether(
        wanted.map((id, i) => resolve(id, [...new Set([...ids.find(prefixOfBytes(id)), ...(inRuns[i] ?? [])])])),
      );
    },
    between: function* (low, high) {
      const [first, last] = [prefixOfBytes(low), prefixOfBytes(high)];
      if (last - first >= maxPrefixes) return [];
      const ids = yield* readRecent();
      const candidates = new Set<number>();
      for (let prefix = first; prefix <= last; prefix++)
        for (const tx of [...ids.find(prefix), ...(yield* stored.find(ids.run(), prefix))]) candidates.add(tx);
      const found: Uint8Array[] = [];
      for (const tx of candidates)
        for (const id of idsOf(yield* readTx(tx))) if (compare(id, low) >= 0 && compare(id, high) <= 0) found.push(id);
      return found.sort(compare);
    },
    merge: stored.merge,
    forgetRecent: () => {
      recent = undefined;
    },
  };

  /** The output among those of some transactions that has an ID. */
  function* resolve(id: Uint8Array, txs: readonly number[]): Queries<number | undefined> {
    for (const tx of txs) {
      let index = 0;
      for (const one of idsOf(yield* readTx(tx))) {
        if (equal(one, id)) return outputNumber(tx, index);
        index++;
      }
    }
    return undefined;
  }

  function* readTx(tx: number): Queries<Pick<TxRow, 'id' | 'bytes'> | undefined> {
    const [rows] = (yield [{ text: txOf, values: [tx] }]) as readonly TxRow[][];
    return rows?.[0];
  }
}

/** The IDs of the outputs of a stored transaction, by index; each is computed when it is asked for. */
function* idsOf(row: Pick<TxRow, 'id' | 'bytes'> | undefined): Generator<Uint8Array, void> {
  if (row === undefined) return;
  verifyStoredTx(row);
  const count = createdCount(row.bytes);
  for (let index = 0; index < count; index++) yield utxoIdBytes(row.id, 0, index);
}

/** Adds the outputs of stored transactions up to `lastTx`, in the order of their numbers. Returns the rows of runs that end. */
export function addIdsOf(recent: RecentIds, created: readonly NumberedId[], lastTx: number): OutputIdRow[] {
  const rows: OutputIdRow[] = [];
  for (let at = 0; at < created.length; ) {
    const tx = txOfOutput((created[at] as NumberedId).seq);
    const prefixes: IdPrefix[] = [];
    for (; at < created.length && txOfOutput((created[at] as NumberedId).seq) === tx; at++)
      prefixes.push(prefixOfId((created[at] as NumberedId).utxo.id));
    rows.push(...recent.add(tx, prefixes));
  }
  if (recent.upTo() < lastTx) rows.push(...recent.add(lastTx, []));
  return rows;
}

type NumberedId = { readonly seq: number; readonly utxo: { readonly id: string } };

type LastRunRow = Pick<OutputIdRow, 'number' | 'last_tx'>;
type TxRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: Uint8Array; readonly known: number };

/** Transactions read at once. */
const txsPerRead = 1024;
