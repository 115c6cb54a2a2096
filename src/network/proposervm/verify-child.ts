import type { Id } from '../../base/bytes/id.ts';
import { nodeIdText } from '../../base/bytes/node-id.ts';
import { OuterBlockError, type OuterBlockFault } from './fault.ts';
import type { Epoch, OuterBlock } from './outer-block.ts';
import { type ProposerSchedule, slotOf, slotSeconds, verifiedWindows } from './proposer.ts';

/** The parent of a block: a wrapped block, or the last one that is not wrapped (block 0 of the X-Chain). */
type OuterParent = Pick<OuterBlock, 'timestamp' | 'pChainHeight' | 'epoch'> & { readonly innerId: Id };
type UnwrappedParent = { readonly timestamp: bigint; readonly innerId: Id };

/** A block whose signature was verified, and what its inner block says. */
type OuterChild = Pick<OuterBlock, 'timestamp' | 'pChainHeight' | 'epoch' | 'proposer'> & {
  readonly innerParentId: Id;
  readonly height: bigint;
};

export type ChildRules = EpochRules & {
  /** Unix seconds. Children of earlier blocks have proposers from a time on, instead of slots. */
  readonly durangoTime: bigint;
  /** The least P-Chain height of the first wrapped block. */
  readonly minPChainHeight: bigint;
};

/** What a node in normal operation knows; a node that bootstraps does not have it and skips these checks. */
type NormalOperation = { readonly currentPChainHeight: bigint; readonly schedule: ProposerSchedule };

/** How far a block may be ahead of the clock. */
const maxAheadMilliseconds = 10_000n;

/**
 * Verifies a block on its wrapped parent; the inner block is verified by its chain afterwards. `schedule` is that of the validator set at the
 * parent's P-Chain height. AvalancheGo: vms/proposervm/block.go, Verify.
 */
export function verifyChild(
  parent: OuterParent,
  child: OuterChild,
  rules: ChildRules,
  nowMilliseconds: bigint,
  normal: NormalOperation | undefined,
): void {
  if (child.pChainHeight < parent.pChainHeight) throw refusal('OUTER_P_CHAIN_HEIGHT_DECREASES');
  if (child.innerParentId !== parent.innerId) throw refusal('OUTER_INNER_PARENT');
  verifyTime(parent.timestamp, child.timestamp, nowMilliseconds);
  if (normal === undefined) return;
  verifyEpoch(child.epoch, childEpoch(parent, child.timestamp, rules));
  verifyPChainHeightKnown(child.pChainHeight, normal.currentPChainHeight);
  if (parent.timestamp < rules.durangoTime) verifyProposerBeforeDurango(parent, child, normal.schedule);
  else verifyProposer(parent, child, normal.schedule);
}

/** Verifies the first wrapped block of a chain: unsigned and without an epoch. AvalancheGo: vms/proposervm/pre_fork_block.go. */
export function verifyFirstChild(
  parent: UnwrappedParent,
  child: OuterChild,
  rules: ChildRules,
  nowMilliseconds: bigint,
  currentPChainHeight: bigint,
): void {
  verifyPChainHeightKnown(child.pChainHeight, currentPChainHeight);
  if (child.pChainHeight < rules.minPChainHeight) throw refusal('OUTER_P_CHAIN_HEIGHT_TOO_LOW');
  if (child.innerParentId !== parent.innerId) throw refusal('OUTER_INNER_PARENT');
  verifyTime(parent.timestamp, child.timestamp, nowMilliseconds);
  if (child.epoch !== undefined) throw refusal('OUTER_EPOCH_BEFORE_FIRST');
  if (child.proposer !== undefined) throw refusal('OUTER_FIRST_IS_SIGNED');
}

function verifyTime(parentTimestamp: bigint, timestamp: bigint, nowMilliseconds: bigint): void {
  if (timestamp < parentTimestamp) throw refusal('OUTER_EARLIER_THAN_PARENT');
  if (1000n * timestamp > nowMilliseconds + maxAheadMilliseconds) throw refusal('OUTER_TOO_FAR_AHEAD');
}

function verifyEpoch(epoch: Epoch | undefined, expected: Epoch | undefined): void {
  if (!isSameEpoch(epoch, expected))
    throw new OuterBlockError(`epoch mismatch: epoch ${epochText(epoch)} != expected ${epochText(expected)}`, {
      code: 'OUTER_EPOCH_MISMATCH',
    });
}

