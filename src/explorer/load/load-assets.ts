import type { AssetList, AssetSummary } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

export type AssetsData = { readonly assets: readonly AssetSummary[]; readonly next: string | undefined };

/** Assets, the newest first. */
export async function loadAssets(source: Source, context: PageContext, page: string | undefined): Promise<AssetsData> {
  const token = page === undefined ? '' : `&pageToken=${encodeURIComponent(page)}`;
  const list = await read<AssetList>(source, `${chainPath(context)}/assets?pageSize=50&sortOrder=desc${token}`);
  return { assets: list.assets, next: list.nextPageToken };
}
