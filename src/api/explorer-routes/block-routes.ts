import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { idText } from '../../base/bytes/id.ts';
import { targetBlockSize } from '../../chain/lifecycle/builder.ts';
import type { BlockSumsEntry } from '../../ledger/index-read/explorer-reads.ts';
import { burnedAmount } from '../../ledger/state/block-row.ts';
import { blockSummaryRows } from '../contract/explorer-routes.ts';
import { networkSpelling, requireChain } from '../data/chain.ts';
import { listMetadata } from '../data/list-metadata.ts';
import { cutPage, openListing } from '../data/paging.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';
import { txKindNames } from './throughput.ts';

export const blockSummaryRoutes = implementRoutes<ExplorerDeps>()(blockSummaryRows, {
  listBlockSummaries: async (deps, { pageSize: limit, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    const listing = await openListing(chain.reads, paging);
    const from = listing.after === undefined ? listing.pin.height : listing.after - 1;
    const rows = await explorerOf(chain).blockSums(from, limit + 1);
    const { items, nextPageToken } = cutPage(rows, listing, { limit, seqOf: ({ height }) => height, paging });
    const metadata = await listMetadata(networkSpelling(deps.served, chainRef.network), chain);
    return { nextPageToken, blocks: items.map(renderSummary), ...metadata };
  },
  listBlockTransactions: async (deps, { blockId, pageSize: limit, ...chainRef }, { paging }) => {
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
  getTransactionPosition: async ({ served }, { txHash, ...chainRef }) => {
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
});

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
