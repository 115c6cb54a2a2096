import { type Block, parseBlock } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { Database } from '../store/database.ts';
import type { BalanceChange } from './balance.ts';
import { createBlockBatch } from './block-batch.ts';
import { genesisChanges, type NewBlock, type StoredBlock } from './block-change.ts';
import type { ChainTip } from './chain-tip.ts';
import type { Diff } from './diff.ts';
import { StateError } from './fault.ts';
import type { AcceptedBlock } from './history.ts';
import { insertImpersonatedTxs } from './impersonated-txs.ts';
import type { SharedMemory } from './shared-memory.ts';
import { insertPreLinearizationUtxos, type StateTables, writeBatch } from './state-tables.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** Writes of a chain's state, one transaction each. */
export type ChainWriter = {
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

type ChainWriterParts = {
  readonly db: Database;
  readonly memory: SharedMemory;
  readonly chain: { readonly id: Id; readonly number: number };
  readonly tables: StateTables;
  readonly tip: ChainTip;
  /** Called with the last block after each commit; it must be fast. */
  readonly onCommit: ((last: AcceptedBlock) => void) | undefined;
};

export function createChainWriter({ db, memory, chain, tables, tip, onCommit }: ChainWriterParts): ChainWriter {
  const { history, utxos } = tables;
  const chainID = idText(chain.id);

  /** `extendsGenesis`: all blocks are block 0, which is stored; each adds a transaction to it. */
  const storeBlocks = (blocks: readonly NewBlock[], unspentBefore: number, onStored?: OnBlocksStored, extendsGenesis = false): void => {
    const timeAt = createTimes(blocks, history.timeAt);
    const unspentRow = (utxo: Utxo, created: NumberedUtxo | undefined) => created ?? utxos.unspentRow(utxo);
    const { rows, numbers, add } = createBlockBatch({ before: { ...tip.numbers(), unspent: unspentBefore }, unspentRow, timeAt });
    const storeNext = (next: NewBlock): StoredBlock => {
      const { diff, imported: knownImports, impersonatedTxs = [], preLinearizationUtxos = [], preLinearizationAssets = [] } = next;
      history.insertAssets(preLinearizationAssets);
      const old = insertPreLinearizationUtxos(tables, preLinearizationUtxos, numbers().oldest);
      const stored = add(next, old.utxos);
      if (impersonatedTxs.length > 0) insertImpersonatedTxs(db, chain.number, impersonatedTxs);
      const imported = onStored === undefined ? noImports : new Map([...findImported(memory, chain.id, diff), ...(knownImports ?? [])]);
      for (const { effects } of diff.applied) {
        if (effects.imported) memory.remove(chain.id, effects.imported.from, effects.imported.ids);
        if (effects.exported) memory.put(effects.exported.to, chain.id, effects.exported.utxos);
      }
      return { ...stored, imported, balances: old.balances };
    };
    tables.write(() => {
      const stored = blocks.map(storeNext);
      const changes = writeBatch(tables, rows, numbers().tx, extendsGenesis);
      onStored?.(
        stored.map((block, i) => ({
          ...block,
          balances: [...(block.balances ?? []), ...(changes[i] ?? [])],
          ...(extendsGenesis && { extendsGenesis }),
        })),
      );
    });
    const last = blocks[blocks.length - 1]?.block;
    if (last === undefined) return;
    // Not before the commit: the cache has no rows that may be rolled back.
    utxos.updateCache([...rows.unspent.values()], rows.consumedEarlier);
    const { unspent, tx, oldest } = numbers();
    const accepted = { id: last.id, height: last.height, time: last.time, unspent };
    tip.advance(accepted, { tx, oldest });
    onCommit?.(accepted);
  };

  const storeBlock = (block: NewBlock, unspentBefore: number, onStored?: OnBlockStored): void =>
    storeBlocks([block], unspentBefore, onStored && (([only]) => onStored(only as StoredBlock)));

  /** Adds outputs that no block contains; `before` runs first, inside the same transaction. */
  const addOutputs = (wanted: readonly Utxo[], onStored?: OnUtxosStored, before?: () => void): void => {
    const [accepted, { tx, oldest }] = [tip.last(), tip.numbers()];
    let added = 0;
    tables.write(() => {
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
    init: (genesisTxs, first, onStored, outputs = 'unspent') => {
      if (history.last() !== undefined) throw new StateError(`chain ${chainID} already has block 0`, { code: 'STATE_NOT_EMPTY', chainID });
      storeBlock({ block: first, diff: genesisChanges(genesisTxs, outputs) }, 0, onStored);
    },
    extendGenesis: (txs, onStored) => {
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
    commit: (block, diff, onStored) => {
      const before = tip.last();
      checkBlock(block, diff, before);
      storeBlock({ block, diff }, before.unspent, onStored);
    },
    commitAll: (blocks, onStored) => {
      const before = tip.last();
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
function findImported(memory: SharedMemory, chainID: Id, { applied }: Pick<Diff, 'applied'>): ReadonlyMap<Id, Utxo> {
  const found = new Map<Id, Utxo>();
  for (const { effects } of applied)
    for (const id of effects.imported?.ids ?? []) {
      const utxo = memory.get(chainID, effects.imported?.from as Id, id);
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
