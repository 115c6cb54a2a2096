import type { AssetList, AssetSummary } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

/** What assets are sorted by: their number of holders or transactions, or when they were created. */
export const assetSorts = { holders: 'Holders', transactions: 'Transactions', newest: 'Newest' } as const;
type AssetSort = keyof typeof assetSorts;

export type AssetsData = {
  readonly assets: readonly AssetSummary[];
  readonly sort: AssetSort;
  /** Assets that are sorted; there are more if `isCut`. */
  readonly isCut: boolean;
  readonly next: string | undefined;
};

type AssetsQuery = { readonly page: string | undefined; readonly sort: string | null };

/** Pages of assets that are read to be sorted, and their size. */
const maxPages = 5;
const pageSize = 100;

/** Assets: the chain's own first, then by what is asked for. The newest ones are listed page by page. */
export async function loadAssets(source: Source, context: PageContext, { page, sort: wanted }: AssetsQuery): Promise<AssetsData> {
  const sort: AssetSort =
    wanted !== null && Object.hasOwn(assetSorts, wanted) ? (wanted as AssetSort) : page === undefined ? 'holders' : 'newest';
  const path = `${chainPath(context)}/assets?sortOrder=desc&pageSize=`;
  if (sort === 'newest') {
    const list = await read<AssetList>(source, `${path}50${page === undefined ? '' : `&pageToken=${encodeURIComponent(page)}`}`);
    return { assets: list.assets, sort, isCut: false, next: list.nextPageToken };
  }
  const assets: AssetSummary[] = [];
  let token: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    const list: AssetList = await read<AssetList>(source, `${path}${pageSize}${token === undefined ? '' : `&pageToken=${token}`}`);
    assets.push(...list.assets);
    token = list.nextPageToken;
    if (token === undefined) break;
  }
  const isOwn = ({ assetId }: AssetSummary): number => Number(assetId === context.chain.feeAsset);
  const numberOf = (asset: AssetSummary): number => Number(sort === 'holders' ? asset.holders : asset.txCount);
  return {
    assets: assets.toSorted((a, b) => isOwn(b) - isOwn(a) || numberOf(b) - numberOf(a)),
    sort,
    isCut: token !== undefined,
    next: undefined,
  };
}
