import type { AssetDays, AssetDetails, Holders } from '../../api/contract/answers.ts';
import type { Party, SummaryAmount } from '../../api/summary/sentence.ts';
import { loadMinters, loadNfts, type NftsData } from './load-nfts.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { readRows, readRowsOf, type TxRow } from './tx-row.ts';

/** Ranges of the plot of transactions by day. */
export const assetRanges = { '30d': { word: '30 d', days: 30 }, '1y': { word: '1 y', days: 365 } } as const;
type AssetRange = keyof typeof assetRanges;

export type AssetData = {
  readonly asset: AssetDetails;
  /** What there can be of it: the Data API calls a property an NFT. */
  readonly type: SummaryAmount['type'];
  readonly minters: readonly Party[];
  readonly txs: readonly TxRow[];
  readonly nextTxs: string | undefined;
  /** Height of the block that created it; undefined for assets of the genesis. */
  readonly createdIn: number | undefined;
  readonly holders: Holders;
  /** Undefined if it has no NFTs. */
  readonly nfts: NftsData | undefined;
  readonly days: AssetDays;
  /** Undefined while the asset is younger than the shortest one. */
  readonly range: AssetRange | undefined;
};

/** The fewest days of the plot. */
const minDays = 7;

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
  const [list, [created], holders, byDay, minters] = await Promise.all([
    readRowsOf(source, context, { assetId: id }, { rows, pageToken }),
    readRows(source, context, [asset.assetId]),
    read<Holders>(source, `${path}/holders?pageSize=10`),
    read<AssetDays>(source, `${path}/days?days=${days}`),
    loadMinters(source, context, asset),
  ]);
  const type = created?.summary.created?.type ?? asset.type;
  return {
    asset,
    type,
    minters,
    txs: list.rows,
    nextTxs: list.next,
    createdIn: created?.height,
    holders,
    nfts: type === 'nft' || (type !== 'property' && asset.nftSupply !== '0') ? await loadNfts(source, context, asset, groups) : undefined,
    days: byDay,
    range: days < assetRanges[range].days ? undefined : range,
  };
}
