import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFrom } from '../src/app/config/config.ts';
import { parseFlags } from '../src/app/config/flags.ts';
import { createNetworkContext, type NetworkContext } from '../src/app/node/network-context.ts';
import { type OpenedChain, openNodeStore, soloStore } from '../src/app/node/node-store.ts';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { createBunEnv } from '../src/app/platform/bun/env.ts';
import type { Env } from '../src/app/platform/env.ts';
import { createLog } from '../src/base/log/log.ts';
import type { PublicKeyOf } from '../src/ledger/index-write/block-writer.ts';
import type { AcceptedBlock } from '../src/ledger/state/history.ts';
import type { Database } from '../src/ledger/store/database.ts';
import type { Store } from '../src/ledger/store/store.ts';
import { BenchError } from './fault.ts';

/** The X-Chain of a data directory, opened in this process with the node's own store. */
export type ChainStore = OpenedChain & {
  readonly context: NetworkContext;
  readonly store: Store;
  /** The key that page tokens of this directory are sealed with. */
  readonly pageSecret: () => Uint8Array;
  readonly close: () => void;
};

type ChainStoreOptions = {
  /** A large cache and no fsync, for a chain that can be generated again. */
  readonly skipDiskSync?: boolean;
  /** Public keys that are stored with the index. */
  readonly publicKeyOf?: PublicKeyOf;
  /** Wraps the database, for example to count its statements. */
  readonly wrapDatabase?: (db: Database) => Database;
};

/** Opens the X-Chain of a data directory. */
export function openChainStore(dir: string, access: 'write' | 'read', options: ChainStoreOptions = {}): ChainStore {
  const { skipDiskSync, publicKeyOf, wrapDatabase = (db) => db } = options;
  const flags = parseFlags([`--data-dir=${dir}`, '--network-id=local'], { vars: {}, readFile: String });
  if (flags.kind !== 'run') throw new BenchError('bench/chain-store.ts uses flags that Serac no longer accepts');
  const config = configFrom(flags.options);
  const context = createNetworkContext(config, storeEnv);
  let database: Database | undefined;
  const open: Env['openDatabase'] = (path, options) => {
    const opened = openDatabase(path, options);
    if (!path.endsWith('/serac.sqlite')) return opened;
    database = wrapDatabase(opened);
    return database;
  };
  const store = openNodeStore(config, { ...storeEnv, openDatabase: open }, context, soloStore, access, undefined, { publicKeyOf });
  try {
    if (skipDiskSync) database?.exec('PRAGMA cache_size = -4194304; PRAGMA synchronous = OFF');
    return { ...store.openChain(context.specs[0]), context, store: store.store, pageSecret: store.pageSecret, close: store.close };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** The first block of the local network, which generated chains follow. */
export function readGenesisBlock(): AcceptedBlock {
  const dir = mkdtempSync(join(tmpdir(), 'serac-bench-'));
  try {
    const store = openChainStore(dir, 'write');
    const genesis = store.state.lastAccepted();
    store.close();
    return genesis;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The node's own environment, without log output and progress bar. */
const storeEnv: Env = {
  ...createBunEnv({
    version: 'bench',
    log: createLog(
      () => {},
      () => 'off',
    ),
    program: '',
  }),
  showProgress: () => {},
};
