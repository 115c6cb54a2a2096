import { type Id, idOf } from '../bytes/id.ts';
import { type Accept, createAccept } from '../chain/accept.ts';
import type { Ledger } from '../chain/chain.ts';
import type { EventBus } from '../chain/events.ts';
import type { Config } from '../config.ts';
import { migrateStore } from '../index/migrate.ts';
import type { IndexReads } from '../index-read/index-reads.ts';
import { openReads } from '../index-read/open-reads.ts';
import { type SqliteIndex, sqliteIndex } from '../index-sqlite/sqlite-index.ts';
import { sqliteSql } from '../index-sqlite/sqlite-sql.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import type { AvmReads } from '../rpc/avm.ts';
import type { UtxoSource } from '../rpc/utxo-query.ts';
import type { ChainEnd, ChainEnds } from '../state/chain-ends.ts';
import { claimChain, claimedNumber } from '../state/chain-number.ts';
import { type ChainState, openState } from '../state/chain-state.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { memoryPath } from '../store/database.ts';
import { acquireLock } from '../store/lock.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { AvmChainSpec } from './avm-chain.ts';
import { dataFilesIn, openDataFiles } from './data-files.ts';
import type { Env } from './env.ts';
import { hasPreLinearizationHistory, type NetworkContext } from './network-context.ts';

/** The node's one store as its parts see it. */
export type NodeStore = {
  /** The accepted state of a chain; begun at its genesis if it is new here. */
  readonly chain: (spec: AvmChainSpec) => OpenedChain;
  /** What other chains exported to a chain that does not run here. */
  readonly atomic: (reader: Id) => UtxoSource;
  readonly putAtomic: (reader: Id, from: Id, utxo: Utxo) => void;
  /** Really writes and reads. */
  readonly touch: () => void;
  /** Really reads. */
  readonly look: () => void;
  /** Random bytes that stay the same as long as the database: page tokens are sealed with them. */
  readonly secret: () => Uint8Array;
  /** How often the database was reverted; part of every cache key. */
  readonly epoch: () => number;
  readonly bytes: () => number;
  readonly close: () => void;
};

export type OpenedChain = {
  readonly ledger: Ledger;
  /** The one way in for accepted blocks. */
  readonly accept: Accept;
  readonly reads: AvmReads;
  readonly state: ChainState;
  /** The history index; undefined if no interface needs it. */
  readonly history: IndexReads | undefined;
  readonly index: SqliteIndex | undefined;
};

export function openNodeStore(
  config: Config,
  env: Env,
  frame: NetworkContext,
  access: 'write' | 'read',
  events: Publisher = nobodyListens,
): NodeStore {
  const { store, ends, close } = openPlace(config, env, frame, access);
  try {
    const readonly = access === 'read';
    const memory = openSharedMemory(store);
    const strict = !frame.differences.pageCursors;
    const indexed = config.data.enabled || config.stats.enabled;
    const sql = sqliteSql(store);
    if (!readonly) store.write(() => addSecret(store, env.random(32)));
    return {
      chain: (spec) => {
        const genesis = idOf(spec.genesis.bytes);
        let number: number | undefined;
        const note = ends && noter(ends, () => (number ??= claimedNumber(store, spec.id)), spec.id);
        const state = openState(store, memory, { id: spec.id, genesis }, note);
        if (state.isInitialized()) note?.(state.lastAccepted());
        // No block tells what was before them on a public network; a private copy of one has no before.
        const chain = indexSpecOf(store, spec, config.follow !== undefined && hasPreLinearizationHistory(frame) ? 1 : 0);
        if (indexed) migrateStore(store, chain.number);
        const index = indexed && !readonly ? sqliteIndex(store, chain) : undefined;
        if (!state.isInitialized())
          state.init(
            spec.genesis.assets.map(({ tx }) => tx),
            spec.first,
            index?.within,
            chain.completeFrom === 0 ? 'unspent' : 'unknown',
          );
        const accept = createAccept(state, index?.withinAll, events);
        const ledger: Ledger = {
          ...state,
          commit: (block, diff) => accept([{ block, diff }]),
          consumerOf: (utxoID) => state.consumerOf(utxoID) ?? index?.importerOf(utxoID),
        };
        const utxos: UtxoSource = (sourceChain, addresses, start, limit) => state.utxos(sourceChain, { addresses, start, limit }, strict);
        return { ledger, accept, reads: { ...state, utxos }, state, history: indexed ? openReads(sql, chain) : undefined, index };
      },
      atomic: (reader) => (sourceChain, addresses, start, limit) => memory.page(reader, sourceChain, { addresses, start, limit }, strict),
      putAtomic: (reader, from, utxo) => store.write(() => memory.put(reader, from, [utxo])),
      touch: store.probeWrite,
      look: () => void store.db.prepare(`SELECT 1 FROM meta WHERE name = 'touched'`).get(),
      secret: () => secretOf(store),
      epoch: store.epoch,
      bytes: () => store.sizes().file + store.sizes().log,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

type Publisher = Pick<EventBus, 'publish'>;

/** For a process that only reads: it accepts nothing. */
const nobodyListens: Publisher = { publish: () => {} };

/** The database itself, for whoever works on it directly. In memory nobody else can look; in a directory only one process may write. */
export function openPlace(
  { store, dataDir, network }: Config,
  env: Env,
  frame: NetworkContext,
  access: 'write' | 'read',
  onDamage?: (pages: readonly number[]) => void,
) {
  const options = { networkID: network.id, genesis: frame.specs[0].id, readonly: access === 'read' };
  const open = (path: string) => {
    const opened = openStore(env.openDatabase, { ...options, path });
    return { store: opened, ends: undefined, close: opened.close };
  };
  if (store === 'memory' || dataDir === undefined) return open(memoryPath);
  const files = dataFilesIn(dataDir);
  if (access === 'read') return open(files.database);
  env.makeFolder(files.folder);
  const lock = acquireLock(env.openDatabase, files.lock);
  try {
    const { store, ends, close } = openDataFiles(files, env, options, onDamage);
    const release = (): void => {
      close();
      lock.release();
    };
    return { store, ends, close: release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Notes the end of a chain after each commit. A commit that was made stays made if the note fails. */
const noter =
  (ends: ChainEnds, numberOf: () => number, chainID: Id) =>
  (last: ChainEnd): void => {
    try {
      ends.note(numberOf(), chainID, last);
    } catch {
      return;
    }
  };

export const indexSpecOf = (store: Store, { id, genesis }: AvmChainSpec, completeFrom: number): IndexSpec => ({
  number: claimChain(store, id, idOf(genesis.bytes)),
  id,
  feeAsset: genesis.assets[0].tx.id,
  completeFrom,
});

const addSecret = (store: Store, random: Uint8Array): void =>
  store.db.prepare(`INSERT OR IGNORE INTO meta VALUES ('page secret', ?)`).run(random);

const secretOf = (store: Store): Uint8Array =>
  (store.db.prepare<{ value: Uint8Array }>(`SELECT value FROM meta WHERE name = 'page secret'`).get() as { value: Uint8Array }).value;
