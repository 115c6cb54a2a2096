import { type Id, idText } from '../../base/bytes/id.ts';
import { type LabelOf, renderAmount } from './render-asset.ts';
import type { AddressBalances, AssetBalance } from './sum-balances.ts';

/** Balances as a response shows them. `mayBeImported`: other chains may have imported exported amounts without this server knowing. */
export function renderBalances(
  { unlocked, locked, atomicMemoryUnlocked, atomicMemoryLocked }: AddressBalances,
  labelOf: LabelOf,
  mayBeImported: boolean,
) {
  const render = ({ asset, type, amount, count }: AssetBalance) => ({ ...renderAmount(labelOf(asset), type, amount), utxoCount: count });
  const renderExported = (balance: AssetBalance) => ({
    ...render(balance),
    sharedWithChainId: idText(balance.sharedWith as Id),
    mayBeImported: mayBeImported || undefined,
  });
  return {
    unlocked: unlocked.map(render),
    locked: locked.map(render),
    atomicMemoryUnlocked: atomicMemoryUnlocked.map(renderExported),
    atomicMemoryLocked: atomicMemoryLocked.map(renderExported),
  };
}
