import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { parseClockState } from '../../base/timing/chain-clock.ts';
import { createMutex } from '../../base/timing/mutex.ts';
import { type Migration, migrations } from '../../ledger/index/migrations.ts';
import { openDatabasePages } from '../../ledger/snapshot/database-pages.ts';
import type { RevertiblePart } from '../../ledger/snapshot/snapshots.ts';
import { attachCopy, checkCopy, copyTables, loadTables, readCopyRoots } from '../../ledger/snapshot/state-copy.ts';
import { checkHeader, damagedError, decodeStateFile, encodeStateFile, type StateHeader } from '../../ledger/snapshot/state-file.ts';
import { migrateChains, openEarlierStore } from '../../ledger/snapshot/state-migration.ts';
import type { Database } from '../../ledger/store/database.ts';
import { StoreError } from '../../ledger/store/fault.ts';
import type { OffsetFile } from '../../ledger/store/offset-file.ts';
import { withStatementCache } from '../../ledger/store/statement-cache.ts';
import { type Store, schemaVersion } from '../../ledger/store/store.ts';
import type { Config } from '../config/config.ts';
import { dataFilesIn, watchRemoval } from '../node/data-files.ts';
import { watchMigration } from '../node/index-migration.ts';
import type { Env } from '../platform/env.ts';
import type { ChainSnapshots } from './chain-snapshots.ts';

/** Saves the state of all chains as a state file, and loads it. One copies the state at a time, and one loads it; a slow upload delays no copy. */
export type StateTransfer = {
  /** The state file in chunks. The state is copied before the first chunk; blocks that follow are not in it. Reading the chunks slowly delays nobody. */
  readonly save: () => AsyncGenerator<Uint8Array>;
  /** Replaces the state of the running chains in one step; a file that cannot be loaded changes nothing. */
  readonly load: (chunks: AsyncIterable<Uint8Array>, maxBytes: number) => Promise<void>;
  /** A text that changes whenever the state changes. */
  readonly readVersion: () => string;
};

type StateTransferDeps = {
  readonly config: Pick<Config, 'store' | 'dataDir' | 'network'>;
  readonly env: Env;
  readonly store: Store;
  readonly chains: readonly {
    readonly spec: { readonly id: Id };
    readonly lastAccepted: () => { readonly id: Id; readonly height: bigint };
  }[];
  readonly snapshots: Pick<ChainSnapshots, 'replaceState'>;
  readonly clock: Pick<RevertiblePart, 'save' | 'restoreRows'>;
  readonly migrations?: readonly Migration[];
};

/** Pages of a loaded file that are checked in one turn of the event loop, and pages that its schema may have: far more than it needs. */
const pagesPerTurn = 256;
const maxSchemaPages = 4096;

export function createStateTransfer(deps: StateTransferDeps): StateTransfer {
  const { config, env, store, chains, clock } = deps;
  const isOnDisk = config.store === 'sqlite' && config.dataDir !== undefined;
  const stored = isOnDisk ? dataFilesIn(config.dataDir as string) : undefined;
  const readRemoval = stored && watchRemoval(stored.database, env);
  /** Undefined for a chain in memory, and for one whose files were removed. */
  const listFiles = () => (readRemoval?.() === undefined ? stored : undefined);
  const id = Buffer.from(env.random(6)).toString('hex');
  const temporary = (role: string): string => {
    const files = listFiles();
    return files === undefined ? `${env.tempFolder()}/serac-${id}-${role}.tmp` : `${files.folder}/state-${role}.tmp`;
  };
  // A killed process leaves its copy, which may be as large as the database.
  env.removeFile(temporary('save'));
  const db = withStatementCache(store.db);
  const [oneCopy, oneLoad] = [createMutex(), createMutex()];

  const ownHeader = (): OwnHeader => ({
    network: config.network.id,
    genesis: idText((chains[0] as (typeof chains)[number]).spec.id),
    versions: readVersions(db),
    savedBy: env.version,
  });
  const describeChains = (): StateHeader['chains'] =>
    chains.map(({ spec, lastAccepted }) => {
      const { id, height } = lastAccepted();
      return { id: idText(spec.id), height: Number(height), blockID: idText(id) };
    });

  /** Copies the tables to a file. On disk a connection of its own reads one commit while blocks are added; in memory, or if the file was removed, there is only one. */
  const copyTo = async (path: string): Promise<StateHeader> => {
    env.removeFile(path);
    // No await before the first step, which fixes the state that is copied.
    const header = { ...ownHeader(), chains: describeChains(), clock: JSON.parse(clock.save()) as unknown };
    const files = listFiles();
    if (files === undefined) {
      const steps = copyTables(db, path);
      while (steps.next().done !== true);
      return header;
    }
    const connection = env.openDatabase(files.database, { readonly: false });
    try {
      connection.exec('PRAGMA busy_timeout = 5000; PRAGMA wal_autocheckpoint = 0');
      for (const _ of copyTables(connection, path)) await nextTurn(env);
    } finally {
      connection.close();
    }
    return header;
  };

  /** A file with a copy of the state. It has no name any more, so it is gone when it is closed. */
  const openCopy = async (): Promise<{ readonly header: StateHeader; readonly file: OffsetFile }> => {
    const path = temporary('save');
    try {
      return { header: await copyTo(path), file: env.openFile(path, 'read') as OffsetFile };
    } finally {
      env.removeFile(path);
    }
  };

  const load = createStateLoader(deps, db, temporary('load'), ownHeader);

  return {
    save: async function* () {
      const { header, file } = await oneCopy(openCopy);
      try {
        yield* encodeStateFile(header, readChunks(file));
      } finally {
        file.close();
      }
    },
    readVersion: () =>
      // Outputs are added to shared memory, removed from it, and copied from a forked node without a block too.
      JSON.stringify([
        store.epoch(),
        describeChains(),
        clock.save(),
        db.prepare('SELECT max(seq), count(*), total(removed), (SELECT count(*) FROM forked_address) AS forked FROM atomic').get(),
      ]),
    load: (chunks, maxBytes) => oneLoad(() => load(chunks, maxBytes)),
  };
}

