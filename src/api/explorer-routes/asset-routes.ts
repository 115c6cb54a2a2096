import { effectsOf } from '../../avm/tx/effects.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { AssetCounts, NftGroup } from '../../ledger/index-read/explorer-reads.ts';
import { assetListRows } from '../contract/explorer-routes.ts';
import { listMetadata, networkSpelling, requireChain } from '../data/chain.ts';
import { cutPage, openTxListing } from '../data/paging.ts';
import { renderAssetDetails, renderAssetStatus } from '../data/render-asset.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

/** Holders beyond this rank are not listed: the list is read from its start. */
const maxRank = 10_000;

/** Mint outputs read for one page of NFT groups. The transaction that creates an asset has at most some 1,500: it has 64 KiB. */
const maxMintOutputs = 10_000;

/** Lists of assets, and of the holders, days and NFT groups of one. Their rows are `assetListRows` in contract/explorer-routes.ts. */
export const assetListRoutes = implementRoutes<ExplorerDeps>()(assetListRows, {
  listAssets: async (deps, { afterAssetId, pageSize: limit, sortOrder: order, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    const spelling = networkSpelling(deps.served, chainRef.network);
    // An asset has the ID and the number of the transaction that created it.
    const listing = await openTxListing(chain.reads, paging, { afterTxHash: afterAssetId, endBlock: undefined });
    const rows = await explorerOf(chain).createdAssets({ ...listing, order, limit: limit + 1 });
    const { items, nextPageToken } = cutPage(rows, listing, { limit, seqOf: ({ seq }) => seq, paging });
    const ids = items.map(({ id }) => id);
    const found = await explorerOf(chain).countedAssets(ids);
    const formatAddress = deps.addressFormatter(spelling.hrp);
    const assets = ids.flatMap((id) => {
      const one = found.get(id);
      if (one === undefined) return [];
      const { entry, counts } = one;
      return { ...renderAssetDetails(entry), ...renderAssetStatus(entry, formatAddress), ...renderCounts(counts) };
    });
    return { nextPageToken, assets, ...(await listMetadata(spelling, chain)) };
  },
  listAssetHolders: async (deps, { assetId, startRank, pageSize, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    await requireAsset(chain, assetId);
    const offset = Math.min(maxRank, Math.max(0, paging.cursor?.after ?? startRank - 1));
    const limit = Math.min(pageSize, maxRank - offset);
    const { holders: rows, counts, pin } = await explorerOf(chain).holders(assetId, offset, limit + 1);
    const spelling = networkSpelling(deps.served, chainRef.network);
    const format = deps.addressFormatter(spelling.hrp);
    const hasMore = rows.length > limit && offset + limit < maxRank;
    return {
      nextPageToken: hasMore ? paging.nextPageToken({ height: pin.height, after: offset + limit }) : undefined,
      assetId: idText(assetId),
      ...renderCounts(counts),
      holderList: rows
        .slice(0, limit)
        .map(({ address, amount, nfts }, i) => ({ rank: offset + i + 1, address: format(address), amount: amount.toString(), nfts })),
      ...(await listMetadata(spelling, chain)),
    };
  },
  listAssetDays: async (deps, { assetId, days: count, ...chainRef }) => {
    const chain = requireChain(deps.served, chainRef);
    await requireAsset(chain, assetId);
    const { isComplete, days } = await deps.assetDaysOf(chain).read(assetId, count);
    return {
      assetId: idText(assetId),
      isComplete,
      days: days.map(({ start, txCount }) => ({ timestamp: start, txCount })),
      ...(await listMetadata(networkSpelling(deps.served, chainRef.network), chain)),
    };
  },
  listNftGroups: async (deps, { assetId, pageSize: limit, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    await requireAsset(chain, assetId);
    const offset = Math.max(0, paging.cursor?.after ?? 0);
    const query = { asset: assetId, offset, limit, maxScan: maxMintOutputs };
    const [{ groups, hasMore }, tip] = await Promise.all([explorerOf(chain).nftGroups(query), chain.reads.tip()]);
    const spelling = networkSpelling(deps.served, chainRef.network);
    const format = deps.addressFormatter(spelling.hrp);
    return {
      nextPageToken: hasMore ? paging.nextPageToken({ height: tip.height, after: offset + limit }) : undefined,
      groups: groups.map((group) => renderGroup(group, format)),
      ...(await listMetadata(spelling, chain)),
    };
  },
});

async function requireAsset({ reads, slug }: ServedChain, id: Id): Promise<void> {
  if ((await reads.assetNames([id])).length === 0) throw notFound(`No asset ${idText(id)} on ${slug}`);
}

const renderCounts = (counts: AssetCounts | undefined) => ({
  holders: counts?.holders ?? 0,
  heldSupply: (counts?.held ?? 0n).toString(),
  minted: (counts?.minted ?? 0n).toString(),
  mintedNfts: (counts?.mintedNfts ?? 0).toString(),
});

function renderGroup(
  { groupID, utxo, time, mintedBy }: NftGroup,
  format: (address: NftGroup['utxo']['output']['addresses'][number]) => string,
) {
  const { output } = utxo;
  return {
    groupId: groupID,
    utxoId: idText(utxo.id),
    addresses: output.addresses.map(format),
    threshold: output.threshold,
    timestamp: time,
    minted: mintedBy && renderMint(utxo, mintedBy),
  };
}

/** The mint operation that consumed a mint output. */
function renderMint({ txID, outputIndex, assetID: asset }: NftGroup['utxo'], { tx, time }: NonNullable<NftGroup['mintedBy']>) {
  if (tx.unsigned.kind !== 'OperationTx') return undefined;
  const found = tx.unsigned.operations.find(({ inputIDs }) =>
    inputIDs.some((ref) => ref.txID === txID && ref.outputIndex === outputIndex),
  )?.operation;
  if (found?.kind !== 'nftfx.MintOperation') return undefined;
  const payload = toHex(found.payload);
  const first = effectsOf(tx).created.find(
    ({ assetID, output }) =>
      assetID === asset && output.kind === 'nftfx.TransferOutput' && output.groupID === found.groupID && toHex(output.payload) === payload,
  );
  return {
    txHash: idText(tx.id),
    timestamp: time,
    count: found.outputs.length,
    payload: `0x${payload}`,
    utxoId: first && idText(first.id),
  };
}
