import { type Block, parseBlock } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { Store } from '../store/store.ts';
import type { BalanceChange } from './balance.ts';
import { type BlockBatch, createBlockBatch } from './block-batch.ts';
import { genesisChanges, type NewBlock, type StoredBlock } from './block-change.ts';
import type { ChainTip } from './chain-tip.ts';
import type { Diff } from './diff.ts';
import { StateError } from './fault.ts';
import type { AcceptedBlock } from './history.ts';
import { insertImpersonatedTxs } from './impersonated-txs.ts';
import type { SharedMemory } from './shared-memory.ts';
import { insertPreLinearizationUtxos, type StateTables, writeBatch } from './state-tables.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** Callbacks that run inside the write transaction, after the rows were stored. */
export type OnBlocksStored = (stored: readonly StoredBlock[]) => void;
export type OnUtxosStored = (stored: readonly NumberedUtxo[], balances: readonly BalanceChange[]) => void;

type Changes = Pick<Diff, 'applied' | 'consumed'>;

type WriterParts = {
  readonly store: Pick<Store, 'db' | 'write'>;
  readonly sharedMemory: SharedMemory;
  readonly chain: { readonly id: Id; readonly number: number };
  readonly tables: StateTables;
  readonly tip: ChainTip;
  /** Called with the last block after each commit; it must be fast. */
  readonly onCommit: ((last: AcceptedBlock) => void) | undefined;
};

export type ChainWriter = ReturnType<typeof createChainWriter>;

/**
 * Creates the writes of a chain's state, one transaction each. `openState` adds them to the chain's state; accepted blocks come from
 * chain/lifecycle/accept.ts.
 */
export function createChainWriter(parts: WriterParts) {
  const { chain, tables, tip } = parts;
  const { history } = tables;
  const chainID = idText(chain.id);
  const { write, storeBlocks } = createBlockWrites(parts);

  /** Adds outputs that no block contains; `before` runs first, inside the same transaction. */
  const addOutputs = (wanted: readonly Utxo[], onStored?: OnUtxosStored, before?: () => void): void => {
    const [accepted, { tx, oldest }] = [tip.last(), tip.numbers()];
    let added = 0;
    write(() => {
      before?.();
      const { utxos: inserted, balances } = insertPreLinearizationUtxos(tables, wanted, oldest);
      added = inserted.length;
      if (added === 0) return;
      history.addUnspent(added);
      onStored?.(inserted, balances);
    });
    tip.advance({ ...accepted, unspent: accepted.unspent + added }, { tx, oldest: oldest - added });
  };

  return {
    /**
     * Stores block 0 and the genesis transactions. `outputs`: whether the genesis outputs are unspent at block 0, or unknown because there
     * were transactions between the genesis and block 0 (before linearization).
     */
    init: (genesisTxs: readonly Tx[], first: Block, onStored?: OnBlocksStored, outputs: 'unspent' | 'unknown' = 'unspent'): void => {
      if (history.last() !== undefined) throw new StateError(`chain ${chainID} already has block 0`, { code: 'STATE_NOT_EMPTY', chainID });
      storeBlocks([{ block: first, diff: genesisChanges(genesisTxs, outputs) }], 0, onStored);
    },
    /**
     * Stores transactions from before linearization, each with its own changes, in an order in which each can be executed. They have height 0
     * and follow those of the genesis. Only while block 0 is the last block.
     */
    extendGenesis: (txs: readonly Changes[], onStored?: OnBlocksStored): void => {
      const { height, unspent } = tip.last();
      if (height !== 0n)
        throw new StateError(`chain ${chainID} has blocks: transactions from before linearization cannot be added`, {
          code: 'STATE_NOT_EMPTY',
          chainID,
        });
      const block = parseBlock(history.blockAt(0n) as Uint8Array);
      const additions = txs.map((diff) => ({ block, diff }));
      storeBlocks(additions, unspent, onStored, true);
    },
    /** Stores consecutive blocks in one transaction. `onStored` runs once inside it, after the last block, to store more data with the blocks. */
    commitAll: (blocks: readonly NewBlock[], onStored?: OnBlocksStored): void => {
      const before = tip.last();
      let parent: AcceptedBlock = before;
      for (const { block, diff } of blocks) {
        checkBlock(block, diff, parent);
        parent = block;
      }
      storeBlocks(blocks, before.unspent, onStored);
    },
    /** Adds unspent outputs from before linearization, with height 0. Outputs that are already stored, spent or not, are skipped. */
    addPreLinearizationUtxos: (wanted: readonly Utxo[], onStored?: OnUtxosStored): void => addOutputs(wanted, onStored),
    /**
     * Adds outputs and CreateAssetTxs that were copied from another node, in the same way. `onAdded` runs inside the transaction, also if there
     * are no new outputs.
     */
    addForked: (
      copied: { readonly utxos: readonly Utxo[]; readonly assets: readonly Tx[] },
      onAdded: () => void,
      onStored?: OnUtxosStored,
    ): void =>
      addOutputs(copied.utxos, onStored, () => {
        history.insertAssets(copied.assets);
        onAdded();
      }),
  };
}

