import { type Block, parseBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { cacheByVersion } from '../../base/cache/version-cache.ts';
import type { Store } from '../store/store.ts';
import { type BalanceChange, createBalanceDeltas } from './balance.ts';
import { type Balances, openBalances } from './balances.ts';
import { type BlockChange, type BlockNumbering, computeBlockChange, type NewBlock, type StoredBlock } from './block-change.ts';
import { registerChain } from './chain-number.ts';
import type { Diff } from './diff.ts';
import { damagedRow, StateError } from './fault.ts';
import { type AcceptedBlock, type History, type NumberedBlock, openHistory } from './history.ts';
import { insertImpersonatedTxs } from './impersonated-txs.ts';
import { openOwnerRows } from './owner-rows.ts';
import { createRowBatch, type RowBatch } from './row-batch.ts';
import { tablesOf } from './schema.ts';
import type { SharedMemory } from './shared-memory.ts';
import { decodeStoredUtxo, encodeStoredUtxo } from './stored-utxo.ts';
import { type ScanReads, scanTransfers, type TransferQuery, type TransferScan } from './transfer-scan.ts';
import { type OwnedUtxoPage, type OwnedUtxoQuery, type OwnedUtxos, pagingRules, readUtxoPage } from './utxo-page.ts';
import { type FoundOutput, type NumberedUtxo, openUtxoTable } from './utxo-table.ts';

/** The accepted state of one chain. Every read sees the last commit, also in a reader process. */
export type ChainState = View &
  Pick<History, 'block' | 'blockAt' | 'blockIdAt' | 'txBytes' | 'txHeight' | 'hasTx' | 'description' | 'findAssetsBySymbol'> &
  Pick<Balances, 'balances' | 'fewBalances' | 'latestPassedLocktime' | 'balanceRevision'> & {
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
    /**
     * Stores block 0 and the genesis transactions. `outputs`: whether the genesis outputs are unspent at block 0, or unknown because there
     * were transactions between the genesis and block 0 (before linearization).
     */
    readonly init: (genesisTxs: readonly Tx[], first: Block, onStored?: OnBlockStored, outputs?: 'unspent' | 'unknown') => void;
    /**
     * Stores transactions from before linearization, each with its own changes, in an order in which each can be executed. They have height 0
     * and follow those of the genesis. Only while block 0 is the last block.
     */
    readonly extendGenesis: (txs: readonly Changes[], onStored?: OnBlocksStored) => void;
    /** Stores all changes of a block in one transaction. `onStored` runs inside that transaction, to store more data with the block. */
    readonly commit: (block: Block, diff: Changes, onStored?: OnBlockStored) => void;
    /** Stores many blocks in one transaction; `onStored` runs once, after the last block. */
    readonly commitAll: (blocks: readonly NewBlock[], onStored?: OnBlocksStored) => void;
    /** Adds unspent outputs from before linearization, with height 0. Outputs that are already stored, spent or not, are skipped. */
    readonly addPreLinearizationUtxos: (utxos: readonly Utxo[], onStored?: OnUtxosStored) => void;
    /**
     * Adds outputs and CreateAssetTxs that were copied from another node, in the same way. `onAdded` runs inside the transaction, also if there
     * are no new outputs.
     */
    readonly addForked: (
      copied: { readonly utxos: readonly Utxo[]; readonly assets: readonly Tx[] },
      onAdded: () => void,
      onStored?: OnUtxosStored,
    ) => void;
  };

/** Callbacks that run inside the write transaction, after the rows were stored. */
export type OnBlockStored = (stored: StoredBlock) => void;
export type OnBlocksStored = (stored: readonly StoredBlock[]) => void;
export type OnUtxosStored = (stored: readonly NumberedUtxo[], balances: readonly BalanceChange[]) => void;

type Changes = Pick<Diff, 'applied' | 'consumed'>;

/** The last numbers in use and the number of unspent outputs. `oldest`: see `UtxoTable.oldestSeq`. */
type LastNumbers = { readonly tx: number; readonly oldest: number; readonly unspent: number };

type Inserted = { readonly unspent: BlockChange['unspent']; readonly stored: StoredBlock; readonly numbered: NumberedBlock };

type ChainIdentity = {
  readonly id: Id;
  /** An ID of the chain's genesis, such as the hash of its bytes. */
  readonly genesis: Id;
};

/** Opens the state of a chain. `onCommit` is called with the last block after each commit; it must be fast. */
export function openState(store: Store, memory: SharedMemory, chain: ChainIdentity, onCommit?: (last: AcceptedBlock) => void): ChainState {
  const number = registerChain(store, chain.id, chain.genesis);
  const tables = tablesOf(number);
  const damaged = (row: string): StateError => {
    const fault = damagedRow(row);
    store.noteDamage(fault.message);
    return fault;
  };
  const history = openHistory(store.db, tables, store.epoch, damaged);
  const utxos = openUtxoTable(store.db, tables, { caching: !store.readonly, epoch: store.epoch, damaged });
  const owners = openOwnerRows(store.db, tables);
  const balances = openBalances(store.db, tables);
  const clearCaches = (): void => {
    utxos.clearCache();
    balances.clearCache();
  };
  const owned: OwnedUtxos = {
    rows: owners.unspentRows,
    bytesOf: ({ seq, bytes }) => bytes ?? (utxos.findBySeq(seq) as FoundOutput).bytes,
    findPosition: utxos.findPositionById,
  };

  /** A page for one address is a single read; for several addresses a read transaction makes all reads see the same commit. */
  const ownPage = (query: OwnedUtxoQuery, strict: boolean): OwnedUtxoPage => {
    const page = () => readUtxoPage(owned, query, pagingRules[strict ? 'strict' : 'lenient'].own);
    return query.addresses.length === 1 ? page() : store.read(page);
  };

  /** The last accepted block, set by the writer process only. */
  const storedLast = cacheByVersion(history.last, store.version);
  let cachedLast = store.readonly ? undefined : history.last();
  const readNumbers = () => ({ tx: history.lastTxSeq(), oldest: utxos.oldestSeq() });
  let numbers = readNumbers();
  const last = (): NonNullable<ReturnType<History['last']>> => {
    const accepted = cachedLast ?? storedLast();
    if (accepted === undefined)
      throw new StateError(`chain ${idText(chain.id)} has no block yet`, { code: 'STATE_EMPTY', chainID: idText(chain.id) });
    return accepted;
  };

  const scanReads: ScanReads = {
    read: store.read,
    height: () => last().height,
    unspentRows: owners.unspentRows,
    bytesOf: owned.bytesOf,
    blockAt: history.blockAt,
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

  store.onRevert(() => {
    cachedLast = history.last();
    numbers = readNumbers();
    clearCaches();
  });

  /** Finds the outputs that the transactions import. Must run before they are removed from shared memory. */
  const findImported = ({ applied }: Pick<Diff, 'applied'>): ReadonlyMap<Id, Utxo> => {
    const found = new Map<Id, Utxo>();
    for (const { effects } of applied)
      for (const id of effects.imported?.ids ?? []) {
        const utxo = memory.get(chain.id, effects.imported?.from as Id, id);
        if (utxo !== undefined) found.set(id, utxo);
      }
    return found;
  };

  /** Inserts rows of a block; those of outputs and balances are added to `rows`, those of `numbered` are left. Must run inside a write transaction. */
  const insert = (
    { block, diff, imported: knownImports, impersonatedTxs = [] }: NewBlock,
    at: LastNumbers,
    { unspentRow, timeAt }: Pick<BlockNumbering, 'unspentRow' | 'timeAt'>,
    needsImported: boolean,
    rows: RowBatch,
  ): Inserted => {
    const height = Number(block.height);
    const firstTx = at.tx + 1;
    const change = computeBlockChange(diff, { height, firstTx, unspentRow, timeAt });
    const { created, unspent, consumed, txOutputs } = change;
    if (impersonatedTxs.length > 0) insertImpersonatedTxs(store.db, number, impersonatedTxs);
    rows.add(change, height);
    const imported = needsImported ? new Map([...findImported(diff), ...(knownImports ?? [])]) : noImports;
    for (const { effects } of diff.applied) {
      if (effects.imported) memory.remove(chain.id, effects.imported.from, effects.imported.ids);
      if (effects.exported) memory.put(effects.exported.to, chain.id, effects.exported.utxos);
    }
    const { applied } = diff;
    const numbered = { block, applied, firstTx, txOutputs, unspent: at.unspent + unspent.length - consumed.length };
    return { unspent, stored: { block, firstTx, applied, created, consumed, imported }, numbered };
  };

  /**
   * Inserts outputs from before linearization that are not stored yet, numbered down from `oldest`. Must run inside a write transaction.
   */
  const insertPreLinearizationUtxos = (wanted: readonly Utxo[], oldest: number): PreLinearization => {
    const missing = new Map(wanted.filter((utxo) => utxos.findPosition(utxo) === undefined).map((utxo) => [utxo.id, utxo]));
    const added = [...missing.values()].map((utxo, i) => ({ utxo, seq: oldest - 1 - i, height: 0, bytes: encodeStoredUtxo(utxo) }));
    const sums = createBalanceDeltas();
    for (const { utxo } of added) sums.add(utxo);
    utxos.insertPreLinearization(added);
    owners.addOwners(added);
    return { utxos: added, balances: balances.raise(sums.deltas()) };
  };

  /** `extendsGenesis`: all blocks are block 0, which is stored; each adds a transaction to it. */
  const storeBlocks = (blocks: readonly NewBlock[], unspentBefore: number, onStored?: OnBlocksStored, extendsGenesis = false): void => {
    let at: LastNumbers = { ...numbers, unspent: unspentBefore };
    // Outputs that these blocks create and leave unspent. The cache must not have them before the commit.
    const newUnspent = new Map<Id, NumberedUtxo>();
    const spentRows: NumberedUtxo[] = [];
    const rows = createRowBatch({ utxos, owners, balances });
    const numberedBlocks: NumberedBlock[] = [];
    const unspentRow = (utxo: Utxo): NumberedUtxo => newUnspent.get(utxo.id) ?? utxos.unspentRow(utxo);
    const times = new Map(blocks.map(({ block }) => [Number(block.height), Number(block.time)]));
    const timeAt = (height: number): number => {
      const time = times.get(height) ?? history.timeAt(height);
      times.set(height, time);
      return time;
    };
    const insertNext = (next: NewBlock): StoredBlock => {
      if (next.preLinearizationAssets) history.insertAssets(next.preLinearizationAssets);
      const preLinearization =
        next.preLinearizationUtxos === undefined || next.preLinearizationUtxos.length === 0
          ? noPreLinearization
          : insertPreLinearizationUtxos(next.preLinearizationUtxos, at.oldest);
      const added = preLinearization.utxos.length;
      at = { ...at, oldest: at.oldest - added, unspent: at.unspent + added };
      const { unspent, stored, numbered } = insert(next, at, { unspentRow, timeAt }, onStored !== undefined, rows);
      numberedBlocks.push(numbered);
      for (const row of unspent) newUnspent.set(row.utxo.id, row);
      for (const row of stored.consumed) if (!newUnspent.delete(row.utxo.id)) spentRows.push(row);
      at = { ...at, tx: at.tx + stored.applied.length, unspent: numbered.unspent };
      return { ...stored, preLinearizationUtxos: preLinearization.utxos, balances: preLinearization.balances };
    };
    writeOrClearCache(() => {
      const stored = blocks.map(insertNext);
      const changes = rows.write(numbers.tx + 1, at.tx);
      if (extendsGenesis) for (const numbered of numberedBlocks) history.extendGenesis(numbered);
      else history.insertBlocks(numberedBlocks);
      onStored?.(
        stored.map((block, i) => ({
          ...block,
          balances: [...(block.balances ?? []), ...(changes[i] ?? [])],
          ...(extendsGenesis && { extendsGenesis }),
        })),
      );
    });
    const last = blocks[blocks.length - 1];
    if (last === undefined) return;
    utxos.updateCache([...newUnspent.values()], spentRows);
    cachedLast = { id: last.block.id, height: last.block.height, time: last.block.time, unspent: at.unspent };
    numbers = { tx: at.tx, oldest: at.oldest };
    onCommit?.(cachedLast);
  };

  /** Runs a write and clears the cache if it fails: the cache may contain rows of the rolled back transaction. */
  const writeOrClearCache = (work: () => void): void => {
    try {
      store.write(work);
    } catch (error) {
      clearCaches();
      throw error;
    }
  };

  /** Adds outputs that no block contains; `before` runs first, inside the same transaction. */
  const addOutputs = (wanted: readonly Utxo[], onStored?: OnUtxosStored, before?: () => void): void => {
    const accepted = last();
    let added: readonly NumberedUtxo[] = [];
    writeOrClearCache(() => {
      before?.();
      const preLinearization = insertPreLinearizationUtxos(wanted, numbers.oldest);
      added = preLinearization.utxos;
      if (added.length === 0) return;
      history.addUnspent(added.length);
      onStored?.(added, preLinearization.balances);
    });
    cachedLast = { ...accepted, unspent: accepted.unspent + added.length };
    numbers = { ...numbers, oldest: numbers.oldest - added.length };
  };

  return {
    id: chain.id,
    ...history,
    ...balances,
    transfers,
    utxo: utxos.unspent,
    storedUtxo: utxos.stored,
    atomic: (sourceChain, utxoID) => memory.get(chain.id, sourceChain, utxoID),
    isInitialized: () => (cachedLast ?? history.last()) !== undefined,
    lastAccepted: () => {
      const { id, height, time } = last();
      return { id, height, time };
    },
    height: () => last().height,
    epoch: store.epoch,
    version: store.version,
    findUtxo: (utxoID) => {
      const found = utxos.findPositionById(utxoID);
      return found && decodeStoredUtxo(found.bytes);
    },
    wasConsumed: (ref) => utxos.findPosition(ref)?.isSpent ?? memory.wasRemoved(chain.id, refId(ref)),
    wasImported: (utxoID) => memory.wasRemoved(chain.id, utxoID),
    consumerOf: utxos.consumer,
    utxos: (sourceChain, query, strict) =>
      sourceChain === chain.id ? ownPage(query, strict) : memory.page(chain.id, sourceChain, query, strict),
    stats: () => {
      const { height, unspent } = last();
      return {
        blocks: Number(height) + 1,
        txs: history.lastTxSeq(),
        unspent,
      };
    },
    init: (genesisTxs, first, onStored, outputs = 'unspent') => {
      if (history.last() !== undefined)
        throw new StateError(`chain ${idText(chain.id)} already has block 0`, { code: 'STATE_NOT_EMPTY', chainID: idText(chain.id) });
      const effects = (tx: Tx) => (outputs === 'unspent' ? effectsOf(tx) : { ...effectsOf(tx), created: [] });
      const diff = { applied: genesisTxs.map((tx) => ({ tx, effects: effects(tx) })), consumed: new Map() };
      storeBlocks([{ block: first, diff }], 0, onStored && (([only]) => onStored(only as StoredBlock)));
    },
    extendGenesis: (txs, onStored) => {
      const { height, unspent } = last();
      if (height !== 0n)
        throw new StateError(`chain ${idText(chain.id)} has blocks: transactions from before linearization cannot be added`, {
          code: 'STATE_NOT_EMPTY',
          chainID: idText(chain.id),
        });
      const block = parseBlock(history.blockAt(0n) as Uint8Array);
      storeBlocks(
        txs.map((diff) => ({ block, diff })),
        unspent,
        onStored,
        true,
      );
    },
    commit: (block, diff, onStored) => {
      const before = last();
      checkBlock(block, diff, before);
      storeBlocks([{ block, diff }], before.unspent, onStored && (([only]) => onStored(only as StoredBlock)));
    },
    commitAll: (blocks, onStored) => {
      const before = last();
      let parent: AcceptedBlock = before;
      for (const { block, diff } of blocks) {
        checkBlock(block, diff, parent);
        parent = block;
      }
      storeBlocks(blocks, before.unspent, onStored);
    },
    addPreLinearizationUtxos: (wanted, onStored) => addOutputs(wanted, onStored),
    addForked: ({ utxos: copied, assets }, onAdded, onStored) =>
      addOutputs(copied, onStored, () => {
        history.insertAssets(assets);
        onAdded();
      }),
  };
}

const noImports: ReadonlyMap<Id, Utxo> = new Map();

/** Outputs from before linearization that were inserted, and the balances they changed. */
type PreLinearization = { readonly utxos: readonly NumberedUtxo[]; readonly balances: readonly BalanceChange[] };

const noPreLinearization: PreLinearization = { utxos: [], balances: [] };

/** Throws unless the block follows the last accepted one and the changes are those of its transactions. Guards against errors of callers. */
function checkBlock(block: Block, { applied }: Pick<Diff, 'applied'>, last: AcceptedBlock): void {
  if (block.parentID !== last.id || block.height !== last.height + 1n)
    throw new StateError(`block ${idText(block.id)} does not follow the last accepted block ${idText(last.id)}`, {
      code: 'STATE_WRONG_PARENT',
      blockID: idText(block.id),
      parentID: idText(block.parentID),
      lastAccepted: idText(last.id),
    });
  if (applied.length !== block.txs.length || applied.some(({ tx }, i) => tx.id !== block.txs[i]?.id))
    throw new StateError(`the changes are not those of block ${idText(block.id)}`, { code: 'STATE_WRONG_TXS', blockID: idText(block.id) });
}
