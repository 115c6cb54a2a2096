import type { AssetDetails, Holders, NftGroup, NftGroupList, UtxoList } from '../../api/contract/answers.ts';
import type { Party } from '../../api/summary/sentence.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

/** The groups of an NFT family, a page of them, and who owns what was minted. */
export type NftsData = {
  readonly groups: readonly NftGroup[];
  /** Token of the next page of groups. */
  readonly next: string | undefined;
  /** Owners of the NFTs of a group, by its ID; those that were not found are left out. */
  readonly owners: Readonly<Record<number, readonly Party[]>>;
};

/** Groups on a page, and holders whose outputs are read to find the owners: as many addresses as a query takes. */
const [groupsPerPage, maxHolders] = [100, 64];

export async function loadNfts(
  source: Source,
  context: PageContext,
  { assetId }: AssetDetails,
  pageToken: string | undefined,
): Promise<NftsData> {
  const base = chainPath(context);
  const page = pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`;
  const [{ groups, nextPageToken }, { holderList }] = await Promise.all([
    read<NftGroupList>(source, `${base}/assets/${assetId}/nft-groups?pageSize=${groupsPerPage}${page}`),
    read<Holders>(source, `${base}/assets/${assetId}/holders?pageSize=${maxHolders}`),
  ]);
  const addresses = holderList.map(({ address }) => address);
  return { groups, next: nextPageToken, owners: addresses.length === 0 ? {} : await readOwners(source, base, assetId, addresses) };
}

async function readOwners(source: Source, base: string, assetId: string, addresses: readonly string[]): Promise<NftsData['owners']> {
  const { utxos } = await read<UtxoList>(source, `${base}/utxos?addresses=${addresses.join()}&assetId=${assetId}&pageSize=100`);
  const owners: Record<number, Party[]> = {};
  for (const { groupId, utxoType, addresses: of, threshold } of utxos)
    if (groupId !== undefined && utxoType === 'transfer') owners[groupId] = [...(owners[groupId] ?? []), { addresses: of, threshold }];
  return owners;
}

/** Who may mint more of an asset, each with the number of signatures that it takes. */
export async function loadMinters(source: Source, context: PageContext, { assetId, minters }: AssetDetails): Promise<readonly Party[]> {
  if (minters.length === 0) return [];
  const addresses = minters.slice(0, maxHolders).join();
  // A right to mint has no amount, so it comes first.
  const path = `${chainPath(context)}/utxos?addresses=${addresses}&assetId=${assetId}&sortBy=amount&sortOrder=asc&pageSize=100`;
  const { utxos } = await read<UtxoList>(source, path);
  const rights = utxos.filter(({ utxoType }) => utxoType === 'mint');
  return [...new Map(rights.map(({ addresses: of, threshold }) => [`${threshold} ${of.join()}`, { addresses: of, threshold }])).values()];
}
