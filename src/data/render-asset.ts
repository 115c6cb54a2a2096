import type { Address } from '../bytes/address.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { AssetType } from '../index/output-amount.ts';
import type { AssetEntry } from '../index-read/index-reads.ts';

/** What stands beside every amount of an asset, but for the type: that is of the output. */
export type AssetLabel = {
  readonly assetId: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
};

export type LabelOf = (id: Id) => AssetLabel;

export const assetLabel = ({ id, name, symbol, denomination }: AssetEntry): AssetLabel => ({
  assetId: idText(id),
  name,
  symbol,
  denomination,
});

/** What never changes of an asset. */
export const assetDetails = (entry: AssetEntry) => ({
  ...assetLabel(entry),
  type: entry.type,
  createdAtTimestamp: entry.createdTime,
  cap: entry.cap,
});

/** And what does. */
export const assetStanding = (entry: AssetEntry, address: (address: Address) => string) => ({
  supply: (entry.type === 'nft' ? entry.nfts : entry.supply).toString(),
  nftSupply: entry.nfts.toString(),
  minters: entry.minters.map(address),
  firstActivityTimestamp: entry.firstTime,
  lastActivityTimestamp: entry.lastTime,
  txCount: entry.txs,
});

export const assetAmount = (label: AssetLabel, type: AssetType, amount: bigint) => ({ ...label, type, amount: amount.toString() });

/** Amounts of one asset by type: its units and its NFTs are never added up. */
export type AmountByType = { readonly asset: Id; readonly type: AssetType; amount: bigint };

/** Sums by asset and type, in the order in which they first appear. */
export function amountSums() {
  const sums = new Map<string, AmountByType>();
  return {
    add: (asset: Id, type: AssetType, amount: bigint): void => {
      const known = sums.get(asset + type);
      if (known === undefined) sums.set(asset + type, { asset, type, amount });
      else known.amount += amount;
    },
    list: (): readonly AmountByType[] => [...sums.values()],
  };
}

export const assetAmounts = (sums: readonly AmountByType[], labelOf: LabelOf) =>
  sums.map(({ asset, type, amount }) => assetAmount(labelOf(asset), type, amount));
