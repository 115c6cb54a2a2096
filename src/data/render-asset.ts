import type { Address } from '../bytes/address.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { AssetEntry } from '../index/reads.ts';

/** What stands beside every amount of an asset. */
export type AssetLabel = {
  readonly assetId: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly type: AssetEntry['type'];
};

export type LabelOf = (id: Id) => AssetLabel;

export const assetLabel = ({ id, name, symbol, denomination, type }: AssetEntry): AssetLabel => ({
  assetId: idText(id),
  name,
  symbol,
  denomination,
  type,
});

/** What never changes of an asset. */
export const assetDetails = (entry: AssetEntry) => ({
  ...assetLabel(entry),
  createdAtTimestamp: entry.createdTime,
  cap: entry.cap,
});

/** And what does. */
export const assetStanding = ({ supply, minters, firstTime, lastTime, txs }: AssetEntry, address: (address: Address) => string) => ({
  supply: supply.toString(),
  minters: minters.map(address),
  firstActivityTimestamp: firstTime,
  lastActivityTimestamp: lastTime,
  txCount: txs,
});

export const assetAmount = (label: AssetLabel, amount: bigint) => ({ ...label, amount: amount.toString() });

/** Amounts summed by asset, in the order in which assets first appear. */
export const assetAmounts = (sums: ReadonlyMap<Id, bigint>, labelOf: LabelOf) =>
  [...sums].map(([id, amount]) => assetAmount(labelOf(id), amount));
