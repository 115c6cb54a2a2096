import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import { cacheByVersion } from '../../base/cache/memoize.ts';
import { createCheckpointer } from './checkpointer.ts';
import { type Database, memoryPath, type OpenDatabase } from './database.ts';
import { makeStoreError, StoreError } from './fault.ts';
import { type PageChecksums, recordOrDiscard } from './page-checksums.ts';
import { createTransactions, type Transactions } from './transaction.ts';

/** The database of a node: one SQLite file with the data of all its chains. */
export type Store = Omit<Transactions, 'writes'> & {
  readonly db: Database;
  readonly readonly: boolean;
  /** Writes a row and reads it back; throws if the database does not accept writes or a row was found damaged. */
  readonly probeWrite: () => void;
  /** Records that a row was found damaged: `probeWrite` fails from then on. */
  readonly noteDamage: (description: string) => void;
  /** Sizes in bytes of the database file and of its write-ahead log. */
  readonly sizes: () => { file: number; wal: number };
  /**
   * A number that changes with every commit: while it stays the same, reads return the same. Compare it before and after a read. Undefined
   * inside a transaction, and in a reader process that cannot see commits without a query.
   */
  readonly version: () => number | undefined;
  /** Number of reverts so far. Caches of anything that depends on accepted state have it in their keys. */
  readonly epoch: () => number;
  /**
   * Replaces the accepted state: runs `work` and increments the epoch in one transaction, then calls the listeners, also if it failed. Writes
   * inside `work` are part of that transaction; it calls `reload` to have the listeners read what it has written so far. `snapshot` is the name
   * of the restored state, if it has one.
   */
  readonly revert: (work: (reload: () => void) => void, snapshot?: string) => void;
  /** Registers a listener that runs in the transaction of every revert, before the state is restored; what it returns runs afterwards. */
  readonly onReverting: (listener: RevertingListener) => void;
  /** Registers a listener that clears what was read before a revert: it is called by `reload` and after every revert by this process, also a failed one. */
  readonly onReload: (listener: () => void) => void;
  /** Registers a listener that is called after every revert that is committed, for example to tell others. Not by `reload`: then it may still fail. */
  readonly onReverted: (listener: () => void) => void;
  /** Returns false if the disk fails such that the database must be left open; see `createClose`. */
  readonly close: () => boolean;
};

type RevertingListener = () => (snapshot: string | undefined) => void;

export type StoreOptions = {
  /** Path of the file, or `memoryPath`. */
  readonly path: string;
  readonly networkID: number;
  /** An ID of the network's genesis; a database created with another one is rejected. */
  readonly genesis: Id;
  readonly readonly?: boolean;
  /** Provides `version` in a reader process; see `OpenDatabaseOptions`. */
  readonly watchesCommits?: boolean;
  /** No other process opens the file meanwhile: reads then need no lock and are a few microseconds faster. */
  readonly exclusive?: boolean;
  /** Size of SQLite's page cache in bytes. */
  readonly cacheBytes?: number;
  /** Checksums of the file's pages, updated before every checkpoint. */
  readonly pageChecksums?: Omit<PageChecksums, 'verify' | 'rebuild'> | undefined;
  /** The end of this process; see `createClose`. */
  readonly process?: ProcessEnd | undefined;
  /** When a commit is on disk; `commit` by default. */
  readonly durability?: Durability | undefined;
  /** Called after a checkpoint: all commits so far are on disk. */
  readonly onCheckpoint?: (() => void) | undefined;
  /** Pages in the write-ahead log at which a checkpoint starts; 6000 by default. */
  readonly pagesPerCheckpoint?: number | undefined;
};

/**
 * `commit`: a commit is on disk when it returns. `checkpoint`: with the next checkpoint at the latest. A killed process loses nothing either
 * way; after a power cut the database is as it was after one of the commits since the last checkpoint.
 */
type Durability = 'commit' | 'checkpoint';

type ProcessEnd = {
  /** Runs a function when the process exits; returns a function that cancels this. */
  readonly onExit: (run: () => void) => () => void;
  /** Ends the process at once, without closing files. */
  readonly abandon: () => void;
};

/**
 * Size of the page cache of a command that writes a whole database, as `serac reindex` does. Keys are hashes, so the rows of a block are in
 * pages all over the tables. 256 MiB saved no CPU time with 10^6 outputs: the operating system caches the file too.
 */
export const offlineCacheBytes = 33_554_432;

/** Incremented with every change of the tables, here or in `state/`. */
export const schemaVersion = 1;

