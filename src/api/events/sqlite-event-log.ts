import { type Block, parseBlock } from '../../avm/tx/block.ts';
import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import { parseTx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idFromBytes, idOf, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { maxGenesisBytes, versionSize } from '../../base/codec/pack.ts';
import { migrateTableSet } from '../../ledger/index/table-set.ts';
import type { StoredBlock } from '../../ledger/state/block-change.ts';
import type { ChainState } from '../../ledger/state/chain-state.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { sqliteRunner } from '../../ledger/store/sqlite-runner.ts';
import { createStatementCache } from '../../ledger/store/statement-cache.ts';
import type { Store } from '../../ledger/store/store.ts';
import { type BlockWithSpent, type KnownBlocks, type LogEntry, maxBytesPerRead, maxEntriesPerRead } from './event-log.ts';
import { eventLogTables, revertedBlockTriggers } from './event-log-schema.ts';

/** The event log in the node's own database. */
export type SqliteEventLog = ReturnType<typeof openSqliteEventLog>;

type LoggedChain = { readonly number: number; readonly state: Pick<ChainState, 'id' | 'block' | 'blockIdAt' | 'storedUtxo'> };

/** Entries that clients can resume from; older ones are not read. */
const defaultMaxEntries = 100_000;
/** Bytes of reverted blocks that are kept for clients that resume from before the revert. */
const defaultMaxRevertedBytes = 64 * 1024 * 1024;
/** Reverts whose blocks are kept, so that counting their bytes stays fast. */
const maxKeptReverts = 1000;

/** Opens the event log; creates or migrates its tables. Reader processes find the tables that the writer process has created. */
export function openSqliteEventLog(
  store: Store,
  {
    random,
    maxEntries = defaultMaxEntries,
    maxRevertedBytes = defaultMaxRevertedBytes,
  }: { readonly random: (length: number) => Uint8Array; readonly maxEntries?: number; readonly maxRevertedBytes?: number },
) {
  const { db } = store;
  if (!store.readonly)
    store.write(() => {
      sqliteRunner(db)(migrateTableSet(eventLogTables, 'sqlite'));
      const id = Buffer.from(random(6)).toString('hex');
      db.prepare('INSERT INTO event_log_meta SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM event_log_meta)').run(id);
    });
  const chains = new Map<number, LoggedChain>();
  const { logID, lastRun, runsFrom, insertRun, deleteRunsBefore, beginCopies } = runQueries(store);
  const reverted = revertedQueries(store);
  const prepare = createStatementCache(db);
  const readTip = (chain: number): Tip =>
    prepare(`SELECT ${chain} AS chain, height, id AS block, time FROM ${tablesOf(chain).block} ORDER BY height DESC LIMIT 1`).get() as Tip;

  const endOf = (run: Run | undefined): number => (run === undefined ? 0 : run.seq + readTip(run.chain).height - run.height);
  const lastNumber = (): number => store.read(() => endOf(lastRun.get()));

  const addRun = ({ seq, chain, height, block, time, snapshot }: Run): void => {
    insertRun.run(seq, chain, height, block, time, snapshot);
    deleteRunsBefore.run(seq - maxEntries);
  };

  /** Runs before a revert. The function that it returns adds the revert to the log: one entry for each chain whose last block changed. */
  const beginRevert = (): ((snapshot?: string | null) => void) => {
    const first = lastNumber() + 1;
    const readTips = (): Tip[] => [...chains.keys()].map(readTip);
    const before = new Map(readTips().map(({ chain, block }) => [chain, idFromBytes(block)]));
    beginCopies.run(first);
    return (snapshot = null) => {
      const tips = readTips();
      const changed = tips.filter(({ chain, block }) => idFromBytes(block) !== before.get(chain));
      for (const [i, tip] of (changed.length > 0 ? changed : tips.slice(0, 1)).entries()) addRun({ seq: first + i, ...tip, snapshot });
      const lost = changed.length > 0 ? reverted.trim(first, maxRevertedBytes) : undefined;
      // Without the copies, other blocks of the same heights would be taken for those of the earlier entries.
      if (lost !== undefined) deleteRunsBefore.run(lost);
    };
  };
  if (!store.readonly) store.onReverting(beginRevert);

  const readEntry = (run: Run, number: number, isAccepted: boolean, known: KnownBlocks | undefined): LogEntry | undefined => {
    const chain = chains.get(run.chain);
    if (chain === undefined) return undefined;
    const chainID = chain.state.id;
    const { height, block: revertedTo, time, snapshot } = run;
    if (number === run.seq && revertedTo !== null && time !== null)
      return { kind: 'reverted', number, chainID, height, blockID: idFromBytes(revertedTo), time, snapshot: snapshot ?? undefined };
    const block = readLoggedBlock(chain, { entry: number, height: height + number - run.seq, isAccepted }, reverted, known);
    return block && { kind: 'block', number, chainID, ...block };
  };

  const readEntries = (from: number, known: KnownBlocks | undefined): readonly LogEntry[] | undefined => {
    const newest = lastRun.get();
    const end = endOf(newest);
    if (from === end) return [];
    if (newest === undefined || from > end || from < end - maxEntries) return undefined;
    const runs = from + 1 < newest.seq ? runsFrom.all(from + 1, maxEntriesPerRead) : [newest];
    const entries: LogEntry[] = [];
    const stop = Math.min(end, from + maxEntriesPerRead);
    for (let number = from + 1, bytes = 0; number <= stop && bytes <= maxBytesPerRead; number++) {
      if (runs[1]?.seq === number) runs.shift();
      const entry = runs[0] && readEntry(runs[0], number, runs[0].seq === newest.seq, known);
      if (entry === undefined) break;
      entries.push(entry);
      bytes += entry.kind === 'block' ? entry.block.bytes.length : 0;
    }
    return entries.length > 0 ? entries : undefined;
  };

  return {
    id: async () => logID.get()?.id ?? '',
    last: async () => lastNumber(),
    read: async (after: number, known?: KnownBlocks) => store.read(() => readEntries(after, known)),
    /** The same as `last`, at once: a live event comes after all entries that were written before it. */
    lastNumber,
    /** Adds a chain. In the writer process: its reverted blocks are copied from then on. */
    addChain: (chain: LoggedChain): void => {
      chains.set(chain.number, chain);
      if (!store.readonly) store.write(() => db.exec(revertedBlockTriggers(chain.number)));
    },
    /** Adds blocks to the log. Must run inside the transaction that stores them. It writes nothing unless the last entry is of another chain. */
    append: (chainNumber: number, [first]: readonly Pick<StoredBlock, 'block'>[]): void => {
      if (first !== undefined && lastRun.get()?.chain !== chainNumber)
        addRun({ seq: lastNumber() + 1, chain: chainNumber, height: Number(first.block.height), block: null, time: null, snapshot: null });
    },
  };
}

type RevertedQueries = ReturnType<typeof revertedQueries>;

/**
 * Reads the block of the entry with a number: from memory, from the accepted state or, if it was reverted, from its copy. Undefined if it is in none.
 * `isAccepted`: the entry is of the last run, so there was no revert after it.
 */
function readLoggedBlock(
  { number, state }: LoggedChain,
  { entry, height, isAccepted }: { readonly entry: number; readonly height: number; readonly isAccepted: boolean },
  reverted: RevertedQueries,
  known: KnownBlocks | undefined,
): BlockWithSpent | undefined {
  const id = (isAccepted ? undefined : reverted.idAfter(entry, number, height)) ?? state.blockIdAt(BigInt(height));
  if (id === undefined) return undefined;
  const inMemory = known?.(id);
  if (inMemory !== undefined) return inMemory;
  const bytes = state.block(id) ?? reverted.block(number, height, id);
  if (bytes === undefined) return undefined;
  const block = parseBlock(bytes);
  const fromReverted = memoizeOnce(() => outputsOfReverted(block, reverted));
  return { block, spent: (ref) => state.storedUtxo(ref) ?? fromReverted().get(refId(ref)) };
}

/** The outputs that a reverted block spends and that are no longer stored: those of its own transactions and of other reverted ones. */
function outputsOfReverted(block: Block, reverted: Pick<RevertedQueries, 'tx'>): ReadonlyMap<Id, Utxo> {
  const own = new Map(block.txs.map((tx) => [tx.id, tx]));
  const creators = new Set(block.txs.flatMap(({ unsigned }) => spentRefs(unsigned).map(({ txID }) => txID)));
  const outputs = [...creators].flatMap((txID) => {
    const tx = own.get(txID) ?? reverted.tx(txID);
    return tx === undefined ? [] : effectsOf(tx).created;
  });
  return new Map(outputs.map((utxo) => [utxo.id, utxo]));
}

const memoizeOnce = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** A row of `event_log`, a run of entries; see event-log-schema.ts. */
type Run = {
  /** The number of its first entry. */
  readonly seq: number;
  readonly chain: number;
  readonly height: number;
  readonly block: Uint8Array | null;
  readonly time: number | null;
  readonly snapshot: string | null;
};

/** The last block of a chain. */
type Tip = { readonly chain: number; readonly height: number; readonly block: Uint8Array; readonly time: number };

/** Reads and writes the runs of entries; see event-log-schema.ts. */
const runQueries = ({ db }: Store) => ({
  logID: db.prepare<{ id: string }>('SELECT id FROM event_log_meta'),
  lastRun: db.prepare<Run>('SELECT * FROM event_log ORDER BY seq DESC LIMIT 1'),
  /** From the run that contains an entry on. */
  runsFrom: db.prepare<Run>('SELECT * FROM event_log WHERE seq >= (SELECT max(seq) FROM event_log WHERE seq <= ?) ORDER BY seq LIMIT ?'),
  insertRun: db.prepare('INSERT INTO event_log VALUES (?, ?, ?, ?, ?, ?)'),
  /** The run that contains the entry stays. */
  deleteRunsBefore: db.prepare('DELETE FROM event_log WHERE seq < (SELECT max(seq) FROM event_log WHERE seq <= ?)'),
  beginCopies: db.prepare('UPDATE event_log_meta SET revert = ?'),
});

/** Reads and trims the copies of reverted blocks; see event-log-schema.ts. */
function revertedQueries({ db }: Store) {
  const firstCopy = db.prepare<{ id: Uint8Array }>(
    'SELECT id FROM event_log_reverted_block WHERE chain = ? AND height = ? AND revert > ? ORDER BY revert LIMIT 1',
  );
  const copies = db.prepare<{ revert: number; header: Uint8Array; first_tx: number; tx_count: number }>(
    'SELECT revert, header, first_tx, tx_count FROM event_log_reverted_block WHERE chain = ? AND height = ? AND id = ? ORDER BY revert DESC',
  );
  const txsOf = db.prepare<{ bytes: Uint8Array }>(
    'SELECT bytes FROM event_log_reverted_tx WHERE revert = ? AND chain = ? AND seq >= ? AND seq < ? ORDER BY seq',
  );
  const txRow = db.prepare<{ bytes: Uint8Array }>('SELECT bytes FROM event_log_reverted_tx WHERE id = ? LIMIT 1');
  const sizeOf = db.prepare<{ bytes: number | null }>('SELECT sum(length(bytes)) AS bytes FROM event_log_reverted_tx WHERE revert = ?');
  const reverts = db.prepare<{ revert: number }>('SELECT DISTINCT revert FROM event_log_reverted_tx ORDER BY revert');
  const deleteTxs = db.prepare('DELETE FROM event_log_reverted_tx WHERE revert <= ?');
  const deleteBlocks = db.prepare('DELETE FROM event_log_reverted_block WHERE revert <= ?');
  const readSize = (revert: number): number => sizeOf.get(revert)?.bytes ?? 0;
  /** Bytes of each revert, oldest first; read once, since a revert must be fast. */
  let sizes: Map<number, number> | undefined;
  return {
    /** The ID of the block that an entry is about, if a revert after the entry removed it. */
    idAfter: (entry: number, chain: number, height: number): Id | undefined => {
      const row = firstCopy.get(chain, height, entry);
      return row && idFromBytes(row.id);
    },
    /** A revert that changes only the row of a block copies it without its transactions. So the copy whose hash is the ID is searched. */
    block: (chain: number, height: number, id: Id): Uint8Array | undefined => {
      for (const { revert, header, first_tx, tx_count } of copies.all(chain, height, idToBytes(id))) {
        const txs = txsOf.all(revert, chain, first_tx, first_tx + tx_count);
        const bytes = concat([header, ...txs.map((tx) => tx.bytes.subarray(versionSize))]);
        if (idOf(bytes) === id) return bytes;
      }
      return undefined;
    },
    tx: (id: Id) => {
      const row = txRow.get(idToBytes(id));
      return row && parseTx(row.bytes, maxGenesisBytes);
    },
    /**
     * Deletes the copies of the oldest reverts until the rest fits in `maxBytes`, and returns the newest of these reverts. `latest`: the number
     * of the revert that just happened.
     */
    trim: (latest: number, maxBytes: number): number | undefined => {
      sizes ??= new Map(reverts.all().map(({ revert }) => [revert, readSize(revert)]));
      sizes.set(latest, readSize(latest));
      let total = 0;
      let lost: number | undefined;
      for (const size of sizes.values()) total += size;
      for (const [revert, size] of sizes) {
        if (total <= maxBytes && sizes.size <= maxKeptReverts) break;
        deleteTxs.run(revert);
        deleteBlocks.run(revert);
        lost = revert;
        sizes.delete(revert);
        total -= size;
      }
      return lost;
    },
  };
}