/** An epoch as Go prints it. */
const epochText = (epoch: Epoch | undefined): string =>
  epoch === undefined ? '{0 0 0}' : `{${epoch.pChainHeight} ${epoch.number} ${epoch.startTime}}`;

function verifyPChainHeightKnown(height: bigint, current: bigint): void {
  if (height > current)
    throw new OuterBlockError(`block P-chain height larger than current P-chain height: ${height} > ${current}`, {
      code: 'OUTER_P_CHAIN_HEIGHT_UNKNOWN',
      height,
      current,
    });
}

/** AvalancheGo: block.go, verifyPreDurangoBlockDelay. */
function verifyProposerBeforeDurango(parent: OuterParent, child: OuterChild, schedule: ProposerSchedule): void {
  const delay = child.timestamp - parent.timestamp;
  const least = schedule.delayOf(child.height, child.proposer, verifiedWindows);
  if (delay < least)
    throw new OuterBlockError(`proposer window hasn't started: delay ${delay}s < minDelay ${least}s`, {
      code: 'OUTER_WINDOW_NOT_STARTED',
      delay,
      least,
    });
  const isSigned = child.proposer !== undefined;
  if (isSigned !== delay < BigInt(verifiedWindows) * slotSeconds)
    throw refusal(isSigned ? 'OUTER_SIGNED_WITHOUT_VALIDATORS' : 'OUTER_UNSIGNED');
}

function verifyProposer(parent: OuterParent, child: OuterChild, schedule: ProposerSchedule): void {
  const slot = slotOf(parent.timestamp, child.timestamp);
  const expected = schedule.proposerOf(child.height, slot);
  if (expected === child.proposer) return;
  if (expected === undefined) throw refusal('OUTER_SIGNED_WITHOUT_VALIDATORS');
  const expectedText = nodeIdText(expected);
  throw new OuterBlockError(`unexpected proposer for current window: slot ${slot} expects ${expectedText}`, {
    code: 'OUTER_UNEXPECTED_PROPOSER',
    slot,
    expected: expectedText,
  });
}

const texts = {
  OUTER_P_CHAIN_HEIGHT_DECREASES: 'non monotonically increasing P-chain height',
  OUTER_P_CHAIN_HEIGHT_TOO_LOW: 'block P-chain height is too low',
  OUTER_INNER_PARENT: "inner parentID didn't match expected parent",
  OUTER_EARLIER_THAN_PARENT: 'time must monotonically increase',
  OUTER_TOO_FAR_AHEAD: 'time is too far advanced',
  OUTER_EPOCH_BEFORE_FIRST: 'epoch must not be provided prior to granite',
  OUTER_FIRST_IS_SIGNED: 'child of pre-fork block has proposer',
  OUTER_UNSIGNED: 'proposer mismatch: shouldHaveProposer (true) != hasProposer (false)',
  OUTER_SIGNED_WITHOUT_VALIDATORS: 'proposer mismatch: shouldHaveProposer (false) != hasProposer (true)',
} as const satisfies { [C in OuterBlockFault['code']]?: string };

const refusal = (code: keyof typeof texts) => new OuterBlockError(texts[code], { code });

/** When the upgrade that brought epochs is active, in Unix seconds, and how long an epoch lasts, in seconds. */
type EpochRules = { readonly graniteTime: bigint; readonly epochSeconds: bigint };

type EpochParent = { readonly timestamp: bigint; readonly pChainHeight: bigint; readonly epoch: Epoch | undefined };

/** The epoch that a child must have. AvalancheGo: vms/proposervm/acp181/epoch.go. */
export function childEpoch(parent: EpochParent, childTimestamp: bigint, rules: EpochRules): Epoch | undefined {
  if (childTimestamp < rules.graniteTime) return undefined;
  const first = { pChainHeight: parent.pChainHeight, number: 1n, startTime: parent.timestamp };
  if (parent.epoch === undefined) return first;
  // A parent at or after the end of its epoch is the last block in it.
  const isLast = parent.timestamp >= parent.epoch.startTime + rules.epochSeconds;
  return isLast ? { ...first, number: parent.epoch.number + 1n } : parent.epoch;
}

const isSameEpoch = (a: Epoch | undefined, b: Epoch | undefined): boolean =>
  a?.pChainHeight === b?.pChainHeight && a?.number === b?.number && a?.startTime === b?.startTime;
