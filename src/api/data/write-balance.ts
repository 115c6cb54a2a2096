import { idText } from '../../base/bytes/id.ts';
import { type LabelOf, labelStart } from './render-asset.ts';
import type { AddressBalances, AssetBalance } from './sum-balances.ts';

/**
 * The JSON of balances; `renderBalances` in render-balance.fixture.ts is the plain form. `mayBeImported`: other chains may have imported exported
 * amounts without this server knowing.
 */
export function writeBalances(
  { unlocked, locked, atomicMemoryUnlocked, atomicMemoryLocked }: AddressBalances,
  labelOf: LabelOf,
  mayBeImported: boolean,
): string {
  const mark = mayBeImported ? ',"mayBeImported":true' : '';
  const write = ({ asset, type, sharedWith, amount, count }: AssetBalance): string => {
    const chain = sharedWith === undefined ? '' : `,"sharedWithChainId":"${idText(sharedWith)}"${mark}`;
    return `${labelStart(labelOf(asset))},"type":"${type}","amount":"${amount}","utxoCount":${count}${chain}}`;
  };
  const list = (part: readonly AssetBalance[]): string => part.map(write).join();
  return (
    `{"unlocked":[${list(unlocked)}],"locked":[${list(locked)}],` +
    `"atomicMemoryUnlocked":[${list(atomicMemoryUnlocked)}],"atomicMemoryLocked":[${list(atomicMemoryLocked)}]}`
  );
}
