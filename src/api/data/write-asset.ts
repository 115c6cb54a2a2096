import type { AssetType } from '../../ledger/index/output-amount.ts';
import type { AmountByType, AssetLabel, LabelOf } from './render-asset.ts';

/** The JSON of an amount of an asset; see `renderAmount`. */
export const writeAmount = (label: AssetLabel, type: AssetType, amount: bigint): string =>
  `${labelStart(label)},"type":"${type}","amount":"${amount}"}`;

export const writeAmounts = (sums: readonly AmountByType[], labelOf: LabelOf): string =>
  sums.map(({ asset, type, amount }) => writeAmount(labelOf(asset), type, amount)).join();

/** The JSON of a label without its closing brace. Labels are cached, so their texts are too. */
export function labelStart(label: AssetLabel): string {
  const cached = labelStarts.get(label);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(label).slice(0, -1);
  labelStarts.set(label, text);
  return text;
}

const labelStarts = new WeakMap<AssetLabel, string>();
