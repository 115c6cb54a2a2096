import { type Id, idFromBytes, idText, idToBytes } from '../bytes/id.ts';
import { type Database, memoryPath, type OpenDatabase } from './database.ts';
import { StoreError, storeFailed } from './fault.ts';
import type { PageSums } from './page-sums.ts';
import { type Transactions, transactionsOn } from './transaction.ts';

/** One database file holds everything a node keeps of its chains. */
export type Store = Transactions & {
  readonly db: Database;
  readonly readonly: boolean;
  /** Really writes a row and reads it back: whether the database still takes what the chain will give it. */
  readonly probeWrite: () => void;
  /** Takes down that a row was found damaged: `touch` fails from then on. */
  readonly noteDamage: (what: string) => void;
  readonly sizes: () => { file: number; log: number };
  /** How often the database was reverted. Every cache of what depends on accepted state carries it in its key. */
  readonly epoch: () => number;
  /** Replaces accepted state by an earlier one: runs `work` and raises the epoch in one transaction, then tells the listeners. */
  readonly revert: (work: () => void) => void;
  /** Calls a listener after every revert by this process, to drop what it cached. */
  readonly onRevert: (listener: () => void) => void;
  readonly close: () => void;
};

export type StoreOptions = {
  /** A file, or `memoryPath`. */
  readonly path: string;
  readonly networkID: number;
  /** Any id that stands for the network's genesis; a directory made from another one is refused. */
  readonly genesis: Id;
  readonly readonly?: boolean;
  /** No other process will read the file while it is open: reads then need no lock, and are some microseconds faster each. */
  readonly exclusive?: boolean;
  readonly cacheKiB?: number;
  /** Kept up to date with the pages of the file. */
  readonly sums?: Pick<PageSums, 'record' | 'discard'> | undefined;
};

/** Raised with every change of the tables, here or in `state/`. */
export const schemaVersion = 1;

