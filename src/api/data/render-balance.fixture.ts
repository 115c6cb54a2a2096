import { idText } from '../../base/bytes/id.ts';
import { type LabelOf, renderAmount } from './render-asset.ts';
import type { AddressBalances, AssetBalance } from './sum-balances.ts';

/** Balances as values. `writeBalances` is compared with it. */
export function renderBalances(
  { unlocked, locked, atomicMemoryUnlocked, atomicMemoryLocked }: AddressBalances,
  labelOf: LabelOf,
  mayBeImported: boolean,
) {
  const render = ({ asset, type, sharedWith, amount, count }: AssetBalance) => ({
    ...renderAmount(labelOf(asset), type, amount),
    utxoCount: count,
    sharedWithChainId: sharedWith && idText(sharedWith),
    mayBeImported: (sharedWith && mayBeImported) || undefined,
  });
  return {
    unlocked: unlocked.map(render),
    locked: locked.map(render),
    atomicMemoryUnlocked: atomicMemoryUnlocked.map(render),
    atomicMemoryLocked: atomicMemoryLocked.map(render),
  };
}
