import type { UtxoRef } from '../../avm/tx/input.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Store } from '../store/store.ts';
import type { BalanceReads } from './balances.ts';
import { registerChain } from './chain-number.ts';
import { openChainTip } from './chain-tip.ts';
import { type ChainWriter, createChainWriter } from './chain-writer.ts';
import type { AcceptedBlock, HistoryReads } from './history.ts';
import type { SharedMemory } from './shared-memory.ts';
import { openStateTables } from './state-tables.ts';
import { decodeStoredUtxo } from './stored-utxo.ts';
import { type ScanReads, scanTransfers, type TransferQuery, type TransferScan } from './transfer-scan.ts';
import { type OwnedUtxoPage, type OwnedUtxoQuery, type OwnedUtxos, pagingRules, readUtxoPage } from './utxo-page.ts';
import type { FoundOutput } from './utxo-table.ts';

/** The accepted state of one chain. Every read sees the last commit, also in a reader process. */
export type ChainState = View &
  HistoryReads &
  BalanceReads &
  ChainWriter & {
    /** Scans the transfer outputs of an address. `rowsInStep`: for tests only. */
    readonly transfers: (query: TransferQuery, rowsInStep?: number) => TransferScan;
    readonly id: Id;
    /** False until `init`: a new database has no block 0. */
    readonly isInitialized: () => boolean;
    readonly lastAccepted: () => AcceptedBlock;
    readonly height: () => bigint;
    /** Number of reverts so far; part of every cache key. */
    readonly epoch: () => number;
    /** Changes with every commit; see `Store`. */
    readonly version: Store['version'];
    /** An output of this chain, spent or unspent. */
    readonly storedUtxo: (ref: UtxoRef) => Utxo | undefined;
    /** The same by UTXO ID: slower. */
    readonly findUtxo: (utxoID: Id) => Utxo | undefined;
    /** Whether an output existed and was consumed, on this chain or in the memory shared with another chain. */
    readonly wasConsumed: (ref: UtxoRef) => boolean;
    /** Whether an output of another chain was imported. */
    readonly wasImported: (utxoID: Id) => boolean;
    /** The transaction that spent an output of this chain. For outputs imported from another chain ask the history index. */
    readonly consumerOf: (ref: UtxoRef) => Id | undefined;
    /** A page of the unspent outputs of this chain, or of those that `sourceChain` exported to this chain. */
    readonly utxos: (sourceChain: Id, query: OwnedUtxoQuery, strict: boolean) => OwnedUtxoPage;
    readonly stats: () => { readonly blocks: number; readonly txs: number; readonly unspent: number };
  };

type ChainIdentity = {
  readonly id: Id;
  /** An ID of the chain's genesis, such as the hash of its bytes. */
  readonly genesis: Id;
};

/** Opens the state of a chain. `onCommit` is called with the last block after each commit; it must be fast. */
export function openState(
  store: Store,
  sharedMemory: SharedMemory,
  chain: ChainIdentity,
  onCommit?: (last: AcceptedBlock) => void,
): ChainState {
  const number = registerChain(store, chain.id, chain.genesis);
  const tables = openStateTables(store, number);
  const { history, utxos, owners, balances } = tables;
  const tip = openChainTip(store, chain.id, tables);
  store.onReload(() => {
    tip.reload();
    tables.clearCaches();
  });
  const owned: OwnedUtxos = {
    rows: owners.unspentRows,
    bytesOf: ({ seq, bytes }) => bytes ?? (utxos.findBySeq(seq) as FoundOutput).bytes,
    findPosition: utxos.findPositionById,
    notePosition: utxos.notePosition,
  };

  const ownPage = (query: OwnedUtxoQuery, strict: boolean): OwnedUtxoPage =>
    readUtxoPage(owned, query, pagingRules[strict ? 'strict' : 'lenient'].own);

  /**
   * Makes all statements of a read see the same commit: in a reader process, another one may come between two of them. In the writer process it saves
   * taking SQLite's locks for each: the balances of an address on disk take 17 µs in place of 30.
   */
  const atOneCommit =
    <A extends unknown[], R>(read: (...args: A) => R) =>
    (...args: A): R =>
      store.read(() => read(...args));
  const blockAt = atOneCommit(history.blockAt);

  const scanReads: ScanReads = {
    read: store.read,
    height: () => tip.last().height,
    unspentRows: owners.unspentRows,
    bytesOf: owned.bytesOf,
    blockAt,
    seqOf: (ref) => utxos.findPosition(ref)?.seq,
  };

  /** Restarts the scan if the chain was reverted meanwhile: otherwise it would mix two histories. */
  function* transfers(query: TransferQuery, rowsInStep?: number): TransferScan {
    for (;;) {
      const epoch = store.epoch();
      const found = yield* scanTransfers(scanReads, query, rowsInStep);
      if (store.epoch() === epoch) return found;
    }
  }

  return {
    id: chain.id,
    ...history,
    block: atOneCommit(history.block),
    blockAt,
    description: atOneCommit(history.description),
    ...balances,
    balances: atOneCommit(balances.balances),
    fewBalances: atOneCommit(balances.fewBalances),
    ...createChainWriter({ store, sharedMemory, chain: { id: chain.id, number }, tables, tip, onCommit }),
    transfers,
    utxo: utxos.unspent,
    storedUtxo: utxos.stored,
    atomic: (sourceChain, utxoID) => sharedMemory.get(chain.id, sourceChain, utxoID),
    isInitialized: tip.isInitialized,
    lastAccepted: () => {
      const { id, height, time } = tip.last();
      return { id, height, time };
    },
    height: () => tip.last().height,
    epoch: store.epoch,
    version: store.version,
    findUtxo: (utxoID) => {
      const found = utxos.findPositionById(utxoID);
      return found && decodeStoredUtxo(found.bytes);
    },
    wasConsumed: (ref) => utxos.findPosition(ref)?.isSpent ?? sharedMemory.wasRemoved(chain.id, refId(ref)),
    wasImported: (utxoID) => sharedMemory.wasRemoved(chain.id, utxoID),
    consumerOf: utxos.consumer,
    utxos: atOneCommit((sourceChain, query, strict) =>
      sourceChain === chain.id ? ownPage(query, strict) : sharedMemory.page(chain.id, sourceChain, query, strict),
    ),
    stats: () => {
      const { height, unspent } = tip.last();
      return { blocks: Number(height) + 1, txs: history.lastTxSeq(), unspent };
    },
  };
}
