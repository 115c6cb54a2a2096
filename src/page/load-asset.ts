import type { AssetDetails, Tx, TxList } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';

export type AssetData = {
  readonly asset: AssetDetails;
  readonly txs: readonly Tx[];
  readonly nextTxs: string | undefined;
  /** Height of the block that created it; undefined for assets of the genesis. */
  readonly createdIn: number | undefined;
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
  const [list, created] = await Promise.all([
    read<TxList>(source, `${path}/transactions?pageSize=25${pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`}`),
    readIfFound<Tx>(source, `${chainPath(context)}/transactions/${encodeURIComponent(id)}`),
  ]);
  return { asset, txs: list.transactions, nextTxs: list.nextPageToken, createdIn: created?.blockHeight };
}
