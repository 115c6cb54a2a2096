import { type Id, idText } from '../../base/bytes/id.ts';
import { txKinds } from '../../ledger/index/tables.ts';
import type { Order, Subject, TimeRange, TxKind } from '../../ledger/index-read/index-reads.ts';
import { txRows, type txTypeNames } from '../contract/data-routes.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes, type Paging } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { rawJson } from '../rpc/write-json.ts';
import { listMetadata, type NetworkSpelling, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { type JsonPage, joinPage } from './json-page.ts';
import { atOneEpoch } from './one-epoch.ts';
import { cutPage, openTxListing } from './paging.ts';
import { readTxPiece, readTxPieces, type TxPiece } from './tx-pieces.ts';

/** Handlers of the Data API about transactions: lists of all, of addresses or of an asset, and one by its ID. Their rows are `txRows` in contract/data-routes.ts. */
export const txRoutes = implementRoutes<DataDeps>()(txRows, {
  listLatestPrimaryNetworkTransactions: async (deps, values, { paging }) => {
    const { addresses: requested, txTypes: types, startTimestamp: from, endTimestamp: to, pageSize: limit, sortOrder: order } = values;
    const { afterTxHash, endBlock } = values;
    const subjects = requested?.owners.map((address): Subject => ({ address }));
    const spelling = networkSpelling(deps.served, values.network, requested);
    const query = { spelling, subjects, types, times: { from, to }, start: { afterTxHash, endBlock }, order, limit, paging };
    return joinPage(await listTxs(deps, requireChain(deps.served, values), query));
  },
  getTxByHash: async (deps, { txHash, ...chainRef }) => {
    const chain = requireChain(deps.served, chainRef);
    const { hrp } = networkSpelling(deps.served, chainRef.network);
    const found = await atOneEpoch(deps.epoch, (epoch) => readTxPiece(deps, { chain, hrp, epoch, id: txHash }));
    if (found === undefined) throw notFound(`No accepted transaction ${idText(txHash)} on ${chain.slug}`);
    return rawJson(found.bytes);
  },
  listAssetTransactions: async (
    deps,
    { assetId, txTypes: types, startTimestamp: from, endTimestamp: to, pageSize: limit, ...chainRef },
    { paging },
  ) => {
    const chain = requireChain(deps.served, chainRef);
    const times = { from, to };
    const spelling = networkSpelling(deps.served, chainRef.network);
    const page = await listTxs(deps, chain, {
      spelling,
      subjects: [{ asset: assetId }],
      types,
      times,
      start: { afterTxHash: undefined, endBlock: undefined },
      order: 'desc',
      limit,
      paging,
    });
    // An asset created on another chain may have transactions here, so only an empty list is checked.
    if (page.pieces.length === 0 && !(await isAsset(chain, assetId))) throw notFound(`No asset ${idText(assetId)} on ${chain.slug}`);
    return joinPage(page);
  },
});

/** A page of the transactions of addresses or of an asset (`subjects`), or of all. */
async function listTxs(
  deps: DataDeps,
  chain: ServedChain,
  {
    spelling,
    subjects,
    types,
    times,
    start,
    order,
    limit,
    paging,
  }: {
    readonly spelling: NetworkSpelling;
    readonly subjects: readonly Subject[] | undefined;
    readonly types: readonly (typeof txTypeNames)[number][] | undefined;
    readonly times: TimeRange;
    readonly start: { readonly afterTxHash: Id | undefined; readonly endBlock: number | undefined };
    readonly order: Order;
    readonly limit: number;
    readonly paging: Paging;
  },
): Promise<JsonPage> {
  const kinds = types?.filter((type): type is TxKind => type in txKinds);
  const name = 'transactions';
  if (kinds?.length === 0) return { name, pieces: [], nextPageToken: undefined, metadata: await listMetadata(spelling, chain) };
  const page = atOneEpoch(deps.epoch, async (epoch) => {
    const { until, ...listing } = await openTxListing(chain.reads, paging, start);
    const seqs = await chain.reads.txSeqs({ pin: until, after: listing.after, subjects, kinds, times, order, limit: limit + 1 });
    const pieces = await readTxPieces(deps, { chain, hrp: spelling.hrp, epoch, seqs: seqs.slice(0, limit), pin: listing.pin });
    return { listing, rows: seqs.map((seq, i) => ({ seq, piece: pieces[i] })) };
  });
  const [metadata, { listing, rows }] = await Promise.all([listMetadata(spelling, chain), page]);
  const bytesOf = ({ piece }: (typeof rows)[number]) => piece?.storedBytes ?? 0;
  const { items, nextPageToken } = cutPage(rows, listing, { limit, seqOf: ({ seq }) => seq, bytesOf, paging });
  // Every item has a piece. Only the row beyond `limit` and those behind a list that `readTxPieces` ended early have none. `cutPage` leaves out the
  // row beyond `limit`. The list ends early only behind at least two transactions that have more than `maxPageBytes` together, and `storedBytes` of
  // a piece is no less than its transaction: so `cutPage` ends the page before the last of these pieces.
  return { name, pieces: items.map(({ piece }) => piece as TxPiece), nextPageToken, metadata };
}

async function isAsset({ reads }: ServedChain, id: Id): Promise<boolean> {
  return (await reads.assetNames([id])).length > 0;
}
