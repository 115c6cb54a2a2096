import { type Labels, parseLabels } from '../../api/dev/labels.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { parseClockState } from '../../base/timing/chain-clock.ts';
import type { Migration } from '../../ledger/index/migrations.ts';
import { openDatabasePages } from '../../ledger/snapshot/database-pages.ts';
import { attachCopy, checkCopy, loadTables, readCopyRoots } from '../../ledger/snapshot/state-copy.ts';
import { checkHeader, damagedError, decodeStateFile, type StateHeader } from '../../ledger/snapshot/state-file.ts';
import { migrateChains, openEarlierStore } from '../../ledger/snapshot/state-migration.ts';
import type { Database } from '../../ledger/store/database.ts';
import { StoreError } from '../../ledger/store/fault.ts';
import type { OffsetFile } from '../../ledger/store/offset-file.ts';
import { watchMigration } from '../node/index-migration.ts';
import type { Env } from '../platform/env.ts';
import type { ChainSnapshots } from './chain-snapshots.ts';

/** What a state file says of itself before its chains: this node's own, which a file must match. */
export type OwnHeader = Omit<StateHeader, 'chains' | 'clock'>;

/** The running chains, as a state file replaces them. */
type LoadTarget = {
  readonly env: Env;
  /** The database of the running chains. */
  readonly db: Database;
  /** Where the file is written while it is loaded. */
  readonly path: string;
  readonly readOwnHeader: () => OwnHeader;
  readonly networkID: number;
  /** The ID of the X-Chain. */
  readonly genesis: Id;
  readonly migrations: readonly Migration[];
  readonly replaceState: ChainSnapshots['replaceState'];
  /** Writes the clock of the file, inside the transaction of the replacement. */
  readonly restoreClock: (text: string) => void;
  /** The human-readable part of this network's addresses. */
  readonly hrp: string;
  /** Writes the labels of the file, inside the transaction of the replacement. */
  readonly restoreLabels: Labels['replace'];
};

/**
 * Replaces the state of the running chains by that of a state file, which comes in chunks: receive → check → migrate → replace. Only the last step
 * changes the chains, so a file that cannot be loaded changes nothing. `maxBytes`: of the database in the file. Used by state-transfer.ts, which
 * lets one load at a time.
 */
export async function loadStateFile(chunks: AsyncIterable<Uint8Array>, maxBytes: number, target: LoadTarget): Promise<void> {
  const { env, db, path } = target;
  try {
    removeLoadFiles(env, path);
    const { header, earlierIndex } = await receive(chunks, maxBytes, target);
    const parts = { clock: readClock(header), labels: readLabels(header, target.hrp) };
    if (earlierIndex === undefined) {
      await checkPages(path, db, env);
      await replace(path, parts, target);
    } else {
      await migrate(earlierIndex, target);
      await replace(migratedPath(path), parts, target);
    }
  } finally {
    removeLoadFiles(env, path);
  }
}

/** Removes what a load has written; one whose process was killed leaves it. */
export function removeLoadFiles({ removeFile }: Pick<Env, 'removeFile'>, path: string): void {
  const migrated = migratedPath(path);
  for (const file of [path, migrated, `${migrated}-wal`, `${migrated}-shm`]) removeFile(file);
}

const migratedPath = (path: string): string => `${path}-migrated`;

type Received = {
  readonly header: StateHeader;
  /** The version of its index, if that is an earlier one. */
  readonly earlierIndex: number | undefined;
};

/** Writes the file to its path. Throws if its header does not fit this node. */
async function receive(chunks: AsyncIterable<Uint8Array>, maxBytes: number, { env, path, readOwnHeader }: LoadTarget): Promise<Received> {
  const file = env.openFile(path, 'write');
  let received: Received | undefined;
  let size = 0;
  try {
    await decodeStateFile(chunks, {
      maxBytes,
      onHeader: (header) => {
        received = { header, earlierIndex: checkHeader(header, readOwnHeader()) };
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
}

/** Pages of a file that are checked in one turn of the event loop, and pages that its schema may have: far more than it needs. */
const pagesPerTurn = 256;
const maxSchemaPages = 4096;

/** Checks the schema of a file against that of a database, then every page of the tables: SQLite can then read the file in a time that its size limits. */
async function checkPages(path: string, against: Database, env: Env): Promise<void> {
  const file = env.openFile(path, 'read') as OffsetFile;
  try {
    const { checkTree } = openDatabasePages(file);
    let pages = 0;
    for (const _ of checkTree(1)) if (++pages > maxSchemaPages) throw damagedError('its schema is too large');
    for (const root of await withCopy(against, path, async () => readCopyRoots(against)))
      for (const _ of checkTree(root)) if (++pages % pagesPerTurn === 0) await nextTurn(env);
  } finally {
    file.close();
  }
}

/** Loads a file of an earlier version of the index into a store of its own, beside it, and migrates that. */
async function migrate(earlierIndex: number, { env, db, path, networkID, genesis, migrations }: LoadTarget): Promise<void> {
  const done = migrations.filter(({ version }) => version <= earlierIndex);
  const store = openEarlierStore(env.openDatabase, { path: migratedPath(path), networkID, genesis }, db, done);
  try {
    await checkPages(path, store.db, env);
    await withCopy(store.db, path, async () => {
      checkCopy(store.db);
      await orDamaged(async () => store.write(() => loadTables(store.db)));
    });
    migrateChains(store, migrations, watchMigration('the index of the state file', env, 'this node keeps its state until then'));
  } finally {
    store.close();
  }
}

/** What the header of a file says of the chains beside their tables. */
type HeaderParts = { readonly clock: string | undefined; readonly labels: ReadonlyMap<Address, string> };

/** Replaces the rows of the running chains by those of a checked file, in one transaction. */
async function replace(
  path: string,
  { clock, labels }: HeaderParts,
  { db, replaceState, restoreClock, restoreLabels }: LoadTarget,
): Promise<void> {
  await withCopy(db, path, async () => {
    checkCopy(db);
    await orDamaged(() =>
      replaceState('state file', (reload) => {
        loadTables(db);
        if (clock !== undefined) restoreClock(clock);
        restoreLabels(labels);
        try {
          reload();
        } catch (error) {
          throw error instanceof Fault ? damagedError(error.message) : error;
        }
      }),
    );
  });
}

/** Runs `work` while a copy is attached to a database. */
async function withCopy<T>(db: Database, path: string, work: () => Promise<T>): Promise<T> {
  const detach = attachCopy(db, path);
  try {
    return await work();
  } finally {
    detach();
  }
}

/** Loads rows; an error of the database, such as two rows with one key, is damage of the file. */
async function orDamaged(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof StoreError && error.fault.code === 'STORE_FAILED' ? damagedError(error.message) : error;
  }
}

/** The clock of a state file as text for the store; undefined if the file is from before clocks were saved. */
function readClock(header: StateHeader): string | undefined {
  if (header.clock === undefined) return undefined;
  const state = parseClockState(header.clock);
  if (state === undefined) throw damagedError('its clock is not valid');
  return JSON.stringify(state);
}

/** The labels of a state file; none if the file is from before labels were saved. */
function readLabels({ labels = {} }: StateHeader, hrp: string): HeaderParts['labels'] {
  const parsed = parseLabels(labels, hrp);
  if (parsed === undefined) throw damagedError('its labels are not valid');
  return parsed;
}

export const nextTurn = ({ timers }: Pick<Env, 'timers'>): Promise<void> => new Promise((resolve) => timers.soon(resolve));
