import { openSqliteEventLog, type SqliteEventLog } from '../../api/events/sqlite-event-log.ts';
import type { AvmReads } from '../../api/rpc/avm.ts';
import type { ReadUtxoPage } from '../../api/rpc/utxo-query.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { processCaches } from '../../base/cache/cache-budget.ts';
import { attempt } from '../../base/fault.ts';
import { ForkError } from '../../chain/fork/fault.ts';
import { createAccept, createExtendGenesis, type ExtendGenesis } from '../../chain/lifecycle/accept.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { Ledger } from '../../chain/lifecycle/ledger.ts';
import type { ExplorerReads } from '../../ledger/index-read/explorer-reads.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';
import { openExplorerReads } from '../../ledger/index-read/open-explorer-reads.ts';
import { openReads } from '../../ledger/index-read/open-reads.ts';
import { openSqliteIndex, type SqliteIndex } from '../../ledger/index-sqlite/sqlite-index.ts';
import { createSqliteSql } from '../../ledger/index-sqlite/sqlite-sql.ts';
import type { IndexSpec, SignerReads } from '../../ledger/index-write/block-writer.ts';
import type { ChainEnd, ChainEnds } from '../../ledger/state/chain-ends.ts';
import { getChainNumber, listStoredChains, registerChain } from '../../ledger/state/chain-number.ts';
import { type ChainState, openState } from '../../ledger/state/chain-state.ts';
import type { OnBlocksStored } from '../../ledger/state/chain-writer.ts';
import { isForkedStore, markForkedStore } from '../../ledger/state/forked-addresses.ts';
import { duplicatePutError, openSharedMemory, type SharedOutput } from '../../ledger/state/shared-memory.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import { acquireLock } from '../../ledger/store/lock.ts';
import { openStore, type Store } from '../../ledger/store/store.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../platform/env.ts';
import { dataFilesIn, openDataFiles, requireUnremoved } from './data-files.ts';
import { type ExportClaims, openExportClaims } from './export-claims.ts';
import { migrateIndex } from './index-migration.ts';
import { hasPreLinearizationHistory, type NetworkContext } from './network-context.ts';
import type { AvmChainSpec } from './running-chain.ts';
import { connectStoredClock } from './stored-clock.ts';

/** The outputs that chains exported to each other. */
export type AtomicOutputs = {
  /** Reads the UTXOs that other chains exported to the chain `reader`. */
  readonly readAtomicUtxos: (reader: Id) => ReadUtxoPage;
  /** Throws if the output is, or was, in the memory that chains share with `reader`. */
  readonly putAtomicUtxo: (reader: Id, from: Id, utxo: Utxo) => void;
  /** Whether an output is or was in the memory that `from` shares with `reader`. */
  readonly knowsAtomicUtxo: (reader: Id, from: Id, utxoID: Id) => boolean;
  /** All outputs that `from` has put into the memory shared with `reader`, imported or not, oldest first. */
  readonly listPutUtxos: (reader: Id, from: Id) => readonly Utxo[];
  /** At most `limit` of the outputs that can be imported, between any two chains. */
  readonly listAtomicUtxos: (limit: number) => readonly SharedOutput[];
};

/** What health checks and metrics read of the database. */
type StoreProbes = {
  /** Writes to the database and reads it back, for health checks; throws if that fails. */
  readonly probeWrite: () => void;
  /** Reads from the database, for health checks; throws if that fails. */
  readonly probeRead: () => void;
  readonly sizeBytes: () => number;
};

/** Reverts of the database. */
export type RevertibleStore = {
  /** The database itself, for snapshots. */
  readonly store: Store;
  /** The number of times the database was reverted; part of every cache key. */
  readonly epoch: () => number;
  readonly onReverted: Store['onReverted'];
  /**
   * Must be called before a revert: until the chains' last blocks are recorded again, the record names block 0, which is in every state of a chain
   * that runs now. The other chains of the database are not recorded.
   */
  readonly prepareRevert: () => void;
};

/** The node's store: its chains and what they share. */
export type NodeStore = AtomicOutputs &
  StoreProbes &
  RevertibleStore & {
    /** Opens the accepted state of a chain; initializes it from the chain's genesis if the store does not have it yet. */
    readonly openChain: (spec: AvmChainSpec) => OpenedChain;
    /** The random key that page tokens are sealed with; created with the database. */
    readonly pageSecret: () => Uint8Array;
    /** The log of events; undefined with --strict, where there is no event stream. */
    readonly eventLog: SqliteEventLog | undefined;
    readonly close: () => void;
  };

export type OpenedChain = ExportClaims & {
  readonly ledger: Ledger;
  readonly extendGenesis: ExtendGenesis;
  readonly reads: AvmReads;
  readonly state: ChainState;
  /** The history index; undefined if both the Data and the Metrics API are disabled. */
  readonly history: IndexReads | undefined;
  /** The further reads of the explorer routes; undefined if `history` is. */
  readonly explorer: ExplorerReads | undefined;
  readonly index: SqliteIndex | undefined;
  /** Stores block 0; the chain must be empty. */
  readonly initialize: () => void;
};

