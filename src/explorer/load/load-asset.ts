import type { AssetDays, AssetDetails, Holders } from '../../api/contract/answers.ts';
import type { PagerData } from './list-place.ts';
import { loadNfts, maxNftHolders, type NftsData } from './load-nfts.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { pagerOfTxs, readPlaced } from './tx-list-place.ts';
import { readRowsOf, type TxRow } from './tx-row.ts';

/** Ranges of the plot of transactions by day. */
export const assetRanges = { '30d': { word: '30 d', days: 30 }, '1y': { word: '1 y', days: 365 } } as const;
type AssetRange = keyof typeof assetRanges;

export type AssetData = {
  readonly asset: AssetDetails;
  readonly txs: readonly TxRow[];
  readonly pager: PagerData;
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
  readonly query: URLSearchParams;
  readonly rows: number | undefined;
  readonly range: string | null;
  readonly groups: string | undefined;
};

export async function loadAsset(
  source: Source,
  context: PageContext,
  id: string,
  { query, rows = 25, range: wanted, groups }: AssetQuery,
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
    loadTxs(source, context, { asset, query, rows }),
    readHolders,
    read<AssetDays>(source, `${path}/days?days=${days}`),
    hasNfts ? loadNfts(source, context, asset, { pageToken: groups, readHolders }) : undefined,
  ]);
  return {
    asset,
    txs: list.txs,
    pager: list.pager,
    holders: { ...holders, holderList: holders.holderList.slice(0, maxHolders) },
    nfts,
    days: byDay,
    range: days < assetRanges[range].days ? undefined : range,
  };
}

type TxsQuery = { readonly asset: AssetDetails; readonly query: URLSearchParams; readonly rows: number };

/** The transactions of an asset at the place of the URL. */
async function loadTxs(source: Source, context: PageContext, { asset, query, rows }: TxsQuery) {
  const { assetId } = asset;
  return readPlaced(query, async (place) => {
    const {
      rows: txs,
      isFound,
      hasMore,
      newer,
      total: counted,
    } = await readRowsOf(source, context, { assetId }, { rows, place, isCounted: true });
    const ends = { newest: txs[0]?.id, oldest: txs.at(-1)?.id, rows: txs.length };
    // The number of transactions may be one block newer or older than the list.
    const total = counted ?? Number(asset.txCount);
    return isFound ? { txs, pager: pagerOfTxs({ path: `/asset/${assetId}`, query, place, ...ends, hasMore, total, newer }) } : undefined;
  });
}
