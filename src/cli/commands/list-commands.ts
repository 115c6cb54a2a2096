import type { AssetList, AssetSummary, Balances, Holders, Utxo, UtxoList } from '../../api/contract/answers.ts';
import { maxQueryAddresses } from '../../api/contract/route-params.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import type { ClientCommand } from './client-command.ts';
import { createDataClient } from './data-client.ts';
import { requireAddress } from './named-address.ts';
import { formatBytes } from './table.ts';

/** Items that a list shows at most, and items of one request. */
const [maxItems, pageSize] = [1000, 100];

type Get = (path: string) => Promise<unknown>;

/** Reads a list of the Data API page by page, up to the most items that are shown. */
async function readList<T>(get: Get, path: string, itemsOf: (answer: unknown) => readonly T[]): Promise<{ items: T[]; isCut: boolean }> {
  const items: T[] = [];
  for (let token = ''; ; ) {
    const answer = await get(`${path}${path.includes('?') ? '&' : '?'}pageSize=${pageSize}${token}`);
    items.push(...itemsOf(answer));
    const { nextPageToken } = answer as { readonly nextPageToken?: string };
    if (nextPageToken === undefined || items.length >= maxItems) return { items, isCut: nextPageToken !== undefined };
    token = `&pageToken=${encodeURIComponent(nextPageToken)}`;
  }
}

const listAssets = (get: Get) => readList(get, '/assets', (answer) => (answer as AssetList).assets);

const cutNote = `the first ${maxItems} are shown; the Data API lists all`;

/** `serac asset list`: the assets of the chain, oldest first. */
const assetList: ClientCommand = async ({ client, options, print }) => {
  const { items, isCut } = await listAssets(await createDataClient(client));
  if (options.json) print(JSON.stringify({ assets: items, truncated: isCut }));
  else {
    for (const asset of items) {
      print(`${asset.symbol.padEnd(4)}  ${asset.name}, ${describeSupply(asset)}`);
      print(`      ${asset.assetId}`);
    }
    if (isCut) print(cutNote);
  }
  return undefined;
};

function describeSupply({ type, unitType, supply, denomination, cap, holders }: AssetSummary): string {
  const owners = `${holders} ${holders === 1 ? 'owner' : 'owners'}`;
  if (type === 'nft') return `${supply} ${unitType === 'property' ? 'properties' : 'NFTs'}, ${owners}`;
  return `${formatUnits(BigInt(supply), denomination)}${cap === 'variable' ? ', can be minted' : ''}, ${owners}`;
}

/** `serac nft list`: the NFTs that an address owns alone, or those of all owners. */
const nftList: ClientCommand = async ({ client, args: [who], options, print }) => {
  const get = await createDataClient(client);
  const { nfts, isCut } = who === undefined ? await listAll(get) : await listOf(get, await requireAddress(client, who));
  if (options.json) print(JSON.stringify({ nfts, truncated: isCut }));
  else {
    for (const { symbol, groupID, payload, utxoID, owner } of nfts) {
      print(`${symbol.padEnd(4)}  group ${groupID}  ${formatBytes(payload).slice(0, shownPayload)}`);
      print(`      ${utxoID}`);
      if (who === undefined) print(`      ${owner}`);
    }
    if (nfts.length === 0) print(`no NFTs${who === undefined ? '; serac nft create and serac nft mint make some' : ''}`);
    if (isCut) print(cutNote);
  }
  return undefined;
};

/** Characters of a payload on a line. */
const shownPayload = 60;

type Nft = {
  readonly symbol: string;
  readonly assetID: string;
  readonly groupID: number;
  readonly payload: string;
  /** The output that holds it, as `serac nft send` takes it. */
  readonly utxoID: string;
  readonly owner: string;
};
type Nfts = { readonly nfts: readonly Nft[]; readonly isCut: boolean };

/** The NFTs of an address, asset by asset: among all of its outputs they could be behind the first ones that a list has. */
async function listOf(get: Get, address: string): Promise<Nfts> {
  const { balances } = (await get(`/balances?addresses=${address}`)) as { readonly balances: Balances };
  const assets = Object.values(balances).flatMap((amounts) => amounts.flatMap(({ assetId, type }) => (type === 'nft' ? [assetId] : [])));
  const nfts: Nft[] = [];
  let isCut = false;
  for (const asset of new Set(assets)) {
    if (nfts.length >= maxItems) return { nfts: nfts.slice(0, maxItems), isCut: true };
    const owned = await listOwned(get, [address], asset);
    nfts.push(...owned.nfts);
    isCut ||= owned.isCut;
  }
  return { nfts: nfts.slice(0, maxItems), isCut: isCut || nfts.length > maxItems };
}

/** The NFTs of an asset that addresses own. */
async function listOwned(get: Get, addresses: readonly string[], assetID: string): Promise<Nfts> {
  const path = `/utxos?addresses=${addresses.join(',')}&assetId=${assetID}`;
  const { items, isCut } = await readList(get, path, (answer) => (answer as UtxoList).utxos);
  const isNft = ({ asset, utxoType, groupId }: Utxo): boolean => asset.type === 'nft' && utxoType === 'transfer' && groupId !== undefined;
  const nfts = items.filter(isNft).map(({ asset, groupId = 0, payload = '0x', utxoId, addresses: [owner = ''] }) => ({
    symbol: asset.symbol,
    assetID: asset.assetId,
    groupID: groupId,
    payload,
    utxoID: utxoId,
    owner: `X-${owner}`,
  }));
  return { nfts, isCut };
}

/** The NFTs of the chain, asset by asset: the owners of each, then what they own. */
async function listAll(get: Get): Promise<Nfts> {
  const assets = await listAssets(get);
  const nfts: Nft[] = [];
  let isCut = assets.isCut;
  for (const { assetId, nftSupply } of assets.items) {
    if (nftSupply === '0') continue;
    const owners = await readList(get, `/assets/${assetId}/holders`, (answer) => (answer as Holders).holderList);
    isCut ||= owners.isCut;
    for (let at = 0; at < owners.items.length; at += maxQueryAddresses) {
      if (nfts.length >= maxItems) return { nfts: nfts.slice(0, maxItems), isCut: true };
      const addresses = owners.items.slice(at, at + maxQueryAddresses).map(({ address }) => address);
      const owned = await listOwned(get, addresses, assetId);
      nfts.push(...owned.nfts);
      isCut ||= owned.isCut;
    }
  }
  return { nfts: nfts.slice(0, maxItems), isCut: isCut || nfts.length > maxItems };
}

/** Commands that list what is on the chain. */
export const listCommands = { 'asset list': assetList, 'nft list': nftList };