/** What the store of a node depends on: where its blocks come from. */
export type StoreKind = {
  /** Whether the chain's clock is stored; a chain of other nodes has the real clock. */
  readonly hasStoredClock: boolean;
  /** Whether blocks lack the history from before linearization of a public network. A private copy has no such history. */
  readonly lacksOldHistory: boolean;
  /** Whether the outputs that other chains exported to this one are known. */
  readonly hasInbound: boolean;
  /** When a block is on disk. A joined node fetches from its peers what a power cut took. */
  readonly durability: 'commit' | 'checkpoint';
  /** See `StoreOptions`. */
  readonly pagesPerCheckpoint?: number;
};

export const soloStore: StoreKind = { hasStoredClock: true, lacksOldHistory: false, hasInbound: true, durability: 'commit' };
export const followedStore: StoreKind = { hasStoredClock: false, lacksOldHistory: true, hasInbound: false, durability: 'commit' };
export const joinedStore: StoreKind = { hasStoredClock: false, lacksOldHistory: false, hasInbound: false, durability: 'checkpoint' };

/** `signers`: what the index reads about signers; see `createBlockWriter`. */
export function openNodeStore(
  config: Config,
  env: Env,
  context: NetworkContext,
  kind: StoreKind,
  access: 'write' | 'read',
  events: Publisher = noPublisher,
  signers?: SignerReads,
): NodeStore {
  const { store, ends, requireFile, close } = openNodeDatabase(config, env, context, kind, access);
  try {
    const readonly = access === 'read';
    const sharedMemory = openSharedMemory(store);
    const isStrict = !context.differences.pageCursors;
    const isIndexed = config.data.enabled || config.metricsApi.enabled;
    const sql = createSqliteSql(store);
    const opened: AvmChainSpec[] = [];
    if (!readonly) store.write(() => insertPageSecret(store, env.random(32)));
    const isForked = readonly || config.fork === undefined ? isForkedStore(store.db) : requireForkedStore(store, config);
    if (kind.hasStoredClock) connectStoredClock(store, context.clock);
    // Also written with --strict: clients can then resume over the blocks and reverts of that time.
    const eventLog = openSqliteEventLog(store, env);
    return {
      openChain: (spec) => {
        const genesis = idOf(spec.genesis.bytes);
        let number: number | undefined;
        const recordEnd = ends && createEndRecorder(ends, () => (number ??= getChainNumber(store, spec.id)), spec.id);
        const state = openState(store, sharedMemory, { id: spec.id, genesis }, recordEnd);
        if (state.isInitialized()) recordEnd?.(state.lastAccepted());
        // A fork has no history from before it.
        const isIncomplete = isForked ? spec === context.specs[0] : kind.lacksOldHistory && hasPreLinearizationHistory(context);
        const chain = registerIndexSpec(store, spec, isIncomplete ? 1 : 0);
        if (isIndexed) migrateIndex(store, chain.number, env);
        const index = isIndexed && !readonly ? openSqliteIndex(store, chain, signers) : undefined;
        const initialize = (): void =>
          state.init(
            spec.genesis.assets.map(({ tx }) => tx),
            spec.genesisBlock,
            index?.indexBlocks,
            chain.completeFrom === 0 ? 'unspent' : 'unknown',
          );
        if (!state.isInitialized()) initialize();
        opened.push(spec);
        // If the revert cannot be committed, block 0 stays recorded: the log may hold the revert, and the next start find it.
        store.onReverted(() => {
          if (state.isInitialized()) recordEnd?.(state.lastAccepted());
        });
        eventLog.addChain({ number: chain.number, state });
        const writeRows: OnBlocksStored = (stored) => {
          index?.indexBlocks(stored);
          eventLog.append(chain.number, stored);
        };
        const ledger: Ledger = {
          ...state,
          accept: createAccept(state, writeRows, events),
          consumerOf: (ref) => state.consumerOf(ref) ?? index?.importerOf(refId(ref)),
        };
        const utxos: ReadUtxoPage = (sourceChain, addresses, start, limit) =>
          state.utxos(sourceChain, { addresses, start, limit }, isStrict);
        const history = isIndexed ? openReads(sql, chain, context.chain.longWork) : undefined;
        const explored = { ...chain, hasInbound: kind.hasInbound };
        const explorer = isIndexed ? openExplorerReads(sql, explored, context.chain.longWork) : undefined;
        const claims = openExportClaims(store, spec.id, sharedMemory, index);
        const extendGenesis = createExtendGenesis(state, index?.indexBlocks);
        return { ledger, extendGenesis, reads: { ...state, utxos }, state, history, explorer, index, initialize, ...claims };
      },
      readAtomicUtxos: (reader) => (sourceChain, addresses, start, limit) =>
        sharedMemory.page(reader, sourceChain, { addresses, start, limit }, isStrict),
      putAtomicUtxo: (reader, from, utxo) => {
        // A second import of it could not be stored, and the chain would stop: its rows, and maybe its transaction, are those of the first.
        if (sharedMemory.wasRemoved(reader, utxo.id)) throw duplicatePutError(utxo);
        store.write(() => sharedMemory.put(reader, from, [utxo]));
      },
      knowsAtomicUtxo: (reader, from, utxoID) =>
        sharedMemory.get(reader, from, utxoID) !== undefined || sharedMemory.wasRemoved(reader, utxoID),
      listPutUtxos: sharedMemory.listPut,
      listAtomicUtxos: sharedMemory.list,
      probeWrite: () => {
        requireFile?.();
        store.probeWrite();
      },
      probeRead: () => void store.db.prepare(`SELECT 1 FROM meta WHERE name = 'touched'`).get(),
      pageSecret: () => readPageSecret(store),
      epoch: store.epoch,
      eventLog: config.strict ? undefined : eventLog,
      onReverted: store.onReverted,
      store,
      // Not by `recordEnd`: if this fails, the chains must not be reverted.
      prepareRevert: () => ends && recordFirstBlocks(ends, store, opened),
      sizeBytes: () => store.sizes().file + store.sizes().wal,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Marks a new database as that of a fork; throws if it holds a chain that is not a fork, since that chain has the outputs of its genesis. */
function requireForkedStore(store: Store, { dataDir = '' }: Config): true {
  if (isForkedStore(store.db)) return true;
  if (store.db.prepare('SELECT 1 FROM chain WHERE genesis IS NOT NULL').get() !== undefined)
    throw new ForkError(`the chain in ${dataDir} is not a fork; give a new directory with --data-dir`, {
      code: 'FORK_NOT_A_FORK',
      dataDir,
    });
  store.write(() => markForkedStore(store.db));
  return true;
}

type Publisher = Pick<EventBus, 'publish'>;

/** For reader processes, which accept no blocks. */
const noPublisher: Publisher = { publish: () => {} };

/** Opens the node's database: in memory, or in the data directory, where a lock makes sure that only one process writes. */
export function openNodeDatabase(
  config: Config,
  env: Env,
  context: NetworkContext,
  { durability, pagesPerCheckpoint }: Pick<StoreKind, 'durability' | 'pagesPerCheckpoint'>,
  access: 'write' | 'read',
  onDamage?: () => void,
) {
  const { store, dataDir, network } = config;
  const cacheBytes = processCaches.bytesOf('databasePages');
  const options = {
    networkID: network.id,
    genesis: context.specs[0].id,
    readonly: access === 'read',
    cacheBytes,
    durability,
    pagesPerCheckpoint,
  };
  const open = (path: string, watchesCommits = false) => {
    const opened = openStore(env.openDatabase, { ...options, path, watchesCommits });
    return { store: opened, ends: undefined, requireFile: undefined, close: opened.close };
  };
  if (store === 'memory' || dataDir === undefined) return open(memoryPath);
  const files = dataFilesIn(dataDir);
  if (access === 'read') return open(files.database, true);
  env.makeFolder(files.folder);
  const lock = acquireLock(env.openDatabase, files.lock);
  try {
    const { store, ends, close } = openDataFiles(files, env, options, onDamage);
    const release = (): void => {
      close();
      lock.release();
    };
    return { store, ends, requireFile: requireUnremoved(files.database, env), close: release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Records block 0 as the end of all chains. */
function recordFirstBlocks(ends: ChainEnds, store: Store, running: readonly AvmChainSpec[]): void {
  for (const { number, id } of listStoredChains(store)) {
    const spec = running.find((one) => one.id === id);
    // A reset leaves a chain that does not run now without block 0.
    if (spec === undefined) ends.forget(number);
    else ends.record(number, id, spec.genesisBlock);
  }
  ends.sync();
}

/** Returns a function that records the last block of a chain after each commit (see ledger/state/chain-ends.ts). A failure does not undo the commit. */
const createEndRecorder =
  (ends: ChainEnds, numberOf: () => number, chainID: Id) =>
  (last: ChainEnd): void =>
    attempt(() => ends.record(numberOf(), chainID, last));

export const registerIndexSpec = (store: Store, { id, genesis }: AvmChainSpec, completeFrom: number): IndexSpec => ({
  number: registerChain(store, id, idOf(genesis.bytes)),
  id,
  feeAsset: genesis.assets[0].tx.id,
  completeFrom,
});

const insertPageSecret = (store: Store, random: Uint8Array): void =>
  store.db.prepare(`INSERT OR IGNORE INTO meta VALUES ('page secret', ?)`).run(random);

const readPageSecret = (store: Store): Uint8Array =>
  (store.db.prepare<{ value: Uint8Array }>(`SELECT value FROM meta WHERE name = 'page secret'`).get() as { value: Uint8Array }).value;