type OwnHeader = Omit<StateHeader, 'chains' | 'clock'>;

/** Runs `work` while a copy is attached to a database. */
async function withCopy<T>(db: Database, path: string, work: () => T | Promise<T>): Promise<T> {
  const detach = attachCopy(db, path);
  try {
    return await work();
  } finally {
    detach();
  }
}

/** Returns a function that loads a state file, which is written to `path` meanwhile. */
function createStateLoader(deps: StateTransferDeps, db: Database, path: string, ownHeader: () => OwnHeader) {
  const { env, snapshots, clock } = deps;
  const migratedPath = `${path}-migrated`;
  const removeFiles = (): void => {
    for (const file of [path, migratedPath, `${migratedPath}-wal`, `${migratedPath}-shm`]) env.removeFile(file);
  };
  removeFiles();

  /**
   * Checks the schema against that of a database, then every page of the tables: SQLite can then read the file in a time that its size limits.
   */
  const checkPages = async (against: Database): Promise<void> => {
    const file = env.openFile(path, 'read') as OffsetFile;
    try {
      const { checkTree } = openDatabasePages(file);
      let pages = 0;
      for (const _ of checkTree(1)) if (++pages > maxSchemaPages) throw damagedError('its schema is too large');
      for (const root of await withCopy(against, path, () => readCopyRoots(against)))
        for (const _ of checkTree(root)) if (++pages % pagesPerTurn === 0) await nextTurn(env);
    } finally {
      file.close();
    }
  };

  /** Writes the file. Returns what it holds, and the version of its index if that is an earlier one. */
  const receive = async (chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Received> => {
    const file = env.openFile(path, 'write');
    let received: Received | undefined;
    let size = 0;
    try {
      await decodeStateFile(chunks, {
        maxBytes,
        onHeader: (found) => {
          received = { header: found, earlier: checkHeader(found, ownHeader()) };
        },
        write: (chunk) => {
          file.write(size, chunk);
          size += chunk.length;
        },
      });
      return received as Received;
    } finally {
      file.close();
    }
  };

  /** Loads a file of an earlier version of the index into a store of its own, and migrates that. */
  const migrate = async (from: number): Promise<void> => {
    const all = deps.migrations ?? migrations;
    const options = {
      path: migratedPath,
      networkID: deps.config.network.id,
      genesis: (deps.chains[0] as (typeof deps.chains)[number]).spec.id,
    };
    const store = openEarlierStore(
      env.openDatabase,
      options,
      db,
      all.filter(({ version }) => version <= from),
    );
    try {
      await checkPages(store.db);
      await withCopy(store.db, path, () => {
        checkCopy(store.db);
        return orDamaged(async () => store.write(() => loadTables(store.db)));
      });
      migrateChains(store, all, watchMigration('the index of the state file', env, 'this node keeps its state until then'));
    } finally {
      store.close();
    }
  };

  const replaceTables = (clockText: string | undefined): Promise<void> =>
    orDamaged(() =>
      snapshots.replaceState('state file', (reload) => {
        loadTables(db);
        if (clockText !== undefined) clock.restoreRows?.(clockText);
        try {
          reload();
        } catch (error) {
          throw error instanceof Fault ? damagedError(error.message) : error;
        }
      }),
    );

  return async (chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> => {
    try {
      removeFiles();
      const { header, earlier } = await receive(chunks, maxBytes);
      const clockText = readClock(header);
      if (earlier === undefined) await checkPages(db);
      else await migrate(earlier);
      await withCopy(db, earlier === undefined ? path : migratedPath, async () => {
        checkCopy(db);
        await replaceTables(clockText);
      });
    } finally {
      removeFiles();
    }
  };
}

/** Loads rows; an error of the database, such as two rows with one key, is damage of the file. */
async function orDamaged(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof StoreError && error.fault.code === 'STORE_FAILED' ? damagedError(error.message) : error;
  }
}

type Received = { readonly header: StateHeader; readonly earlier: number | undefined };

const nextTurn = ({ timers }: Pick<Env, 'timers'>): Promise<void> => new Promise((resolve) => timers.soon(resolve));

/** The clock of a state file as text for the store; undefined if the file is from before clocks were saved. */
function readClock(header: StateHeader): string | undefined {
  if (header.clock === undefined) return undefined;
  const state = parseClockState(header.clock);
  if (state === undefined) throw damagedError('its clock is not valid');
  return JSON.stringify(state);
}

const chunkSize = 1 << 20;

function* readChunks(file: OffsetFile): Generator<Uint8Array> {
  for (let offset = 0; ; offset += chunkSize) {
    const chunk = Buffer.alloc(chunkSize);
    const count = file.read(offset, chunk);
    if (count > 0) yield chunk.subarray(0, count);
    if (count < chunkSize) return;
  }
}

/** Versions of the store's schema and of the index of each chain. A fork has one more: its history is incomplete. */
function readVersions(db: Database): StateHeader['versions'] {
  const rows = db.prepare<{ name: string; value: number }>(
    `SELECT name, value FROM meta WHERE name IN ('index', 'fork') OR name LIKE 'index of chain %'`,
  );
  return { schema: schemaVersion, ...Object.fromEntries(rows.all().map(({ name, value }) => [name, value])) };
}
