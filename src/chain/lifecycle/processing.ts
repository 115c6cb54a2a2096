import type { Block } from '../../avm/tx/block.ts';
import type { Effects } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { createDiff, type Diff } from '../../ledger/state/diff.ts';
import { ChainError, wrongHeightError } from './fault.ts';
import type { BlockVerifier } from './tx-verifier.ts';

/** How far a block's time may be ahead of the local clock, in seconds. AvalancheGo: vms/avm/block/executor/block.go, SyncBound. */
const maxSecondsAhead = 10n;

/** A verified block that is neither accepted nor rejected yet, with its changes. */
export type ProcessingBlock = { readonly block: Block; readonly diff: Diff; readonly imported: ReadonlySet<Id> };

/** A block that can have children: a processing one, or the last accepted one (whose changes are already in the state). */
export type Parent = { readonly id: Id; readonly height: bigint; readonly time: bigint; readonly view: View };

type HeaderVerifyDeps = {
  readonly now: () => bigint;
  readonly parent: (id: Id) => Parent | undefined;
  /** IDs of the outputs imported by the parent and by its processing ancestors. */
  readonly importedByAncestors: (parentID: Id) => ReadonlySet<Id>;
};

type BlockVerifyDeps = HeaderVerifyDeps & {
  readonly verifier: BlockVerifier;
  readonly effectsOf: (tx: Tx) => Effects;
  readonly onDropped: (tx: Tx, reason: AnyFault) => void;
};

/** Verifies a block, with the checks in AvalancheGo's order. AvalancheGo: vms/avm/block/executor/block.go, Verify. */
export function verifyBlock(block: Block, deps: BlockVerifyDeps): ProcessingBlock {
  checkHeader(block, deps.now());
  for (const tx of block.txs) verifyTxInBlock(tx, undefined, deps);
  const parent = findParent(block, deps);

  const diff = createDiff(parent.view);
  const imported = new Set<Id>();
  for (const tx of block.txs) {
    verifyTxInBlock(tx, diff, deps);
    const effects = deps.effectsOf(tx);
    const ids = effects.imported?.ids ?? noIds;
    if (ids.some((id) => imported.has(id))) {
      const conflict = conflictingTxsError();
      deps.onDropped(tx, conflict);
      throw conflict;
    }
    for (const id of ids) imported.add(id);
    diff.apply(tx, effects);
  }
  checkImports(block, imported, deps);
  return { block, diff, imported };
}

/** Verifies a block that this node has built, on the same parent: each of its transactions was verified, and applied to the diff, for that. */
export function verifyBuiltBlock({ block, imported }: ProcessingBlock, deps: HeaderVerifyDeps): void {
  checkHeader(block, deps.now());
  findParent(block, deps);
  checkImports(block, imported, deps);
}

function findParent(block: Block, deps: HeaderVerifyDeps): Parent {
  const parent = deps.parent(block.parentID);
  if (parent === undefined)
    throw new ChainError(`failed to get parent ${idText(block.parentID)}: not found`, {
      code: 'BLOCK_PARENT_UNKNOWN',
      parentID: idText(block.parentID),
    });
  checkHeightAndTime(block, parent);
  return parent;
}

function checkImports({ parentID }: Block, imported: ReadonlySet<Id>, { importedByAncestors }: HeaderVerifyDeps): void {
  if (imported.size === 0) return;
  const before = importedByAncestors(parentID);
  if ([...imported].some((id) => before.has(id))) throw ancestorConflictError();
}

const noIds: readonly Id[] = [];

export const conflictingTxsError = () => new ChainError('block contains conflicting transactions', { code: 'BLOCK_CONFLICTING_TXS' });

export const ancestorConflictError = () =>
  new ChainError('block contains a transaction that conflicts with a transaction in a parent block', {
    code: 'BLOCK_CONFLICTS_WITH_ANCESTOR',
  });

function checkHeader(block: Block, now: bigint): void {
  if (block.merkleRoot !== zeroId) {
    const merkleRoot = idText(block.merkleRoot);
    throw new ChainError(`unexpected merkle root: ${merkleRoot}`, { code: 'BLOCK_MERKLE_ROOT', merkleRoot });
  }
  if (block.time > now + maxSecondsAhead)
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

function checkHeightAndTime(block: Block, parent: Parent): void {
  const want = parent.height + 1n;
  if (block.height !== want) throw wrongHeightError(want, block.height);
  if (block.time < parent.time)
    throw new ChainError(`proposed timestamp before current chain time: proposed timestamp (${block.time}), chain time (${parent.time})`, {
      code: 'BLOCK_EARLIER_THAN_PARENT',
      time: block.time,
      parentTime: parent.time,
    });
}

/** Verifies a transaction on a view, or without one its syntax. */
function verifyTxInBlock(tx: Tx, view: View | undefined, deps: BlockVerifyDeps): void {
  try {
    if (view === undefined) deps.verifier.verifySyntax(tx);
    else deps.verifier.verifySpend(tx, view);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    deps.onDropped(tx, error);
    const txID = idText(tx.id);
    const phase = view === undefined ? 'syntactically' : 'semantically';
    throw new ChainError(`failed to ${phase} verify tx ${txID}: ${error.message}`, { code: 'BLOCK_BAD_TX', txID, cause: error.fault.code });
  }
}
