import type { AssetDetails, AssetList, AssetSummary, Holders } from '../../api/contract/answers.ts';
import { type PagerData, pagerOfRanks } from './list-place.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { isUpward, pagerOfTxs, placeParams, readPlaced } from './tx-list-place.ts';

/** What assets are sorted by: their number of holders or transactions, or when they were created. */
export const assetSorts = { holders: 'Holders', transactions: 'Transactions', newest: 'Newest' } as const;
type AssetSort = keyof typeof assetSorts;

export type AssetsData = {
  readonly assets: readonly AssetSummary[];
  readonly sort: AssetSort;
  /** Number of assets that are sorted, if there are more. */
  readonly sorted: number | undefined;
  readonly pager: PagerData;
};

const path = '/assets';

/** Pages of assets that are read to be sorted, and their size. */
const maxPages = 5;
const pageSize = 100;

/** Assets: the chain's own first, then by what is asked for. The newest ones are listed by their IDs, the others by rank. */
export async function loadAssets(source: Source, context: PageContext, query: URLSearchParams, rows = 50): Promise<AssetsData> {
  const wanted = query.get('sort');
  const sort: AssetSort = wanted !== null && Object.hasOwn(assetSorts, wanted) ? (wanted as AssetSort) : 'holders';
  const base = `${chainPath(context)}/assets?sortOrder=desc&pageSize=`;
  if (sort === 'newest')
    return readPlaced(query, async (place) => {
      const route = `${chainPath(context)}/assets?pageSize=${rows}${placeParams(place, 'afterAssetId')}`;
      const list = await readIfFound<AssetList>(source, route);
      if (list === undefined) return undefined;
      const assets = isUpward(place) ? list.assets.toReversed() : list.assets;
      const ends = { newest: assets[0]?.assetId, oldest: assets.at(-1)?.assetId, rows: assets.length };
      const counts = { hasMore: list.nextPageToken !== undefined, total: undefined, newer: undefined };
      return { assets, sort, sorted: undefined, pager: pagerOfTxs({ path, query, place, ...ends, ...counts }) };
    });
  const assets: AssetSummary[] = [];
  let token: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    const list: AssetList = await read<AssetList>(source, `${base}${pageSize}${token === undefined ? '' : `&pageToken=${token}`}`);
    assets.push(...list.assets);
    token = list.nextPageToken;
    if (token === undefined) break;
  }
  const sorted = token === undefined ? undefined : assets.length;
  const isOwn = ({ assetId }: AssetSummary): boolean => assetId === context.chain.feeAsset;
  if (token !== undefined && !assets.some(isOwn)) assets.push(await readOwn(source, context));
  const numberOf = (asset: AssetSummary): number => Number(sort === 'holders' ? asset.holders : asset.txCount);
  const ranked = assets.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || numberOf(b) - numberOf(a));
  const { start, pager } = pagerOfRanks({ path, query, rows, total: ranked.length });
  return {
    assets: ranked.slice(start - 1, start - 1 + rows),
    sort,
    sorted,
    pager,
  };
}

/** The chain's own asset, which is its oldest: it is not among the newest of many. */
async function readOwn(source: Source, context: PageContext): Promise<AssetSummary> {
  const asset = `${chainPath(context)}/assets/${context.chain.feeAsset}`;
  const [details, { holders, heldSupply, minted, mintedNfts }] = await Promise.all([
    read<AssetDetails>(source, asset),
    read<Holders>(source, `${asset}/holders?pageSize=1`),
  ]);
  return { ...details, holders, heldSupply, minted, mintedNfts };
}
