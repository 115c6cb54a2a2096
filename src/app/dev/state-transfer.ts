import type { Labels } from '../../api/dev/labels.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { createMutex } from '../../base/timing/slots.ts';
import { migrations as allMigrations, type Migration } from '../../ledger/index/migrations.ts';
import { copyTables } from '../../ledger/snapshot/state-copy.ts';
import { encodeStateFile, type StateHeader } from '../../ledger/snapshot/state-file.ts';
import type { Database } from '../../ledger/store/database.ts';
import type { OffsetFile } from '../../ledger/store/offset-file.ts';
import { withStatementCache } from '../../ledger/store/statement-cache.ts';
import { type Store, schemaVersion } from '../../ledger/store/store.ts';
import type { Config } from '../config/config.ts';
import { dataFilesIn, watchRemoval } from '../node/data-files.ts';
import type { createClockPart } from '../node/stored-clock.ts';
import type { Env } from '../platform/env.ts';
import type { ChainSnapshots } from './chain-snapshots.ts';
import { loadStateFile, nextTurn, type OwnHeader, removeLoadFiles } from './state-load.ts';

export type StateTransfer = ReturnType<typeof createStateTransfer>;

/** Saves the state of all chains as a state file, and loads it. One copies the state at a time, and one loads it; a slow upload delays no copy. */
export function createStateTransfer({
  config,
  env,
  store,
  chains,
  snapshots,
  clock,
  labels,
  migrations = allMigrations,
}: {
  readonly config: Pick<Config, 'store' | 'dataDir' | 'network'>;
  readonly env: Env;
  readonly store: Store;
  /** The first one is the X-Chain. */
  readonly chains: readonly SavedChain[];
  readonly snapshots: Pick<ChainSnapshots, 'replaceState'>;
  readonly clock: Pick<ReturnType<typeof createClockPart>, 'save' | 'restoreRows'>;
  readonly labels: Pick<Labels, 'all' | 'replace'>;
  /** Tests give those of another release. */
  readonly migrations?: readonly Migration[];
}) {
  const { listFiles, temporary } = createTransferFiles(config, env);
  // A killed process leaves its copy, which may be as large as the database. Only in a data directory its name is known.
  env.removeFile(temporary('save'));
  const loadPath = temporary('load');
  removeLoadFiles(env, loadPath);
  const db = withStatementCache(store.db);
  const genesis = (chains[0] as SavedChain).spec.id;
  const [oneCopy, oneLoad] = [createMutex(), createMutex()];

  const readOwnHeader = (): OwnHeader => ({
    network: config.network.id,
    genesis: idText(genesis),
    versions: readVersions(db),
    savedBy: env.version,
  });

  /** A file with a copy of the state. It has no name any more, so it is gone when it is closed. */
  const openCopy = async (): Promise<{ readonly header: StateHeader; readonly file: OffsetFile }> => {
    const path = temporary('save');
    env.removeFile(path);
    try {
      // Nothing is awaited between the header and the first step of the copy, which fixes the state that is copied.
      const named = labels.all();
      const header: StateHeader = {
        ...readOwnHeader(),
        chains: chains.map(describeChain),
        clock: JSON.parse(clock.save()) as unknown,
        labels: named.size === 0 ? undefined : Object.fromEntries(named),
      };
      await copyState(path, db, listFiles()?.database, env);
      return { header, file: env.openFile(path, 'read') as OffsetFile };
    } finally {
      env.removeFile(path);
    }
  };

  return {
    /** The state file in chunks. The state is copied before the first chunk; blocks that follow are not in it. Reading the chunks slowly delays nobody. */
    save: async function* (): AsyncGenerator<Uint8Array> {
      const { header, file } = await oneCopy(openCopy);
      try {
        yield* encodeStateFile(header, readChunks(file));
      } finally {
        file.close();
      }
    },
    /** Replaces the state of the running chains in one step; a file that cannot be loaded changes nothing. */
    load: (chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> =>
      oneLoad(() =>
        loadStateFile(chunks, maxBytes, {
          env,
          db,
          path: loadPath,
          readOwnHeader,
          networkID: config.network.id,
          genesis,
          migrations,
          replaceState: snapshots.replaceState,
          restoreClock: (text) => clock.restoreRows(text),
          hrp: config.network.hrp,
          restoreLabels: labels.replace,
        }),
      ),
    /** A text that changes whenever the state changes. */
    readVersion: (): string =>
      // Outputs are added to shared memory, removed from it, and copied from a forked node without a block too.
      JSON.stringify([
        store.epoch(),
        chains.map(describeChain),
        clock.save(),
        [...labels.all()],
        db.prepare('SELECT max(seq), count(*), total(removed), (SELECT count(*) FROM forked_address) AS forked FROM atomic').get(),
      ]),
  };
}

type SavedChain = { readonly spec: { readonly id: Id }; readonly lastAccepted: () => { readonly id: Id; readonly height: bigint } };

function describeChain({ spec, lastAccepted }: SavedChain): StateHeader['chains'][number] {
  const last = lastAccepted();
  return { id: idText(spec.id), height: Number(last.height), blockID: idText(last.id) };
}

/** Where the database and the files of a transfer are. */
function createTransferFiles({ store, dataDir }: Pick<Config, 'store' | 'dataDir'>, env: Env) {
  const stored = store === 'sqlite' && dataDir !== undefined ? dataFilesIn(dataDir) : undefined;
  const readRemoval = stored && watchRemoval(stored.database, env);
  /** Undefined for a chain in memory, and for one whose files were removed. */
  const listFiles = () => (readRemoval?.() === undefined ? stored : undefined);
  const id = Buffer.from(env.random(6)).toString('hex');
  return {
    listFiles,
    temporary: (role: string): string => {
      const files = listFiles();
      return files === undefined ? `${env.tempFolder()}/serac-${id}-${role}.tmp` : `${files.folder}/state-${role}.tmp`;
    },
  };
}

/**
 * Copies the tables to a file. With a database on disk, a connection of its own reads one commit while blocks are added; in memory, or if the file was
 * removed, there is only the connection of the chains.
 */
async function copyState(path: string, db: Database, databaseFile: string | undefined, env: Env): Promise<void> {
  if (databaseFile === undefined) {
    const steps = copyTables(db, path);
    while (steps.next().done !== true);
    return;
  }
  const connection = env.openDatabase(databaseFile, { readonly: false });
  try {
    connection.exec('PRAGMA busy_timeout = 5000; PRAGMA wal_autocheckpoint = 0');
    for (const _ of copyTables(connection, path)) await nextTurn(env);
  } finally {
    connection.close();
  }
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
