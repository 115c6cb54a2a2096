import { type Id, idText } from '../bytes/id.ts';
import type { Store } from '../store/store.ts';
import type { Block } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import { type Accounts, accountsIn } from './accounts.ts';
import { createTally } from './balance.ts';
import { blockChange, type NewBlock, ownersOfAll, type StoredBlock } from './block-change.ts';
import { claimChain } from './chain-number.ts';
import type { Diff } from './diff.ts';
import { damagedRow, StateError } from './fault.ts';
import { type Accepted, type History, historyIn } from './history.ts';
import { tablesOf } from './schema.ts';
import type { SharedMemory } from './shared-memory.ts';
import { stored } from './stored-utxo.ts';
import { type ScanReads, scanTransfers, type TransferQuery, type TransferScan } from './transfer-scan.ts';
import { type OwnedUtxos, type PageQuery, pagingRules, type UtxoPage, utxoPage } from './utxo-page.ts';
import { type NumberedUtxo, utxoTable } from './utxo-table.ts';
import type { View } from './view.ts';

/** The accepted state of one chain. Every read sees the last commit, also in a process that only reads. */
export type ChainState = View &
  Pick<History, 'block' | 'blockAt' | 'txBytes' | 'txHeight' | 'hasTx' | 'description'> &
  Pick<Accounts, 'balances' | 'latestUnlock' | 'changed'> & {
    /** `rowsInStep`: for tests. */
    readonly transfers: (query: TransferQuery, rowsInStep?: number) => TransferScan;
    readonly id: Id;
    /** False until `init`: a new database has no block 0. */
    readonly isInitialized: () => boolean;
    readonly lastAccepted: () => Accepted;
    readonly height: () => bigint;
    /** How often the chain was reverted; part of every cache key. */
    readonly epoch: () => number;
    /** Whether an output existed and is gone, here or in the memory shared with another chain. */
    readonly wasConsumed: (utxoID: Id) => boolean;
    /** The transaction that spent an output of this chain. Who imported one of another chain, the history index knows. */
    readonly consumerOf: (utxoID: Id) => Id | undefined;
    /** Outputs of this chain, or of those that `sourceChain` put where this one may import them. */
    readonly utxos: (sourceChain: Id, query: PageQuery, strict: boolean) => UtxoPage;
    readonly stats: () => { readonly blocks: number; readonly txs: number; readonly utxos: number; readonly unspent: number };
    /** Block 0 and what the genesis made: unspent outputs, unless much has happened between the genesis and block 0. */
    readonly init: (genesisTxs: readonly Tx[], first: Block, within?: Within, outputs?: 'unspent' | 'unknown') => void;
    /** Everything a block changes, in one transaction. `within` runs inside it, for what must be stored together with the block. */
    readonly commit: (block: Block, diff: Changes, within?: Within) => void;
    /** The same for many blocks, all in one transaction; `within` runs once, after the last. */
    readonly commitAll: (blocks: readonly NewBlock[], within?: WithinAll) => void;
    /** Unspent outputs that no block tells of, as if made at height 0; those that are or were here are passed over. */
    readonly addPreLinearizationUtxos: (utxos: readonly Utxo[], within?: WithinOlder) => void;
  };

export type Within = (stored: StoredBlock) => void;
export type WithinAll = (stored: readonly StoredBlock[]) => void;
export type WithinOlder = (stored: readonly NumberedUtxo[]) => void;

type Changes = Pick<Diff, 'applied' | 'consumed'>;

/** The last numbers in use, and how many outputs are unspent. */
type Numbers = { readonly tx: number; readonly utxo: number; readonly unspent: number };

type Inserted = { readonly created: readonly NumberedUtxo[]; readonly stored: StoredBlock };

export type ChainInfo = {
  readonly id: Id;
  /** An id that stands for the chain's genesis, such as the hash of its bytes. */
  readonly genesis: Id;
};

