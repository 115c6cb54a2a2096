import { type Block, parseBlock } from '../../avm/tx/block.ts';
import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import { parseTx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idFromBytes, idOf, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { maxGenesisBytes, versionSize } from '../../base/codec/pack.ts';
import type { StoredBlock } from '../../ledger/state/block-change.ts';
import type { ChainState } from '../../ledger/state/chain-state.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import type { Store } from '../../ledger/store/store.ts';
import type { FindUtxo } from '../summary/summarize-tx.ts';
import { type EventLog, type LogEntry, maxBytesPerRead, maxEntriesPerRead } from './event-log.ts';
import { eventLogSchema, revertedBlockTriggers } from './event-log-schema.ts';

/** The event log in the node's own database. */
export type SqliteEventLog = Omit<EventLog, 'last'> & {
  readonly last: () => number;
  /** Adds a chain. In the writer process: starts a new log if the log does not end with the chain's last block. */
  readonly addChain: (chain: LoggedChain) => void;
  /** Adds blocks to the log. Must run inside the transaction that stores them. */
  readonly append: (chainNumber: number, blocks: readonly Pick<StoredBlock, 'block'>[]) => void;
};

type LoggedChain = { readonly number: number; readonly state: Pick<ChainState, 'id' | 'block' | 'lastAccepted' | 'storedUtxo'> };

type EventLogOptions = {
  readonly random: (length: number) => Uint8Array;
  /** Entries that are kept; older ones are deleted. */
  readonly maxEntries?: number;
  /** Bytes of reverted blocks that are kept for clients that resume from before the revert. */
  readonly maxRevertedBytes?: number;
};

const defaultMaxEntries = 100_000;
const defaultMaxRevertedBytes = 64 * 1024 * 1024;
/** Reverts whose blocks are kept, so that counting their bytes stays fast. */
const maxKeptReverts = 1000;
/** Old entries are deleted once in so many appended blocks. */
const appendsPerTrim = 256;

/** Opens the event log. Reader processes find the tables that the writer process has created. */
export function openSqliteEventLog(store: Store, options: EventLogOptions): SqliteEventLog {
  const { maxEntries = defaultMaxEntries, maxRevertedBytes = defaultMaxRevertedBytes, random } = options;
  const { db } = store;
  const createID = (): string => Buffer.from(random(6)).toString('hex');
  if (!store.readonly)
    store.write(() => {
      db.exec(eventLogSchema);
      db.prepare('INSERT INTO event_log_meta SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM event_log_meta)').run(createID());
    });
  const chains = new Map<number, LoggedChain & ReturnType<typeof chainQueries>>();
  const logID = db.prepare<{ id: string }>('SELECT id FROM event_log_meta');
  const revertCount = db.prepare<{ reverts: number }>('SELECT reverts FROM event_log_meta');
  const lastSeq = db.prepare<{ seq: number | null }>('SELECT max(seq) AS seq FROM event_log');
  const after = db.prepare<LogRow>('SELECT * FROM event_log WHERE seq > ? ORDER BY seq LIMIT ?');
  const lastOfChain = db.prepare<LogRow>('SELECT * FROM event_log WHERE chain = ? ORDER BY seq DESC LIMIT 1');
  const insert = db.prepare('INSERT INTO event_log(chain, reverted, height, block, time, snapshot) VALUES (?, ?, ?, ?, ?, ?)');
  const trim = db.prepare('DELETE FROM event_log WHERE seq <= (SELECT max(seq) FROM event_log) - ?');
  const reverted = revertedQueries(store);
  let appended = 0;

  const startNewLog = (): void =>
    store.write(() => {
      db.exec('DELETE FROM event_log; DELETE FROM event_log_reverted_block; DELETE FROM event_log_reverted_tx');
      db.prepare('UPDATE event_log_meta SET id = ?').run(createID());
    });

  /** Adds the reverts to the log, in the transaction that restored the earlier state: one entry for each chain whose last block changed. */
  const appendReverts = (snapshot: string | undefined): void => {
    const tips = [...chains.values()].map((chain) => ({ chain, tip: chain.tip.get() as Tip }));
    const changed = tips.filter(({ chain, tip }) => {
      const logged = lastOfChain.get(chain.number);
      return logged !== undefined && idFromBytes(logged.block) !== idFromBytes(tip.id);
    });
    for (const { chain, tip } of changed.length > 0 ? changed : tips.slice(0, 1))
      insert.run(chain.number, 1, tip.height, tip.id, tip.time, snapshot ?? null);
    reverted.trim(revertCount.get()?.reverts ?? 0, maxRevertedBytes);
    db.exec('UPDATE event_log_meta SET reverts = reverts + 1');
  };
  if (!store.readonly) store.onReverting(appendReverts);

  /** Reads a block from the accepted state or, if it was reverted, from its copy. Undefined if it is in neither. */
  const readBlock = (row: LogRow): Extract<LogEntry, { kind: 'block' }> | undefined => {
    const chain = chains.get(row.chain);
    if (chain === undefined) return undefined;
    const id = idFromBytes(row.block);
    const bytes = chain.state.block(id) ?? reverted.block(id);
    if (bytes === undefined) return undefined;
    const block = parseBlock(bytes);
    const fromReverted = memoizeOnce(() => outputsOfReverted(block));
    const spent: FindUtxo = (ref) => chain.state.storedUtxo(ref) ?? fromReverted().get(refId(ref));
    return { kind: 'block', seq: row.seq, chainID: chain.state.id, block, spent };
  };

  /** The outputs that a reverted block spends and that are no longer stored: those of its own transactions and of other reverted ones. */
  const outputsOfReverted = (block: Block): ReadonlyMap<Id, Utxo> => {
    const own = new Map(block.txs.map((tx) => [tx.id, tx]));
    const creators = new Set(block.txs.flatMap(({ unsigned }) => spentRefs(unsigned).map(({ txID }) => txID)));
    const outputs = [...creators].flatMap((txID) => {
      const tx = own.get(txID) ?? reverted.tx(txID);
      return tx === undefined ? [] : effectsOf(tx).created;
    });
    return new Map(outputs.map((utxo) => [utxo.id, utxo]));
  };

  const toRevertedEntry = ({ seq, chain, height, block, time, snapshot }: LogRow): LogEntry | undefined => {
    const chainID = chains.get(chain)?.state.id;
    return chainID && { kind: 'reverted', seq, chainID, height, blockID: idFromBytes(block), time, snapshot: snapshot ?? undefined };
  };

  return {
    id: () => logID.get()?.id ?? '',
    last: () => lastSeq.get()?.seq ?? 0,
    read: (from, known) =>
      store.read(() => {
        const entries: LogEntry[] = [];
        let bytes = 0;
        let next = from + 1;
        for (const row of after.all(from, maxEntriesPerRead)) {
          if (row.seq !== next || bytes > maxBytesPerRead) break;
          const blockInMemory = row.reverted === 1 ? undefined : known?.(idFromBytes(row.block));
          const chainID = chains.get(row.chain)?.state.id;
          const entry: LogEntry | undefined =
            row.reverted === 1
              ? toRevertedEntry(row)
              : blockInMemory && chainID
                ? { kind: 'block', seq: row.seq, chainID, ...blockInMemory }
                : readBlock(row);
          if (entry === undefined) break;
          entries.push(entry);
          bytes += entry.kind === 'block' ? entry.block.bytes.length : 0;
          next++;
        }
        return entries.length > 0 || from === (lastSeq.get()?.seq ?? 0) ? entries : undefined;
      }),
    addChain: (chain) => {
      chains.set(chain.number, { ...chain, ...chainQueries(store, chain.number) });
      if (store.readonly) return;
      store.write(() => db.exec(revertedBlockTriggers(chain.number)));
      const logged = lastOfChain.get(chain.number);
      // The chain got blocks without this log, for example with --strict: a client must not resume over them.
      if (logged !== undefined && idFromBytes(logged.block) !== chain.state.lastAccepted().id) startNewLog();
    },
    append: (chainNumber, blocks) => {
      for (const { block } of blocks) insert.run(chainNumber, 0, Number(block.height), idToBytes(block.id), Number(block.time), null);
      appended += blocks.length;
      if (appended < appendsPerTrim) return;
      appended = 0;
      trim.run(maxEntries);
    },
  };
}

const memoizeOnce = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

type LogRow = {
  readonly seq: number;
  readonly chain: number;
  readonly reverted: number;
  readonly height: number;
  readonly block: Uint8Array;
  readonly time: number;
  readonly snapshot: string | null;
};

type Tip = { readonly id: Uint8Array; readonly height: number; readonly time: number };

function chainQueries({ db }: Store, chain: number) {
  const t = tablesOf(chain);
  return {
    tip: db.prepare<Tip>(`SELECT id, height, time FROM ${t.block} ORDER BY height DESC LIMIT 1`),
  };
}

/** Reads and trims the copies of reverted blocks; see event-log-schema.ts. */
function revertedQueries({ db }: Store) {
  const blockRows = db.prepare<{ revert: number; header: Uint8Array; first_tx: number; tx_count: number }>(
    'SELECT revert, header, first_tx, tx_count FROM event_log_reverted_block WHERE id = ? ORDER BY revert DESC',
  );
  const txsOf = db.prepare<{ bytes: Uint8Array }>(
    'SELECT bytes FROM event_log_reverted_tx WHERE revert = ? AND chain = (SELECT chain FROM event_log_reverted_block WHERE id = ? LIMIT 1) AND seq >= ? AND seq < ? ORDER BY seq',
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
    /**
     * A revert over several snapshots passes through the states between them, and the triggers copy their blocks too, but not their
     * transactions where the reverted chain had others. So the copy whose hash is the ID is searched: that of the revert that left the block.
     */
    block: (id: Id): Uint8Array | undefined => {
      for (const { revert, header, first_tx, tx_count } of blockRows.all(idToBytes(id))) {
        const txs = txsOf.all(revert, idToBytes(id), first_tx, first_tx + tx_count);
        const bytes = concat([header, ...txs.map((tx) => tx.bytes.subarray(versionSize))]);
        if (idOf(bytes) === id) return bytes;
      }
      return undefined;
    },
    tx: (id: Id) => {
      const row = txRow.get(idToBytes(id));
      return row && parseTx(row.bytes, maxGenesisBytes);
    },
    /** Deletes the copies of the oldest reverts until the rest fits in `maxBytes`. `latest`: the number of the revert that just happened. */
    trim: (latest: number, maxBytes: number): void => {
      sizes ??= new Map(reverts.all().map(({ revert }) => [revert, readSize(revert)]));
      sizes.set(latest, readSize(latest));
      let total = 0;
      for (const size of sizes.values()) total += size;
      for (const [revert, size] of sizes) {
        if (total <= maxBytes && sizes.size <= maxKeptReverts) return;
        deleteTxs.run(revert);
        deleteBlocks.run(revert);
        sizes.delete(revert);
        total -= size;
      }
    },
  };
}
