import { type Id, idText } from '../../base/bytes/id.ts';
import { createMutex } from '../../base/timing/mutex.ts';
import { attachCopy, checkCopy, copyTables, loadTables } from '../../ledger/snapshot/state-copy.ts';
import { checkHeader, decodeStateFile, encodeStateFile, type StateHeader } from '../../ledger/snapshot/state-file.ts';
import type { Database } from '../../ledger/store/database.ts';
import type { OffsetFile } from '../../ledger/store/offset-file.ts';
import { withStatementCache } from '../../ledger/store/statement-cache.ts';
import { type Store, schemaVersion } from '../../ledger/store/store.ts';
import type { Config } from '../config/config.ts';
import { dataFilesIn } from '../setup/data-files.ts';
import type { Env } from '../setup/env.ts';
import type { ChainSnapshots } from './chain-snapshots.ts';

/** Saves the state of all chains as a state file, and loads it. One transfer runs at a time. */
export type StateTransfer = {
  /** The state file in chunks. The state is copied before the first chunk; blocks that follow are not in it. */
  readonly save: () => AsyncGenerator<Uint8Array>;
  /** Replaces the state of the running chains in one step; a file that cannot be loaded changes nothing. */
  readonly load: (chunks: AsyncIterable<Uint8Array>, maxBytes: number) => Promise<void>;
  /** A text that changes whenever the state changes. */
  readonly readVersion: () => string;
};

export type StateTransferDeps = {
  readonly config: Pick<Config, 'store' | 'dataDir' | 'network'>;
  readonly env: Env;
  readonly store: Store;
  readonly chains: readonly {
    readonly spec: { readonly id: Id };
    readonly lastAccepted: () => { readonly id: Id; readonly height: bigint };
  }[];
  readonly snapshots: Pick<ChainSnapshots, 'replaceState'>;
};

export function createStateTransfer({ config, env, store, chains, snapshots }: StateTransferDeps): StateTransfer {
  const isOnDisk = config.store === 'sqlite' && config.dataDir !== undefined;
  const files = isOnDisk ? dataFilesIn(config.dataDir as string) : undefined;
  const id = Buffer.from(env.random(6)).toString('hex');
  const temporary = (role: string): string =>
    files === undefined ? `${env.tempFolder()}/serac-${id}-${role}.tmp` : `${files.folder}/state-${role}.tmp`;
  const db = withStatementCache(store.db);
  const oneAtATime = createMutex();
  const nextTurn = (): Promise<void> => new Promise((resolve) => env.timers.soon(resolve));

  const ownHeader = (): Omit<StateHeader, 'chains'> => ({
    network: config.network.id,
    genesis: idText((chains[0] as (typeof chains)[number]).spec.id),
    versions: readVersions(db),
  });
  const describeChains = (): StateHeader['chains'] =>
    chains.map(({ spec, lastAccepted }) => {
      const { id, height } = lastAccepted();
      return { id: idText(spec.id), height: Number(height), blockID: idText(id) };
    });

  /** Copies the tables to a file. On disk a connection of its own reads one commit while blocks are added; in memory there is only one. */
  const copyTo = async (path: string): Promise<StateHeader> => {
    env.removeFile(path);
    // No await before the first step, which fixes the state that is copied.
    const header = { ...ownHeader(), chains: describeChains() };
    if (files === undefined) {
      const steps = copyTables(db, path);
      while (steps.next().done !== true);
      return header;
    }
    const connection = env.openDatabase(files.database, { readonly: false });
    try {
      connection.exec('PRAGMA busy_timeout = 5000; PRAGMA wal_autocheckpoint = 0');
      for (const _ of copyTables(connection, path)) await nextTurn();
    } finally {
      connection.close();
    }
    return header;
  };

  async function* saveNow(): AsyncGenerator<Uint8Array> {
    const path = temporary('save');
    try {
      const header = await copyTo(path);
      const file = env.openFile(path, 'read') as OffsetFile;
      try {
        yield* encodeStateFile(header, readChunks(file));
      } finally {
        file.close();
      }
    } finally {
      env.removeFile(path);
    }
  }

  const loadNow = async (chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> => {
    const path = temporary('load');
    try {
      env.removeFile(path);
      const file = env.openFile(path, 'write');
      let size = 0;
      try {
        await decodeStateFile(chunks, {
          maxBytes,
          onHeader: (header) => checkHeader(header, ownHeader()),
          write: (chunk) => {
            file.write(size, chunk);
            size += chunk.length;
          },
        });
      } finally {
        file.close();
      }
      const detach = attachCopy(db, path);
      try {
        checkCopy(db);
        snapshots.replaceState('state file', () => loadTables(db));
      } finally {
        detach();
      }
    } finally {
      env.removeFile(path);
    }
  };

  return {
    save: async function* () {
      const turn = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      void oneAtATime(async () => {
        turn.resolve();
        await ended.promise;
      });
      try {
        await turn.promise;
        yield* saveNow();
      } finally {
        ended.resolve();
      }
    },
    readVersion: () =>
      // Outputs are added to shared memory, removed from it, and copied from a forked node without a block too.
      JSON.stringify([
        store.epoch(),
        describeChains(),
        db.prepare('SELECT max(seq), count(*), total(removed), (SELECT count(*) FROM forked_address) AS forked FROM atomic').get(),
      ]),
    load: (chunks, maxBytes) => oneAtATime(() => loadNow(chunks, maxBytes)),
  };
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