/** `committed` is told the last block after each commit; it must be quick. */
export function openState(store: Store, memory: SharedMemory, chain: ChainInfo, committed?: (last: Accepted) => void): ChainState {
  const tables = tablesOf(claimChain(store, chain.id, chain.genesis));
  const damaged = (row: string): StateError => {
    const fault = damagedRow(row);
    store.noteDamage(fault.message);
    return fault;
  };
  const history = historyIn(store.db, tables, store.epoch, damaged);
  const utxos = utxoTable(store.db, tables, !store.readonly, damaged);
  const accounts = accountsIn(store.db, tables);
  const owned: OwnedUtxos = { rows: accounts.owned, bytesOf: ({ seq, bytes }) => bytes ?? utxos.wholeBytes(seq), place: utxos.place };

  /** One address is read at one go; several must be seen at the same moment. */
  const ownPage = (query: PageQuery, strict: boolean): UtxoPage => {
    const page = () => utxoPage(owned, query, pagingRules[strict ? 'strict' : 'kind'].own);
    return query.addresses.length === 1 ? page() : store.read(page);
  };

  /** The process that writes knows what it wrote last. */
  let known = store.readonly ? undefined : history.last();
  let numbers = { tx: history.lastTxSeq(), utxo: utxos.lastSeq() };
  const last = (): NonNullable<ReturnType<History['last']>> => {
    const accepted = known ?? history.last();
    if (accepted === undefined)
      throw new StateError(`chain ${idText(chain.id)} has no block yet`, { code: 'STATE_EMPTY', chainID: idText(chain.id) });
    return accepted;
  };

  const scanReads: ScanReads = {
    read: store.read,
    height: () => last().height,
    changed: accounts.changed,
    owned: accounts.owned,
    bytesOf: owned.bytesOf,
    blockAt: history.blockAt,
    seqOf: (id) => utxos.place(id)?.seq,
  };

  /** A scan that a revert interrupts begins again: it would mix two histories. */
  function* transfers(query: TransferQuery, rowsInStep?: number): TransferScan {
    for (;;) {
      const epoch = store.epoch();
      const found = yield* scanTransfers(scanReads, query, rowsInStep);
      if (store.epoch() === epoch) return found;
    }
  }

  store.onRevert(() => {
    known = history.last();
    numbers = { tx: history.lastTxSeq(), utxo: utxos.lastSeq() };
    utxos.forget();
  });

  /** Looked up while they are still there. */
  const importedBy = ({ applied }: Pick<Diff, 'applied'>): ReadonlyMap<Id, Utxo> => {
    const found = new Map<Id, Utxo>();
    for (const { effects } of applied)
      for (const id of effects.imported?.ids ?? []) {
        const utxo = memory.get(chain.id, effects.imported?.from as Id, id);
        if (utxo !== undefined) found.set(id, utxo);
      }
    return found;
  };

  /** Inside a write. */
  const insert = (
    { block, diff, imported: given }: NewBlock,
    at: Numbers,
    held: (utxo: Utxo) => NumberedUtxo,
    lookUp: boolean,
  ): Inserted => {
    const height = Number(block.height);
    const firstTx = at.tx + 1;
    const { made, created, consumed, deltas, touched } = blockChange(diff, { height, firstTx, firstUtxo: at.utxo + 1, held });
    history.insertBlock(block, firstTx, at.unspent + created.length - consumed.length);
    history.insertTxs(diff.applied, firstTx, height);
    utxos.insert(made);
    utxos.spend([...made, ...consumed]);
    accounts.removeOwners(consumed);
    accounts.addOwners(created);
    accounts.applyDeltas(deltas, height);
    accounts.touch(touched, height);
    const imported = lookUp ? new Map([...importedBy(diff), ...(given ?? [])]) : nothing;
    for (const { effects } of diff.applied) {
      if (effects.imported) memory.remove(chain.id, effects.imported.from, effects.imported.ids);
      if (effects.exported) memory.put(effects.exported.to, chain.id, effects.exported.utxos);
    }
    return { created, stored: { block, firstTx, applied: diff.applied, made, consumed, imported } };
  };

  /** Inside a write. Numbered after all there is; `changed` of the owners becomes a number that no block has. */
  const insertOlder = (wanted: readonly Utxo[], firstUtxo: number): NumberedUtxo[] => {
    const missing = new Map(wanted.filter(({ id }) => utxos.place(id) === undefined).map((utxo) => [utxo.id, utxo]));
    const added = [...missing.values()].map((utxo, i) => ({ utxo, seq: firstUtxo + i, height: 0, bytes: stored(utxo) }));
    const tally = createTally();
    for (const { utxo } of added) tally.add(utxo);
    utxos.insert(added);
    accounts.addOwners(added);
    accounts.applyDeltas(tally.deltas(), 0);
    accounts.touch(ownersOfAll(added), -1 - firstUtxo);
    return added;
  };

  const writeAll = (blocks: readonly NewBlock[], unspentBefore: number, within?: WithinAll): void => {
    let at: Numbers = { ...numbers, unspent: unspentBefore };
    // What these blocks make and leave: nothing else knows of it before the commit.
    const fresh = new Map<Id, NumberedUtxo>();
    const gone: NumberedUtxo[] = [];
    const held = (utxo: Utxo): NumberedUtxo => fresh.get(utxo.id) ?? utxos.held(utxo);
    const insertNext = (next: NewBlock): StoredBlock => {
      if (next.preLinearizationAssets) history.insertAssets(next.preLinearizationAssets);
      const older =
        next.preLinearizationUtxos === undefined || next.preLinearizationUtxos.length === 0
          ? []
          : insertOlder(next.preLinearizationUtxos, at.utxo + 1);
      at = { ...at, utxo: at.utxo + older.length, unspent: at.unspent + older.length };
      const { created, stored } = insert(next, at, held, within !== undefined);
      for (const row of created) fresh.set(row.utxo.id, row);
      for (const row of stored.consumed) if (!fresh.delete(row.utxo.id)) gone.push(row);
      const { applied, made, consumed } = stored;
      at = { tx: at.tx + applied.length, utxo: at.utxo + made.length, unspent: at.unspent + created.length - consumed.length };
      return { ...stored, older };
    };
    whole(() => {
      const stored = blocks.map(insertNext);
      within?.(stored);
    });
    const last = blocks[blocks.length - 1];
    if (last === undefined) return;
    utxos.remember([...fresh.values()], gone);
    known = { id: last.block.id, height: last.block.height, time: last.block.time, unspent: at.unspent };
    numbers = { tx: at.tx, utxo: at.utxo };
    committed?.(known);
  };

  /** A commit that failed must leave no trace here either: what was read in the middle of it may never have been. */
  const whole = (work: () => void): void => {
    try {
      store.write(work);
    } catch (error) {
      utxos.forget();
      throw error;
    }
  };

  return {
    id: chain.id,
    ...history,
    ...accounts,
    transfers,
    utxo: utxos.unspent,
    atomic: (sourceChain, utxoID) => memory.get(chain.id, sourceChain, utxoID),
    isInitialized: () => (known ?? history.last()) !== undefined,
    lastAccepted: () => {
      const { id, height, time } = last();
      return { id, height, time };
    },
    height: () => last().height,
    epoch: store.epoch,
    wasConsumed: (utxoID) => utxos.place(utxoID)?.gone ?? memory.wasRemoved(chain.id, utxoID),
    consumerOf: utxos.consumer,
    utxos: (sourceChain, query, strict) =>
      sourceChain === chain.id ? ownPage(query, strict) : memory.page(chain.id, sourceChain, query, strict),
    stats: () => {
      const { height, unspent } = last();
      return { blocks: Number(height) + 1, txs: history.lastTxSeq(), utxos: utxos.lastSeq(), unspent };
    },
    init: (genesisTxs, first, within, outputs = 'unspent') => {
      if (history.last() !== undefined)
        throw new StateError(`chain ${idText(chain.id)} has its block 0 already`, { code: 'STATE_NOT_EMPTY', chainID: idText(chain.id) });
      const effects = (tx: Tx) => (outputs === 'unspent' ? effectsOf(tx) : { ...effectsOf(tx), created: [] });
      const diff = { applied: genesisTxs.map((tx) => ({ tx, effects: effects(tx) })), consumed: new Map() };
      writeAll([{ block: first, diff }], 0, within && (([only]) => within(only as StoredBlock)));
    },
    commit: (block, diff, within) => {
      const before = last();
      checkBlock(block, diff, before);
      writeAll([{ block, diff }], before.unspent, within && (([only]) => within(only as StoredBlock)));
    },
    commitAll: (blocks, within) => {
      const before = last();
      let parent: Accepted = before;
      for (const { block, diff } of blocks) {
        checkBlock(block, diff, parent);
        parent = block;
      }
      writeAll(blocks, before.unspent, within);
    },
    addPreLinearizationUtxos: (wanted, within) => {
      const before = last();
      let added: NumberedUtxo[] = [];
      whole(() => {
        added = insertOlder(wanted, numbers.utxo + 1);
        if (added.length === 0) return;
        history.addUnspent(added.length);
        within?.(added);
      });
      known = { ...before, unspent: before.unspent + added.length };
      numbers = { ...numbers, utxo: numbers.utxo + added.length };
    },
  };
}

const nothing: ReadonlyMap<Id, Utxo> = new Map();

/** The last gate: whatever a caller gets wrong, only the next block goes in, with the changes of its own transactions. */
function checkBlock(block: Block, { applied }: Pick<Diff, 'applied'>, last: Accepted): void {
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
