import type { Epoch } from './outer-block.ts';

/** When the upgrade that brought epochs is active, in Unix seconds, and how long an epoch lasts, in seconds. */
export type EpochRules = { readonly graniteTime: bigint; readonly epochSeconds: bigint };

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

export const isSameEpoch = (a: Epoch | undefined, b: Epoch | undefined): boolean =>
  a?.pChainHeight === b?.pChainHeight && a?.number === b?.number && a?.startTime === b?.startTime;
