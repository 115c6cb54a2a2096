import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { AssetType } from '../../ledger/index/output-amount.ts';
import type { AssetDetails, AssetEntry, AssetName } from '../../ledger/index-read/index-reads.ts';

/** Asset properties shown with every amount. The type is not among them: it belongs to the output. */
export type AssetLabel = { readonly assetId: string; readonly name: string; readonly symbol: string; readonly denomination: number };

export type LabelOf = (id: Id) => AssetLabel;

export const renderAssetLabel = ({ id, name, symbol, denomination }: AssetName): AssetLabel => ({
  assetId: idText(id),
  name,
  symbol,
  denomination,
});

/** Properties of an asset that never change. */
export const renderAssetDetails = (entry: AssetDetails) => ({
  ...renderAssetLabel(entry),
  type: entry.type,
  createdAtTimestamp: entry.createdTime,
  cap: entry.cap,
});

/**
 * Properties of an asset that change with its transactions. An asset of type nft may have units too: outputs of a CreateAssetTx need not belong to
 * the fx under which they are listed.
 */
export const renderAssetStatus = (entry: AssetEntry, formatAddress: (address: Address) => string) => ({
  supply: (entry.type === 'nft' && entry.supply === 0n ? entry.nfts : entry.supply).toString(),
  nftSupply: entry.nfts.toString(),
  minters: entry.minters.map(formatAddress),
  mintRights: entry.mintRights.map(({ addresses, threshold }) => ({ addresses: addresses.map(formatAddress), threshold })),
  unitType: entry.unitType,
  createdInBlock: entry.createdIn?.toString(),
  firstActivityTimestamp: entry.firstTime,
  lastActivityTimestamp: entry.lastTime,
  txCount: entry.txs,
});

export const renderAmount = (label: AssetLabel, type: AssetType, amount: bigint) => ({ ...label, type, amount: amount.toString() });

/** An amount of one asset and one type. Units and NFTs of the same asset are not added up. */
export type AmountByType = { readonly asset: Id; readonly type: AssetType; amount: bigint };

/** Sums amounts by asset and type, in the order of their first appearance. */
export function createAmountSums() {
  const sums = new Map<string, AmountByType>();
  let last: AmountByType | undefined;
  return {
    add: (asset: Id, type: AssetType, amount: bigint): void => {
      // Nearly every transaction has amounts of one asset: comparing with the last one is cheaper than making a key.
      if (last?.asset !== asset || last.type !== type) {
        last = sums.get(asset + type) ?? { asset, type, amount: 0n };
        sums.set(asset + type, last);
      }
      last.amount += amount;
    },
    list: (): readonly AmountByType[] => [...sums.values()],
  };
}

export const renderAmounts = (sums: readonly AmountByType[], labelOf: LabelOf) =>
  sums.map(({ asset, type, amount }) => renderAmount(labelOf(asset), type, amount));

/** The JSON of a label without its closing brace. Labels are cached, so their texts are too. */
export function labelStart(label: AssetLabel): string {
  const cached = labelStarts.get(label);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(label).slice(0, -1);
  labelStarts.set(label, text);
  return text;
}

const labelStarts = new WeakMap<AssetLabel, string>();