export function openStore(open: OpenDatabase, options: StoreOptions): Store {
  try {
    const db = open(options.path, { readonly: options.readonly ?? false, watchesCommits: options.watchesCommits ?? false });
    const close = createClose(db, options);
    try {
      return createStore(db, options, close);
    } catch (cause) {
      close();
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof StoreError ? cause : makeStoreError(`cannot open the database ${options.path}`, cause);
  }
}

function createStore(db: Database, options: StoreOptions, close: Store['close']): Store {
  const { readonly = false } = options;
  db.exec(pragmaSql(options));
  rejectForeignDatabase(db, options.path);
  const transactions = createTransactions(db, options.path === memoryPath, options.pageChecksums?.distrustLog);
  if (!readonly) transactions.write(() => createMeta(db, options));
  checkMeta(db, options);
  db.exec(`PRAGMA busy_timeout = ${readonly ? 2000 : writerBusyTimeout}`);
  const checkpointer = createCheckpointer(db, options.pageChecksums, options.onCheckpoint, options.pagesPerCheckpoint);
  const probe = createWriteProbe(db, transactions);
  // Every write of the writer process goes through `transactions`; a reader process sees the commits of the writer.
  const version = (): number | undefined => {
    const writes = transactions.writes();
    return readonly && writes !== undefined ? db.commitVersion?.() : writes;
  };
  let damage: string | undefined;
  const pages = db.prepare<{ page_count: number }>('PRAGMA page_count');
  const pageSize = db.prepare<{ page_size: number }>('PRAGMA page_size');
  const write: Transactions['write'] = (work) => {
    const result = transactions.write(work);
    checkpointer.afterWrite();
    return result;
  };
  return {
    db,
    readonly,
    read: transactions.read,
    write,
    version,
    ...createEpochs(db, write, readonly, version),
    probeWrite: () => {
      if (damage !== undefined) throw new StoreError(damage, { code: 'STORE_DAMAGED' });
      probe();
    },
    noteDamage: (description) => {
      damage = description;
    },
    sizes: () => ({ file: (pages.get()?.page_count ?? 0) * (pageSize.get()?.page_size ?? 0), wal: db.walBytes() }),
    close,
  };
}

/**
 * SQLite checkpoints when the last connection closes, so the checksums must be recorded before. On a disk that fails, neither that nor discarding
 * them may be possible: the connection is then left open, and the log keeps the pages for the next start. Returns a function that closes the database
 * and says whether it did.
 *
 * Bun closes at the exit what is still open: after a second Ctrl-C, an uncaught error, or if this function left the database open. If the checksums cannot
 * be recorded then either, the process is ended before Bun closes the database.
 */
function createClose(db: Database, { pageChecksums, process }: StoreOptions): Store['close'] {
  const isReady = (): boolean => pageChecksums === undefined || recordOrDiscard(pageChecksums);
  const cancelExit =
    pageChecksums &&
    process?.onExit(() => {
      if (!isReady()) process.abandon();
    });
  return () => {
    if (!isReady()) {
      leftOpen.add(db);
      return false;
    }
    db.close();
    cancelExit?.();
    return true;
  };
}

/** Connections that must not be closed, not even by the garbage collector. */
const leftOpen = new Set<Database>();

/**
 * Milliseconds. Waiting for a lock blocks the whole process, so the timeout is short. No other node writes here (see lock.ts): a lock is held
 * only by a backup or an inspection tool, and not for long.
 */
const writerBusyTimeout = 100;

/**
 * The PRAGMA statements for a new connection. `synchronous = FULL`: accepted blocks survive a power cut; `NORMAL`: SQLite waits for the disk
 * only at checkpoints. SQLite's automatic checkpoints are off: `createCheckpointer` runs them between commits. A small page cache is enough,
 * since the operating system caches the file too.
 */
const pragmaSql = ({ path, readonly = false, exclusive = false, cacheBytes = 8_388_608, durability }: StoreOptions): string =>
  [
    // After a crash the first process that opens the file recovers it and holds a lock meanwhile; that may be a reader process.
    'busy_timeout = 5000',
    // Negative: in KiB. A positive number would be a number of pages.
    `cache_size = -${Math.max(1, Math.floor(cacheBytes / 1024))}`,
    'temp_store = MEMORY',
    // REPLACE then also fires the delete triggers of the undo log (ledger/snapshot/undo-log.ts).
    'recursive_triggers = ON',
    // What the schema of a file says, such as a default value, must not call functions with side effects.
    'trusted_schema = OFF',
    ...(exclusive ? ['locking_mode = EXCLUSIVE'] : []),
    ...(readonly || path === memoryPath
      ? []
      : ['journal_mode = WAL', `synchronous = ${durability === 'checkpoint' ? 'NORMAL' : 'FULL'}`, 'wal_autocheckpoint = 0']),
  ]
    .map((pragma) => `PRAGMA ${pragma};`)
    .join('');

/** Throws if the file has tables but no `meta` table: it belongs to another program and must not be changed. */
function rejectForeignDatabase(db: Database, path: string): void {
  const names = db.prepare<{ name: string }>('SELECT name FROM sqlite_schema').all();
  if (names.length > 0 && !names.some(({ name }) => name === 'meta'))
    throw new StoreError(`${path} is the database of another program: it has no Serac tables`, { code: 'STORE_FOREIGN', path });
}

function createMeta(db: Database, { networkID, genesis }: StoreOptions): void {
  db.exec('CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value ANY) WITHOUT ROWID, STRICT');
  const add = db.prepare('INSERT OR IGNORE INTO meta VALUES (?, ?)');
  add.run('schema', schemaVersion);
  add.run('network', networkID);
  add.run('genesis', idToBytes(genesis));
  add.run('touched', 0);
}

/** Throws if the database is of another network, genesis or schema version. */
function checkMeta(db: Database, { networkID, genesis }: StoreOptions): void {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'meta'`).get() === undefined)
    throw new StoreError('the database is empty: no process has written to it yet', { code: 'STORE_EMPTY' });
  const get = db.prepare<{ value: unknown }>('SELECT value FROM meta WHERE name = ?');
  const value = (name: string): unknown => get.get(name)?.value;
  const schema = value('schema') as number;
  if (schema !== schemaVersion)
    throw new StoreError(
      `the database has schema version ${schema}, this program needs version ${schemaVersion}; use the version of serac that wrote it, or start with an empty data directory`,
      { code: 'STORE_OTHER_SCHEMA', stored: schema, wanted: schemaVersion },
    );
  const network = value('network') as number;
  if (network !== networkID)
    throw new StoreError(`the database belongs to network ${network}, this node is on network ${networkID}`, {
      code: 'STORE_OTHER_NETWORK',
      stored: network,
      wanted: networkID,
    });
  const [stored, wanted] = [idText(idFromBytes(value('genesis') as Uint8Array)), idText(genesis)];
  if (stored !== wanted)
    throw new StoreError(`the database was created with genesis ${stored}, this node has genesis ${wanted}`, {
      code: 'STORE_OTHER_GENESIS',
      stored,
      wanted,
    });
}

type Epochs = Pick<Store, 'epoch' | 'revert' | 'onReverting' | 'onReload' | 'onReverted'>;

/** The writer process caches the epoch; a reader process reads it from the database after each commit. */
function createEpochs(db: Database, write: Transactions['write'], readonly: boolean, version: Store['version']): Epochs {
  const select = db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'epoch'`);
  const set = db.prepare(`INSERT OR REPLACE INTO meta VALUES ('epoch', ?)`);
  const listeners: (() => void)[] = [];
  const revertingListeners: RevertingListener[] = [];
  const revertedListeners: (() => void)[] = [];
  const stored = (): number => select.get()?.value ?? 0;
  const reload = (): void => {
    for (const listener of listeners) listener();
  };
  let current = stored();
  return {
    epoch: readonly ? cacheByVersion(stored, version) : () => current,
    revert: (work, snapshot) => {
      try {
        write(() => {
          const afterwards = revertingListeners.map((listener) => listener());
          work(reload);
          for (const run of afterwards) run(snapshot);
          // Set after `work`, because the state that `work` restores may contain an older epoch.
          set.run(current + 1);
        });
        current++;
      } finally {
        reload();
      }
      for (const listener of revertedListeners) listener();
    },
    onReverting: (listener) => void revertingListeners.push(listener),
    onReload: (listener) => void listeners.push(listener),
    onReverted: (listener) => void revertedListeners.push(listener),
  };
}

function createWriteProbe(db: Database, { write }: Transactions): () => void {
  const increment = db.prepare(`UPDATE meta SET value = value + 1 WHERE name = 'touched'`);
  const get = db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'touched'`);
  return () => {
    const before = get.get()?.value ?? 0;
    write(() => increment.run());
    if (get.get()?.value !== before + 1) throw new StoreError('database: a written row could not be read back', { code: 'STORE_FAILED' });
  };
}
