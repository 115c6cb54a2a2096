import { type Id, idText } from '../bytes/id.ts';
import { type AnyFault, Fault } from '../fault.ts';
import type { Diff } from '../state/diff.ts';
import type { View } from '../state/view.ts';
import { type Block, parseBlock } from '../tx/block.ts';
import { type Effects, effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { ExpectedSignature } from '../verify/owners.ts';
import { buildBlock } from './builder.ts';
import { createCommitState } from './commit-state.ts';
import { ChainError, isDuplicate } from './fault.ts';
import { createMempool, type Mempool } from './mempool.ts';
import { explainMissing } from './missing-output.ts';
import { type Parent, type Processing, verifyBlock } from './processing.ts';
import { createRefusals } from './refusals.ts';
import type { TxVerifier } from './tx-verifier.ts';
import { createWalletQueue } from './wallet-queue.ts';

/** The accepted state as the chain needs it. */
export type Ledger = View & {
  readonly lastAccepted: () => { readonly id: Id; readonly height: bigint; readonly time: bigint };
  readonly block: (id: Id) => Uint8Array | undefined;
  readonly hasTx: (id: Id) => boolean;
  /** Whether an output existed and is gone, on this chain or in the memory shared with another. */
  readonly wasConsumed: (utxoID: Id) => boolean;
  /** The transaction that consumed an output, as far as it is known. */
  readonly consumerOf: (utxoID: Id) => Id | undefined;
  /** Everything a block changes, in one transaction of the store. */
  readonly commit: (block: Block, diff: Diff) => void;
};

export type TxStatus = 'Accepted' | 'Processing' | 'Rejected' | 'Unknown';

export type ChainDeps = {
  readonly ledger: Ledger;
  readonly judge: TxVerifier;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** Where this chain is kinder than the peer; see the table of differences. */
  readonly differences: { readonly judgesAnew: boolean; readonly walletMovesOn: boolean };
  readonly onDropped?: (tx: Tx, reason: AnyFault) => void;
  /** Commits begin to fail, or succeed again. */
  readonly onCommitState?: () => void;
};

/** A block by its place and its bytes: all an engine holds of it. */
export type BlockRef = Pick<Block, 'id' | 'parentID' | 'height' | 'time' | 'bytes'>;

/** The first part is what an engine drives (it declares the same shape as its Vm), the rest is for those who issue and ask. */
export type Chain = {
  readonly lastAccepted: () => Id;
  readonly build: () => BlockRef | undefined;
  readonly parse: (bytes: Uint8Array) => BlockRef;
  readonly block: (id: Id) => BlockRef | undefined;
  readonly verify: (block: BlockRef) => void;
  readonly accept: (id: Id) => void;
  readonly reject: (id: Id) => void;
  readonly setPreference: (id: Id) => void;
  readonly onWork: (listener: () => void) => void;
  readonly waiting: () => number;
  /** Takes a transaction into the pool after judging it on the last accepted state; a waiting one is taken as it is. */
  readonly issue: (tx: Tx) => void;
  /** Signatures that `issue` will ask for, if the state stays as it is: those before the first check that fails without them. */
  readonly expectedSignatures: (tx: Tx) => readonly ExpectedSignature[];
  /** Takes a transaction that may depend on others still waiting; it is judged when its turn comes. */
  readonly issueInTurn: (tx: Tx) => void;
  readonly status: (id: Id) => TxStatus;
  readonly mempool: Pick<Mempool, 'size'>;
  readonly processing: () => number;
  /** Why the last block could not be stored; undefined as soon as one is stored. While it is set, nothing new is issued. */
  readonly commitFailure: () => AnyFault | undefined;
};

/** One chain: what waits, what is undecided, what is accepted. The only place that changes accepted state is `accept`. */
export function createChain({ ledger, judge, now, differences, onDropped, onCommitState }: ChainDeps): Chain {
  const mempool = createMempool();
  const processing = new Map<Id, Processing>();
  const effects = rememberedEffects();
  const refusals = createRefusals();
  const commits = createCommitState(() => onCommitState?.());
  const workListeners: (() => void)[] = [];
  let preferred = ledger.lastAccepted().id;
  /** The block that was built last and not verified yet. */
  let built: Block | undefined;

  const dropped = (tx: Tx, reason: AnyFault): void => {
    mempool.markDropped(tx.id, reason);
    refusals.add(tx);
    wallet.dropped(tx.id);
    onDropped?.(tx, reason);
  };

  const add = (tx: Tx): void => {
    try {
      mempool.add(tx);
    } catch (error) {
      if (error instanceof Fault) mempool.markDropped(tx.id, error);
      throw error;
    }
    refusals.forget(tx.id);
    tellWork();
  };

  const tellWork = (): void => {
    for (const listener of workListeners) listener();
  };

  const wallet = createWalletQueue(add, differences.walletMovesOn);

  /** Peer: vms/avm/network/gossip.go, Add: pending first, then a remembered refusal, then the rules, then the pool's limits. */
  const issue = (tx: Tx): void => {
    if (mempool.get(tx.id) !== undefined) return;
    commits.checkIssuable();
    checkRules(tx);
    add(tx);
  };

  const issueInTurn = (tx: Tx): void => {
    if (!wallet.has(tx.id)) commits.checkIssuable();
    wallet.issue(tx);
  };

  /** Throws a fault that says why the last accepted state does not allow the transaction. */
  const checkRules = (tx: Tx): void => {
    const before = differences.judgesAnew ? undefined : mempool.dropReason(tx.id);
    if (before !== undefined) throw before;
    try {
      judge.syntax(tx);
      judge.spend(tx, ledger);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      mempool.markDropped(tx.id, error);
      refusals.add(tx);
      throw explainMissing(error, ledger, status);
    }
  };

  const expectedSignatures = (tx: Tx): readonly ExpectedSignature[] => {
    const isDecided = mempool.get(tx.id) !== undefined || (!differences.judgesAnew && mempool.dropReason(tx.id) !== undefined);
    return isDecided ? [] : judge.expectedSignatures(tx, ledger);
  };

  const parentAt = (id: Id): Parent | undefined => {
    const undecided = processing.get(id);
    if (undecided !== undefined) return { id, height: undecided.block.height, time: undecided.block.time, view: viewAfter(id) };
    const last = ledger.lastAccepted();
    return id === last.id ? { ...last, view: ledger } : undefined;
  };

  /**
   * The state after a block: its diff while it is processing, the accepted state once it is accepted. It is resolved on every read. A child
   * that held its parent's diff would keep every ancestor in memory, and each read would pass through all of them.
   */
  const viewAfter = (id: Id): View => {
    const current = (): View => processing.get(id)?.diff ?? ledger;
    return {
      utxo: (utxoID) => current().utxo(utxoID),
      asset: (assetID) => current().asset(assetID),
      tx: (txID) => current().tx(txID),
      atomic: ledger.atomic,
    };
  };

  const importedBy = (parentID: Id): ReadonlySet<Id> => {
    const all = new Set<Id>();
    for (let at = processing.get(parentID); at !== undefined; at = processing.get(at.block.parentID))
      for (const id of at.imported) all.add(id);
    return all;
  };

  const verify = (block: BlockRef): void => {
    if (processing.has(block.id)) return;
    const whole = 'txs' in block ? (block as Block) : parseBlock(block.bytes);
    try {
      processing.set(block.id, verifyBlock(whole, { judge, now, parent: parentAt, importedBy, effects, dropped }));
    } catch (error) {
      if (whole === built) giveBack(whole.txs.filter((tx) => mempool.dropReason(tx.id) === undefined));
      throw error;
    } finally {
      built = undefined;
    }
    mempool.remove(whole.txs);
  };

  /**
   * A block that fails must not take good transactions with it: they wait again, and are verified when the next block is built.
   * Only one that conflicts with a transaction that came into the pool meanwhile is dropped. Nobody is told, or it would be built at once.
   */
  const giveBack = (txs: readonly Tx[]): void => {
    for (const tx of txs) {
      try {
        mempool.putBack(tx);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (!isDuplicate(error)) dropped(tx, error);
      }
    }
  };

  const accept = (id: Id): void => {
    const { block, diff } = decided(id);
    try {
      ledger.commit(block, diff);
    } catch (error) {
      commits.failed(block.height, error);
      throw error;
    }
    processing.delete(id);
    mempool.remove(block.txs);
    for (const tx of block.txs) {
      refusals.forget(tx.id);
      wallet.decided(tx.id);
    }
    commits.cleared();
  };

  /** What the block held goes back to the pool if it is still valid. If reading fails the rest goes back unverified, then the error is thrown. */
  const reject = (id: Id): void => {
    const { block } = decided(id);
    processing.delete(id);
    let verified = 0;
    try {
      for (const tx of block.txs) {
        if (mempool.get(tx.id) === undefined && isStillValid(tx)) giveBack([tx]);
        verified++;
      }
    } finally {
      giveBack(block.txs.slice(verified));
      tellWork();
    }
  };

  const isStillValid = (tx: Tx): boolean => {
    try {
      checkRules(tx);
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      dropped(tx, error);
      return false;
    }
  };

  const decided = (id: Id): Processing => {
    const undecided = processing.get(id);
    if (undecided === undefined)
      throw new ChainError(`block not found: ${idText(id)}`, { code: 'BLOCK_NOT_PROCESSING', blockID: idText(id) });
    return undecided;
  };

  const isUndecided = (id: Id): boolean =>
    mempool.get(id) !== undefined || wallet.has(id) || [...processing.values()].some(({ block }) => block.txs.some((tx) => tx.id === id));

  const status = (id: Id): TxStatus => {
    if (ledger.hasTx(id)) return 'Accepted';
    if (isUndecided(id)) return 'Processing';
    return refusals.wanted(id)?.some(ledger.wasConsumed) ? 'Rejected' : 'Unknown';
  };

  return {
    lastAccepted: () => ledger.lastAccepted().id,
    build: () => {
      const parent = parentAt(preferred);
      built = parent && buildBlock(parent, { mempool, judge, now, importedBy, effects, dropped, giveBack });
      // Nothing is left to store: only the next transaction can tell whether storing works again.
      if (parent !== undefined && built === undefined) commits.cleared();
      return built;
    },
    parse: parseBlock,
    block: (id) => {
      const undecided = processing.get(id);
      if (undecided !== undefined) return undecided.block;
      const bytes = ledger.block(id);
      return bytes === undefined ? undefined : parseBlock(bytes);
    },
    verify,
    accept,
    reject,
    setPreference: (id) => {
      preferred = id;
    },
    onWork: (listener) => void workListeners.push(listener),
    waiting: () => mempool.size().txs,
    issue,
    expectedSignatures,
    issueInTurn,
    status,
    mempool,
    processing: () => processing.size,
    commitFailure: commits.failure,
  };
}

/** A transaction is taken through twice, when its block is built and when it is verified; what it does is the same both times. */
function rememberedEffects(): (tx: Tx) => Effects {
  const known = new WeakMap<Tx, Effects>();
  return (tx) => {
    const before = known.get(tx);
    if (before !== undefined) return before;
    const effects = effectsOf(tx);
    known.set(tx, effects);
    return effects;
  };
}
