import type { AssetDays, AssetDetails, Holders } from '../../api/contract/answers.ts';
import { loadNfts, maxNftHolders, type NftsData } from './load-nfts.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { readRowsOf, type TxRow } from './tx-row.ts';

/** Ranges of the plot of transactions by day. */
export const assetRanges = { '30d': { word: '30 d', days: 30 }, '1y': { word: '1 y', days: 365 } } as const;
type AssetRange = keyof typeof assetRanges;

export type AssetData = {
  readonly asset: AssetDetails;
  readonly txs: readonly TxRow[];
  readonly nextTxs: string | undefined;
  readonly holders: Holders;
  /** Undefined if it has no NFTs. */
  readonly nfts: NftsData | undefined;
  readonly days: AssetDays;
  /** Undefined while the asset is younger than the shortest one. */
  readonly range: AssetRange | undefined;
};

/** The fewest days of the plot. */
const minDays = 7;

/** Holders that are shown. */
const maxHolders = 10;

/** `groups`: page token of the NFT groups. */
type AssetQuery = {
  readonly page: string | undefined;
  readonly rows: number | undefined;
  readonly range: string | null;
  readonly groups: string | undefined;
};

export async function loadAsset(
  source: Source,
  context: PageContext,
  id: string,
  { page: pageToken, rows = 25, range: wanted, groups }: AssetQuery,
): Promise<AssetData | undefined> {
  const path = `${chainPath(context)}/assets/${encodeURIComponent(id)}`;
  const asset = await readIfFound<AssetDetails>(source, path);
  if (asset === undefined) return undefined;
  const range: AssetRange = wanted !== null && Object.hasOwn(assetRanges, wanted) ? (wanted as AssetRange) : '30d';
  // A young asset has few days: empty ones before it was created are not shown unless they are asked for.
  const age = Math.ceil((asset.lastActivityTimestamp - asset.createdAtTimestamp) / 86_400) + 1;
  const days = wanted === null ? Math.min(assetRanges[range].days, Math.max(minDays, age)) : assetRanges[range].days;
  const hasNfts = asset.unitType === 'nft' || (asset.unitType !== 'property' && asset.nftSupply !== '0');
  const readHolders = read<Holders>(source, `${path}/holders?pageSize=${hasNfts ? maxNftHolders : maxHolders}`);
  const [list, holders, byDay, nfts] = await Promise.all([
    readRowsOf(source, context, { assetId: id }, { rows, pageToken }),
    readHolders,
    read<AssetDays>(source, `${path}/days?days=${days}`),
    hasNfts ? loadNfts(source, context, asset, { pageToken: groups, readHolders }) : undefined,
  ]);
  return {
    asset,
    txs: list.rows,
    nextTxs: list.next,
    holders: { ...holders, holderList: holders.holderList.slice(0, maxHolders) },
    nfts,
    days: byDay,
    range: days < assetRanges[range].days ? undefined : range,
  };
}
