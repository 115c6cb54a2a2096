import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { idText } from '../../base/bytes/id.ts';
import { targetBlockSize } from '../../chain/lifecycle/builder.ts';
import { burnedAmount } from '../../ledger/index/tx-sums.ts';
import type { BlockSumsEntry } from '../../ledger/index-read/explorer-reads.ts';
import { listSchema } from '../contract/data-schemas.ts';
import { BlockSummarySchema, BlockTxsSchema, TxPositionSchema } from '../contract/explorer-schemas.ts';
import { chainParams, chainPath, networkSpelling, requireChain } from '../data/chain.ts';
import { listMetadata } from '../data/list-metadata.ts';
import { cutPage, openListing, pageParams } from '../data/paging.ts';
import { notFound } from '../rest/api-error.ts';
import { heightOrId, pageSize, pageToken, pathId } from '../rest/params.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';
import { txKindNames } from './throughput.ts';

const defineRoute = routeDefiner<ExplorerDeps>();

export const blockSummaryRoutes: readonly ApiRoute<ExplorerDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/block-summaries`,
    id: 'listBlockSummaries',
    tag: 'Explorer',
    summary: 'Size, fees and number of transactions by type of blocks, newest first',
    params: { ...chainParams, ...pageParams },
    response: listSchema('ListBlockSummariesResponse', 'blocks', BlockSummarySchema),
    cachePolicy: 'pinned-page',
    run: async (deps, { pageSize: limit, ...chainRef }, { paging }) => {
      const chain = requireChain(deps.served, chainRef);
      const listing = await openListing(chain.reads, paging);
      const from = listing.after === undefined ? listing.pin.height : listing.after - 1;
      const rows = await explorerOf(chain).blockSums(from, limit + 1);
      const { items, nextPageToken } = cutPage(rows, listing, { limit, seqOf: ({ height }) => height, paging });
      const metadata = await listMetadata(networkSpelling(deps.served, chainRef.network), chain);
      return { nextPageToken, blocks: items.map(renderSummary), ...metadata };
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${chainPath}/blocks/{blockId}/transactions`,
    id: 'listBlockTransactions',
    tag: 'Explorer',
    summary: 'Transactions of a block in short, in the order of the block',
    params: {
      ...chainParams,
      blockId: heightOrId({ description: 'A height or a block hash.', example: '1' }),
      pageToken,
      pageSize: pageSize(100, 1000),
    },
    response: BlockTxsSchema,
    cachePolicy: 'block',
    run: async (deps, { blockId, pageSize: limit, ...chainRef }, { paging }) => {
      const chain = requireChain(deps.served, chainRef);
      const first = Math.max(0, paging.cursor?.after ?? 0);
      const [found, tip] = await Promise.all([explorerOf(chain).blockTxs(blockId, first, limit), chain.reads.tip()]);
      if (found === undefined || found.height > tip.height) throw notFound(`No such block on ${chain.slug}`);
      const end = first + found.txs.length;
      return {
        nextPageToken: end < found.count ? paging.nextPageToken({ height: tip.height, after: end }) : undefined,
        blockNumber: found.height.toString(),
        blockHash: idText(found.id),
        txCount: found.count,
        transactions: found.txs.map((tx, i) => renderBlockTx(tx, first + i, chain.feeAsset)),
        ...(await listMetadata(networkSpelling(deps.served, chainRef.network), chain)),
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${chainPath}/transactions/{txHash}/position`,
    id: 'getTransactionPosition',
    tag: 'Explorer',
    summary: 'Place of a transaction in its block, and its neighbours there',
    params: { ...chainParams, txHash: pathId({ description: 'Transaction ID.' }) },
    response: TxPositionSchema,
    cachePolicy: 'block',
    run: async ({ served }, { txHash, ...chainRef }) => {
      const chain = requireChain(served, chainRef);
      const position = await explorerOf(chain).txPosition(txHash, await chain.reads.tip());
      if (position === undefined) throw notFound(`No accepted transaction ${idText(txHash)} on ${chain.slug}`);
      const { height, blockID, index, count, previous, next } = position;
      return {
        txHash: idText(txHash),
        blockNumber: height.toString(),
        blockHash: idText(blockID),
        txCount: count,
        index,
        previousTxHash: previous && idText(previous),
        nextTxHash: next && idText(next),
      };
    },
  }),
];

const renderSummary = ({ height, id, time, bytes, fees, txs }: BlockSumsEntry) => ({
  blockNumber: height.toString(),
  blockHash: idText(id),
  blockTimestamp: time,
  txCount: txKindNames.reduce((sum, kind) => sum + txs[kind], 0),
  txCountByType: txs,
  bytes,
  burned: fees.toString(),
  fill: bytes / targetBlockSize,
});

const renderBlockTx = (tx: Tx, index: number, feeAsset: Id) => ({
  index,
  txHash: idText(tx.id),
  txType: tx.unsigned.kind,
  sizeBytes: tx.bytes.length,
  burned: burnedAmount(tx, feeAsset).toString(),
  amount: outputAmount(tx, feeAsset).toString(),
});

function outputAmount({ unsigned }: Tx, asset: Id): bigint {
  const outputs = unsigned.kind === 'ExportTx' ? [...unsigned.outputs, ...unsigned.exportedOutputs] : unsigned.outputs;
  return outputs.reduce((sum, { assetID, output }) => (assetID === asset ? sum + output.amount : sum), 0n);
}