export function openStore(open: OpenDatabase, options: StoreOptions): Store {
  try {
    const db = open(options.path, { readonly: options.readonly ?? false });
    try {
      return storeOn(db, options);
    } catch (cause) {
      db.close();
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof StoreError ? cause : storeFailed(`cannot open the database ${options.path}`, cause);
  }
}

function storeOn(db: Database, options: StoreOptions): Store {
  const { readonly = false } = options;
  db.exec(pragmas(options));
  refuseForeign(db, options.path);
  const transactions = transactionsOn(db, options.path === memoryPath);
  if (!readonly) transactions.write(() => createMeta(db, options));
  checkMeta(db, options);
  db.exec(`PRAGMA busy_timeout = ${readonly ? 2000 : writerPatience}`);
  const log = logKeeper(db, options.sums);
  const touch = toucher(db, transactions);
  let damage: string | undefined;
  const pages = db.prepare<{ page_count: number }>('PRAGMA page_count');
  const pageSize = db.prepare<{ page_size: number }>('PRAGMA page_size');
  const write: Transactions['write'] = (work) => {
    const result = transactions.write(work);
    log.wrote();
    return result;
  };
  return {
    db,
    readonly,
    read: transactions.read,
    write,
    ...epochs(db, write, readonly),
    probeWrite: () => {
      if (damage !== undefined) throw new StoreError(damage, { code: 'STORE_DAMAGED' });
      touch();
    },
    noteDamage: (what) => {
      damage = what;
    },
    sizes: () => ({ file: (pages.get()?.page_count ?? 0) * (pageSize.get()?.page_size ?? 0), log: db.logBytes() }),
    close: () => {
      // SQLite checkpoints when the last connection is closed.
      if (!tried(() => options.sums?.record())) tried(() => options.sums?.discard());
      db.close();
    },
  };
}

/** Milliseconds. A wait holds the whole process up; no other node writes here (see lock.ts), so a lock is a backup or a curious tool, soon gone. */
const writerPatience = 100;

/**
 * FULL: what was accepted survives a power cut. The writer checkpoints by itself (logKeeper), never in the middle of a commit.
 * Eight megabytes of pages are enough: the operating system keeps the rest of the file in memory anyway.
 */
const pragmas = ({ path, readonly = false, exclusive = false, cacheKiB = 8192 }: StoreOptions): string =>
  [
    // After a crash the first one to open the file repairs it, and that may be a reader that has not noticed the end of its writer yet.
    'busy_timeout = 5000',
    `cache_size = -${cacheKiB}`,
    'temp_store = MEMORY',
    ...(exclusive ? ['locking_mode = EXCLUSIVE'] : []),
    ...(readonly || path === memoryPath ? [] : ['journal_mode = WAL', 'synchronous = FULL', 'wal_autocheckpoint = 0']),
  ]
    .map((pragma) => `PRAGMA ${pragma};`)
    .join('');

/** A database of another program is left as it is. */
function refuseForeign(db: Database, path: string): void {
  const names = db.prepare<{ name: string }>('SELECT name FROM sqlite_schema').all();
  if (names.length > 0 && !names.some(({ name }) => name === 'meta'))
    throw new StoreError(`${path} is the database of another program: its tables are not those of Serac`, { code: 'STORE_FOREIGN', path });
}

function createMeta(db: Database, { networkID, genesis }: StoreOptions): void {
  db.exec('CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value ANY) WITHOUT ROWID, STRICT');
  const add = db.prepare('INSERT OR IGNORE INTO meta VALUES (?, ?)');
  add.run('schema', schemaVersion);
  add.run('network', networkID);
  add.run('genesis', idToBytes(genesis));
  add.run('touched', 0);
}

/** A database of another network, genesis or version is never opened: its rows would be read as what they are not. */
function checkMeta(db: Database, { networkID, genesis }: StoreOptions): void {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'meta'`).get() === undefined)
    throw new StoreError('the database is empty: no process has written to it yet', { code: 'STORE_EMPTY' });
  const get = db.prepare<{ value: unknown }>('SELECT value FROM meta WHERE name = ?');
  const value = (name: string): unknown => get.get(name)?.value;
  const schema = value('schema') as number;
  if (schema !== schemaVersion)
    throw new StoreError(`the database has schema version ${schema}, this program knows version ${schemaVersion}`, {
      code: 'STORE_OTHER_SCHEMA',
      stored: schema,
      wanted: schemaVersion,
    });
  const network = value('network') as number;
  if (network !== networkID)
    throw new StoreError(`the database belongs to network ${network}, this node is on network ${networkID}`, {
      code: 'STORE_OTHER_NETWORK',
      stored: network,
      wanted: networkID,
    });
  const [stored, wanted] = [idText(idFromBytes(value('genesis') as Uint8Array)), idText(genesis)];
  if (stored !== wanted)
    throw new StoreError(`the database was made from genesis ${stored}, this node has genesis ${wanted}`, {
      code: 'STORE_OTHER_GENESIS',
      stored,
      wanted,
    });
}

/** The process that writes knows the epoch; one that only reads asks the database each time. */
function epochs(db: Database, write: Transactions['write'], readonly: boolean): Pick<Store, 'epoch' | 'revert' | 'onRevert'> {
  const select = db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'epoch'`);
  const set = db.prepare(`INSERT OR REPLACE INTO meta VALUES ('epoch', ?)`);
  const listeners: (() => void)[] = [];
  const stored = (): number => select.get()?.value ?? 0;
  let current = stored();
  return {
    epoch: readonly ? stored : () => current,
    revert: (work) => {
      write(() => {
        work();
        // An older state that `work` restored brings its own, lower epoch.
        set.run(current + 1);
      });
      current++;
      for (const listener of listeners) listener();
    },
    onRevert: (listener) => void listeners.push(listener),
  };
}

/** Rows written between two checkpoints. Some 16 to 30 MB of log: a crash rereads it in tens of milliseconds. */
const rowsPerCheckpoint = 8000;

/**
 * Readers can keep SQLite's own checkpoints from ever finishing, and then the log grows without end. So the writer asks for one itself
 * and waits a moment for readers to let go of the log; if one does not, it asks again some commits later.
 */
function logKeeper(db: Database, sums: StoreOptions['sums']): { wrote: () => void } {
  const changes = db.prepare<{ rows: number }>('SELECT total_changes() AS rows');
  const checkpoint = db.prepare<{ busy: number }>('PRAGMA wal_checkpoint(RESTART)');
  let next = rowsPerCheckpoint;
  let writes = 0;

  /** What was written is committed, whatever becomes of the checkpoint: a disk that fails here fails the next write too, and that one tells. */
  const attempt = (): boolean => {
    try {
      sums?.record();
      return checkpoint.get()?.busy === 1;
    } catch {
      return true;
    }
  };

  return {
    wrote: () => {
      // Even counting costs some microseconds, and a block has a few thousand rows at most.
      if (++writes % 4 !== 0) return;
      const rows = changes.get()?.rows ?? 0;
      if (rows < next) return;
      const busy = attempt();
      next = rows + (busy ? rowsPerCheckpoint / 4 : rowsPerCheckpoint);
    },
  };
}

/** Whether some work that may fail did not. */
function tried(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function toucher(db: Database, { write }: Transactions): () => void {
  const raise = db.prepare(`UPDATE meta SET value = value + 1 WHERE name = 'touched'`);
  const get = db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'touched'`);
  return () => {
    const before = get.get()?.value ?? 0;
    write(() => raise.run());
    if (get.get()?.value !== before + 1) throw new StoreError('database: a row written was not read back', { code: 'STORE_FAILED' });
  };
}
