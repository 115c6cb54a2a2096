import { type Id, idText, zeroId } from '../bytes/id.ts';
import { type AnyFault, Fault } from '../fault.ts';
import { type Diff, diffOn } from '../state/diff.ts';
import type { View } from '../state/view.ts';
import type { Block } from '../tx/block.ts';
import type { Effects } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import { ChainError } from './fault.ts';
import type { TxVerifier } from './tx-verifier.ts';

/** How far a block may run ahead of our clock, in seconds. Peer: vms/avm/block/executor/block.go, SyncBound. */
export const maxAhead = 10n;

/** A verified block that is not decided yet, with what accepting it would change. */
export type Processing = { readonly block: Block; readonly diff: Diff; readonly imported: ReadonlySet<Id> };

/** Where a child may be built or verified: a processing block, or the last accepted one (whose diff is already in the state). */
export type Parent = { readonly id: Id; readonly height: bigint; readonly time: bigint; readonly view: View };

export type VerifyDeps = {
  readonly judge: TxVerifier;
  readonly now: () => bigint;
  readonly parent: (id: Id) => Parent | undefined;
  /** Inputs that processing ancestors, the parent included, have imported. */
  readonly importedBy: (parentID: Id) => ReadonlySet<Id>;
  readonly effects: (tx: Tx) => Effects;
  readonly dropped: (tx: Tx, reason: AnyFault) => void;
};

/** The rules of a block, in the peer's order. Peer: vms/avm/block/executor/block.go, Verify. */
export function verifyBlock(block: Block, deps: VerifyDeps): Processing {
  checkHeader(block, deps.now());
  for (const tx of block.txs) judged('syntactically', tx, deps, () => deps.judge.syntax(tx));

  const parent = deps.parent(block.parentID);
  if (parent === undefined)
    throw new ChainError(`failed to get parent ${idText(block.parentID)}: not found`, {
      code: 'BLOCK_PARENT_UNKNOWN',
      parentID: idText(block.parentID),
    });
  checkPlace(block, parent);

  const diff = diffOn(parent.view);
  const imported = new Set<Id>();
  for (const tx of block.txs) {
    judged('semantically', tx, deps, () => deps.judge.spend(tx, diff));
    const effects = deps.effects(tx);
    const ids = effects.imported?.ids ?? [];
    if (ids.some((id) => imported.has(id))) {
      const conflict = conflictingTxs();
      deps.dropped(tx, conflict);
      throw conflict;
    }
    for (const id of ids) imported.add(id);
    diff.apply(tx, effects);
  }
  const before = deps.importedBy(block.parentID);
  if ([...imported].some((id) => before.has(id))) throw conflictsWithAncestor();
  return { block, diff, imported };
}

export const conflictingTxs = () => new ChainError('block contains conflicting transactions', { code: 'BLOCK_CONFLICTING_TXS' });

export const conflictsWithAncestor = () =>
  new ChainError('block contains a transaction that conflicts with a transaction in a parent block', {
    code: 'BLOCK_CONFLICTS_WITH_ANCESTOR',
  });

function checkHeader(block: Block, now: bigint): void {
  if (block.merkleRoot !== zeroId) {
    const merkleRoot = idText(block.merkleRoot);
    throw new ChainError(`unexpected merkle root: ${merkleRoot}`, { code: 'BLOCK_MERKLE_ROOT', merkleRoot });
  }
  if (block.time > now + maxAhead)
    throw new ChainError(
      `proposed timestamp is too far in the future relative to local time, proposed time (${block.time}), local time (${now})`,
      {
        code: 'BLOCK_TOO_FAR_AHEAD',
        time: block.time,
        now,
      },
    );
  if (block.txs.length === 0) throw new ChainError('block contains no transactions', { code: 'BLOCK_EMPTY' });
}

function checkPlace(block: Block, parent: Parent): void {
  const want = parent.height + 1n;
  if (block.height !== want)
    throw new ChainError(`block has incorrect height: expected height ${want}, got ${block.height}`, {
      code: 'BLOCK_HEIGHT',
      want,
      got: block.height,
    });
  if (block.time < parent.time)
    throw new ChainError(`proposed timestamp before current chain time: proposed timestamp (${block.time}), chain time (${parent.time})`, {
      code: 'BLOCK_EARLIER_THAN_PARENT',
      time: block.time,
      parentTime: parent.time,
    });
}

function judged(how: string, tx: Tx, deps: VerifyDeps, judge: () => void): void {
  try {
    judge();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    deps.dropped(tx, error);
    const txID = idText(tx.id);
    throw new ChainError(`failed to ${how} verify tx ${txID}: ${error.message}`, { code: 'BLOCK_BAD_TX', txID, cause: error.fault.code });
  }
}
