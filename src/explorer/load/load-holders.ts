import type { AssetDetails, Holders } from '../../api/contract/answers.ts';
import { type PagerData, pagerOfRanks } from './list-place.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';

export type HoldersData = {
  readonly asset: AssetDetails;
  /** The holders of this page, and the counts of all. */
  readonly holders: Holders;
  /** How much the largest holders have together; only groups that are not all holders, and the largest one. */
  readonly largest: readonly { readonly count: number; readonly amount: string }[];
  readonly pager: PagerData;
};

/** Groups of the largest holders whose shares are shown. */
const groups = [1, 10, 100];

/** Holders beyond this rank are not listed by the route. */
const maxRank = 10_000;

/** What an asset has of its units: amounts, or NFTs and properties, which are counted. */
export const isCounted = ({ type }: Pick<AssetDetails, 'type'>): boolean => type === 'nft';

/** How much a holder has. */
export const heldBy = (asset: Pick<AssetDetails, 'type'>, { amount, nfts }: Holders['holderList'][number]): bigint =>
  BigInt(isCounted(asset) ? nfts : amount);

/** How much there is of an asset on this chain. */
export const supplyOf = (asset: Pick<AssetDetails, 'type' | 'supply' | 'nftSupply'>): bigint =>
  BigInt(isCounted(asset) ? asset.nftSupply : asset.supply);

type HoldersQuery = { readonly query: URLSearchParams; readonly rows: number | undefined };

/** A part of the supply in percent, in steps of a hundredth. */
export const percentOf = (part: bigint, supply: bigint): number => (supply === 0n ? 0 : Number((part * 10_000n) / supply) / 100);

/** A page of the holders of an asset by rank. A rank is a place: the list is a ranking, and says who is there now. */
export async function loadHolders(
  source: Source,
  context: PageContext,
  id: string,
  { query, rows = 50 }: HoldersQuery,
): Promise<HoldersData | undefined> {
  const path = `${chainPath(context)}/assets/${encodeURIComponent(id)}`;
  const asset = await readIfFound<AssetDetails>(source, path);
  if (asset === undefined) return undefined;
  const top = await read<Holders>(source, `${path}/holders?pageSize=${Math.max(...groups)}`);
  const ranking = { path: `/holders/${asset.assetId}`, query, rows, total: top.holders, listed: Math.min(maxRank, top.holders) };
  const { start, pager } = pagerOfRanks(ranking);
  const page =
    start + rows - 1 <= top.holderList.length ? top : await read<Holders>(source, `${path}/holders?startRank=${start}&pageSize=${rows}`);
  const holderList = page.holderList.filter(({ rank }) => rank >= start && rank < start + rows);
  return {
    asset,
    holders: { ...page, holderList },
    largest: groups
      .filter((count) => count === 1 || count < top.holders)
      .map((count) => ({ count, amount: String(top.holderList.slice(0, count).reduce((sum, one) => sum + heldBy(asset, one), 0n)) })),
    pager,
  };
}
