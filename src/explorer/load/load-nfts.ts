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

/** Groups on a page. */
const groupsPerPage = 100;

/** Holders whose outputs are read to find the owners: as many addresses as a query takes. */
export const maxNftHolders = 64;

type NftsQuery = {
  /** Page token of the groups. */
  readonly pageToken: string | undefined;
  /** The largest holders, up to `maxNftHolders`. */
  readonly readHolders: Promise<Holders>;
};

export async function loadNfts(
  source: Source,
  context: PageContext,
  { assetId }: AssetDetails,
  { pageToken, readHolders }: NftsQuery,
): Promise<NftsData> {
  const base = chainPath(context);
  const page = pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`;
  const readOwnersOf = async ({ holderList }: Holders): Promise<NftsData['owners']> =>
    holderList.length === 0
      ? {}
      : readOwners(
          source,
          base,
          assetId,
          holderList.map(({ address }) => address),
        );
  const [{ groups, nextPageToken }, owners] = await Promise.all([
    read<NftGroupList>(source, `${base}/assets/${assetId}/nft-groups?pageSize=${groupsPerPage}${page}`),
    readHolders.then(readOwnersOf),
  ]);
  return { groups, next: nextPageToken, owners };
}

async function readOwners(source: Source, base: string, assetId: string, addresses: readonly string[]): Promise<NftsData['owners']> {
  const { utxos } = await read<UtxoList>(source, `${base}/utxos?addresses=${addresses.join()}&assetId=${assetId}&pageSize=100`);
  const owners: Record<number, Party[]> = {};
  for (const { groupId, utxoType, addresses: of, threshold } of utxos)
    if (groupId !== undefined && utxoType === 'transfer') owners[groupId] = [...(owners[groupId] ?? []), { addresses: of, threshold }];
  return owners;
}
