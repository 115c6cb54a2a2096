import type { AssetDays, AssetDetails, Holders, NftGroup, NftGroupList, Tx, TxList } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { summarizeTx, type TxSummary } from './tx-summary.ts';

/** Ranges of the plot of transactions by day. */
export const assetRanges = { '30d': { word: '30 d', days: 30 }, '1y': { word: '1 y', days: 365 } } as const;
type AssetRange = keyof typeof assetRanges;

export type AssetData = {
  readonly asset: AssetDetails;
  readonly txs: readonly TxSummary[];
  readonly nextTxs: string | undefined;
  /** Height of the block that created it; undefined for assets of the genesis. */
  readonly createdIn: number | undefined;
  readonly holders: Holders;
  readonly groups: readonly NftGroup[];
  readonly days: AssetDays;
  readonly range: AssetRange;
};

type AssetQuery = { readonly page: string | undefined; readonly rows: number | undefined; readonly range: string | null };

export async function loadAsset(
  source: Source,
  context: PageContext,
  id: string,
  { page: pageToken, rows = 25, range: wanted }: AssetQuery,
): Promise<AssetData | undefined> {
  const path = `${chainPath(context)}/assets/${encodeURIComponent(id)}`;
  const asset = await readIfFound<AssetDetails>(source, path);
  if (asset === undefined) return undefined;
  const range: AssetRange = wanted !== null && Object.hasOwn(assetRanges, wanted) ? (wanted as AssetRange) : '30d';
  const [list, created, holders, days, nfts] = await Promise.all([
    read<TxList>(
      source,
      `${path}/transactions?pageSize=${rows}${pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`}`,
    ),
    readIfFound<Tx>(source, `${chainPath(context)}/transactions/${encodeURIComponent(id)}`),
    read<Holders>(source, `${path}/holders?pageSize=10`),
    read<AssetDays>(source, `${path}/days?days=${assetRanges[range].days}`),
    asset.type === 'nft' || asset.nftSupply !== '0' ? read<NftGroupList>(source, `${path}/nft-groups?pageSize=24`) : undefined,
  ]);
  return {
    asset,
    txs: list.transactions.map(summarizeTx),
    nextTxs: list.nextPageToken,
    createdIn: created?.blockHeight,
    holders,
    groups: nfts?.groups ?? [],
    days,
    range,
  };
}
