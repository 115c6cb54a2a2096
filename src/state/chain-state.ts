import { type Id, idText } from '../bytes/id.ts';
import type { Store } from '../store/store.ts';
import type { Block } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import { type Accounts, accountsIn } from './accounts.ts';
import { blockChange } from './block-change.ts';
import { claimChain } from './chain-number.ts';
import type { Diff } from './diff.ts';
import { StateError } from './fault.ts';
import { type Accepted, type History, historyIn } from './history.ts';
import { tablesOf } from './schema.ts';
import type { SharedMemory } from './shared-memory.ts';
import { manners, type OwnedUtxos, type PageQuery, type UtxoPage, utxoPage } from './utxo-page.ts';
import { utxoTable } from './utxo-table.ts';
import type { View } from './view.ts';

/** The accepted state of one chain. Every read sees the last commit, also in a process that only reads. */
export type ChainState = View &
  Pick<History, 'block' | 'blockAt' | 'txBytes' | 'txHeight' | 'hasTx' | 'description'> &
  Pick<Accounts, 'balances' | 'changed' | 'transferRefs'> & {
    readonly id: Id;
    /** False until `init`: a new database has no block 0. */
    readonly isInitialized: () => boolean;
    readonly lastAccepted: () => Accepted;
    readonly height: () => bigint;
    /** Whether an output existed and is gone, here or in the memory shared with another chain. */
    readonly wasConsumed: (utxoID: Id) => boolean;
    /** Outputs of this chain, or of those that `sourceChain` put where this one may import them. */
    readonly utxos: (sourceChain: Id, query: PageQuery, strict: boolean) => UtxoPage;
    readonly stats: () => { readonly blocks: number; readonly txs: number; readonly utxos: number; readonly unspent: number };
    /** Block 0 and what the genesis made. */
    readonly init: (genesisTxs: readonly Tx[], first: Block) => void;
    /** Everything a block changes, in one transaction. `within` runs inside it, for what must be stored together with the block. */
    readonly commit: (block: Block, diff: Changes, within?: () => void) => void;
  };

type Changes = Pick<Diff, 'applied' | 'consumed'>;

export type ChainInfo = {
  readonly id: Id;
  /** An id that stands for the chain's genesis, such as the hash of its bytes. */
  readonly genesis: Id;
};

export function openState(store: Store, memory: SharedMemory, chain: ChainInfo): ChainState {
  const tables = tablesOf(claimChain(store, chain.id, chain.genesis));
  const history = historyIn(store.db, tables);
  const utxos = utxoTable(store.db, tables, !store.readonly);
  const accounts = accountsIn(store.db, tables, utxos.wholeBytes);
  const owned: OwnedUtxos = { rows: accounts.owned, bytesOf: ({ seq, bytes }) => bytes ?? utxos.wholeBytes(seq), place: utxos.place };

  /** One address is read at one go; several must be seen at the same moment. */
  const ownPage = (query: PageQuery, strict: boolean): UtxoPage => {
    const page = () => utxoPage(owned, query, manners[strict ? 'strict' : 'kind'].own);
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

  const write = (block: Block, diff: Changes, unspentBefore: number, within?: () => void): void => {
    const height = Number(block.height);
    const change = store.write(() => {
      const firstTx = numbers.tx + 1;
      const { made, created, consumed, deltas, touched } = blockChange(diff, { firstTx, firstUtxo: numbers.utxo + 1, held: utxos.held });
      const unspent = unspentBefore + created.length - consumed.length;
      history.insertBlock(block, firstTx, unspent);
      history.insertTxs(diff.applied, firstTx, height);
      utxos.insert(made, height);
      utxos.spend([...made, ...consumed]);
      accounts.removeOwners(consumed);
      accounts.addOwners(created);
      accounts.applyDeltas(deltas, height);
      accounts.touch(touched, height);
      for (const { effects } of diff.applied) {
        if (effects.imported) memory.remove(chain.id, effects.imported.from, effects.imported.ids);
        if (effects.exported) memory.put(effects.exported.to, chain.id, effects.exported.utxos);
      }
      within?.();
      return { made, created, consumed, unspent };
    });
    // Only now: a commit that failed must leave no trace here either.
    utxos.remember(change.created, change.consumed);
    known = { id: block.id, height: block.height, time: block.time, unspent: change.unspent };
    numbers = { tx: numbers.tx + diff.applied.length, utxo: numbers.utxo + change.made.length };
  };

  return {
    id: chain.id,
    ...history,
    ...accounts,
    utxo: utxos.unspent,
    atomic: (sourceChain, utxoID) => memory.get(chain.id, sourceChain, utxoID),
    isInitialized: () => (known ?? history.last()) !== undefined,
    lastAccepted: () => {
      const { id, height, time } = last();
      return { id, height, time };
    },
    height: () => last().height,
    wasConsumed: (utxoID) => utxos.place(utxoID)?.gone ?? memory.wasRemoved(chain.id, utxoID),
    utxos: (sourceChain, query, strict) =>
      sourceChain === chain.id ? ownPage(query, strict) : memory.page(chain.id, sourceChain, query, strict),
    stats: () => {
      const { height, unspent } = last();
      return { blocks: Number(height) + 1, txs: history.lastTxSeq(), utxos: utxos.lastSeq(), unspent };
    },
    init: (genesisTxs, first) => {
      if (history.last() !== undefined)
        throw new StateError(`chain ${idText(chain.id)} has its block 0 already`, { code: 'STATE_NOT_EMPTY', chainID: idText(chain.id) });
      write(first, { applied: genesisTxs.map((tx) => ({ tx, effects: effectsOf(tx) })), consumed: new Map() }, 0);
    },
    commit: (block, diff, within) => {
      const before = last();
      checkBlock(block, diff, before);
      write(block, diff, before.unspent, within);
    },
  };
}

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