/** Creates the write transaction of a chain, and the one that stores blocks. */
function createBlockWrites({ store, sharedMemory, chain, tables, tip, onCommit }: WriterParts) {
  const { history, utxos } = tables;

  /** Runs a write transaction. If it fails, the caches are cleared: they may have rows of the transaction that was rolled back. */
  const write = (work: () => void): void => {
    try {
      store.write(work);
    } catch (error) {
      tables.clearCaches();
      throw error;
    }
  };

  /** Stores blocks in one transaction. `extendsGenesis`: all of them are block 0, which is stored already; each adds a transaction to it. */
  const storeBlocks = (blocks: readonly NewBlock[], unspentBefore: number, onStored?: OnBlocksStored, extendsGenesis = false): void => {
    const batch = createBlockBatch({
      before: { ...tip.numbers(), unspent: unspentBefore },
      unspentRow: (utxo, created) => created ?? utxos.unspentRow(utxo),
      timeAt: createTimes(blocks, history.timeAt),
    });
    write(() => {
      const numbered = blocks.map((block) => numberBlock(batch, block));
      const imported = blocks.map((block) => moveSharedOutputs(block, onStored !== undefined));
      const balances = writeBatch(tables, batch.rows, batch.numbers().tx, extendsGenesis);
      onStored?.(
        numbered.map(({ block, oldBalances }, i) => ({
          ...block,
          imported: imported[i] as ReadonlyMap<Id, Utxo>,
          balances: [...oldBalances, ...(balances[i] ?? [])],
          extendsGenesis,
        })),
      );
    });
    const last = blocks[blocks.length - 1]?.block;
    if (last !== undefined) afterCommit(last, batch);
  };

  /** Numbers the transactions and outputs of a block. Stores what comes with the block and is in no block. */
  const numberBlock = (batch: BlockBatch, block: NewBlock) => {
    history.insertAssets(block.preLinearizationAssets ?? []);
    const old = insertPreLinearizationUtxos(tables, block.preLinearizationUtxos ?? [], batch.numbers().oldest);
    if (block.impersonatedTxs?.length) insertImpersonatedTxs(store.db, chain.number, block.impersonatedTxs);
    return { block: batch.add(block, old.utxos), oldBalances: old.balances };
  };

  /** Removes the imported outputs of a block from shared memory and puts its exported ones there. Returns the imported ones, if they are needed. */
  const moveSharedOutputs = ({ diff, imported: known }: NewBlock, needsImported: boolean): ReadonlyMap<Id, Utxo> => {
    const found = needsImported ? new Map([...findImported(sharedMemory, chain.id, diff), ...(known ?? [])]) : noImports;
    for (const { effects } of diff.applied) {
      if (effects.imported) sharedMemory.remove(chain.id, effects.imported.from, effects.imported.ids);
      if (effects.exported) sharedMemory.put(effects.exported.to, chain.id, effects.exported.utxos);
    }
    return found;
  };

  /**
   * Updates the cached outputs and the tip of the chain. Not before the commit, so that neither has anything that may be rolled back. (The cached
   * balances are updated inside the transaction: `write` clears them if it fails.)
   */
  const afterCommit = ({ id, height, time }: Block, { rows, numbers }: BlockBatch): void => {
    utxos.updateCache([...rows.unspent.values()], rows.consumedEarlier);
    const { unspent, tx, oldest } = numbers();
    const accepted = { id, height, time, unspent };
    tip.advance(accepted, { tx, oldest });
    onCommit?.(accepted);
  };

  return { write, storeBlocks };
}

/** Returns the times of blocks by height: those of the given blocks, and others, which are read once. */
function createTimes(blocks: readonly NewBlock[], read: (height: number) => number): (height: number) => number {
  const times = new Map(blocks.map(({ block }) => [Number(block.height), Number(block.time)]));
  return (height) => {
    const time = times.get(height) ?? read(height);
    times.set(height, time);
    return time;
  };
}

const noImports: ReadonlyMap<Id, Utxo> = new Map();

/** Finds the outputs that the transactions import. Must run before they are removed from shared memory. */
function findImported(sharedMemory: SharedMemory, chainID: Id, { applied }: Pick<Diff, 'applied'>): ReadonlyMap<Id, Utxo> {
  const found = new Map<Id, Utxo>();
  for (const { effects } of applied)
    for (const id of effects.imported?.ids ?? []) {
      const utxo = sharedMemory.get(chainID, effects.imported?.from as Id, id);
      if (utxo !== undefined) found.set(id, utxo);
    }
  return found;
}

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
