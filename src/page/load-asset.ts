import type { AssetDetails, Holders, NftGroup, Tx, TxList } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { summarizeTx, type TxSummary } from './tx-summary.ts';

export type AssetData = {
  readonly asset: AssetDetails;
  readonly txs: readonly TxSummary[];
  readonly nextTxs: string | undefined;
  /** Height of the block that created it; undefined for assets of the genesis. */
  readonly createdIn: number | undefined;
  readonly holders: Holders;
  readonly groups: readonly NftGroup[];
};

export async function loadAsset(
  source: Source,
  context: PageContext,
  id: string,
  pageToken: string | undefined,
): Promise<AssetData | undefined> {
  const path = `${chainPath(context)}/assets/${encodeURIComponent(id)}`;
  const asset = await readIfFound<AssetDetails>(source, path);
  if (asset === undefined) return undefined;
  const [list, created, holders, nfts] = await Promise.all([
    read<TxList>(source, `${path}/transactions?pageSize=25${pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`}`),
    readIfFound<Tx>(source, `${chainPath(context)}/transactions/${encodeURIComponent(id)}`),
    read<Holders>(source, `${path}/holders?pageSize=10`),
    asset.type === 'nft' || asset.nftSupply !== '0'
      ? read<{ groups: readonly NftGroup[] }>(source, `${path}/nft-groups?pageSize=24`)
      : undefined,
  ]);
  return {
    asset,
    txs: list.transactions.map(summarizeTx),
    nextTxs: list.nextPageToken,
    createdIn: created?.blockHeight,
    holders,
    groups: nfts?.groups ?? [],
  };
}
