import { consumedIds, effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { targetBlockSize } from '../../chain/lifecycle/builder.ts';
import type { BlockSumsEntry } from '../../ledger/index-read/explorer-reads.ts';
import type { PinnedBlock, TxEntry } from '../../ledger/index-read/index-reads.ts';
import { burnedAmount } from '../../ledger/state/block-row.ts';
import { parseStoredTx } from '../../ledger/state/stored-tx.ts';
import { blockSummaryRows } from '../contract/explorer-routes.ts';
import { listMetadata, networkSpelling, requireChain } from '../data/chain.ts';
import { cutPage, openListing } from '../data/paging.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { assetsOfMovement, type Movement, movedUnits, movementOf, summarizeMovement } from '../summary/summarize-tx.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';
import { txKindNames } from './throughput.ts';

/** Blocks with sums of their transactions, the transactions of a block, and the place of a transaction in its block. Their rows are `blockSummaryRows` in contract/explorer-routes.ts. */
export const blockSummaryRoutes = implementRoutes<ExplorerDeps>()(blockSummaryRows, {
  listBlockSummaries: async (deps, { endBlock, sortOrder, withMoved, pageSize: limit, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    const listing = await openListing(chain.reads, paging);
    const highest = Math.min(listing.pin.height, endBlock ?? listing.pin.height);
    const { blockSums, blockSumsAfter } = explorerOf(chain);
    const rows =
      sortOrder === 'asc'
        ? (await blockSumsAfter(listing.after ?? -1, limit + 1)).filter(({ height }) => height <= highest)
        : await blockSums(listing.after === undefined ? highest : listing.after - 1, limit + 1);
    const { items, nextPageToken } = cutPage(rows, listing, { limit, seqOf: ({ height }) => height, paging });
    const metadata = await listMetadata(networkSpelling(deps.served, chainRef.network), chain);
    const moved = withMoved ? await sumMoved(deps, chain, items, listing.pin) : undefined;
    return { nextPageToken, blocks: items.map((row) => ({ ...renderSummary(row), ...moved?.get(row.height) })), ...metadata };
  },
  listBlockTransactions: async (deps, { blockId, pageSize: limit, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    const first = Math.max(0, paging.cursor?.after ?? 0);
    const [found, tip] = await Promise.all([explorerOf(chain).blockTxs(blockId), chain.reads.tip()]);
    if (found === undefined || found.height > tip.height) throw notFound(`No such block on ${chain.slug}`);
    const end = Math.max(first, Math.min(first + limit, found.count));
    const seqs = Array.from({ length: end - first }, (_, i) => found.firstTx + first + i);
    const spelling = networkSpelling(deps.served, chainRef.network);
    const txs = (await chain.reads.txs(seqs, tip)).map(withConsumed);
    const render = await openBlockTxs(deps, chain, spelling.hrp, txs);
    return {
      nextPageToken: end < found.count ? paging.nextPageToken({ height: tip.height, after: end }) : undefined,
      blockNumber: found.height.toString(),
      blockHash: idText(found.id),
      txCount: found.count,
      transactions: txs.map((one, i) => ({ index: first + i, ...render(one) })),
      ...(await listMetadata(spelling, chain)),
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

const countTxs = ({ txs }: Pick<BlockSumsEntry, 'txs'>): number => txKindNames.reduce((sum, kind) => sum + txs[kind], 0);

const renderSummary = ({ height, id, time, bytes, fees, txs }: BlockSumsEntry) => ({
  blockNumber: height.toString(),
  blockHash: idText(id),
  blockTimestamp: time,
  txCount: countTxs({ txs }),
  txCountByType: txs,
  bytes,
  burned: fees.toString(),
  fill: bytes / targetBlockSize,
});

/** The most transactions, and bytes of transactions, that one request adds up. */
const [maxSummedTxs, maxSummedBytes] = [500, 500_000];
/** The most assets of a block whose amounts are listed. */
const maxMovedAssets = 3;

/** What the transactions of each block move, by height. Blocks that would exceed the most transactions or bytes are left out. */
async function sumMoved(deps: ExplorerDeps, chain: ServedChain, blocks: readonly BlockSumsEntry[], pin: PinnedBlock) {
  const sums = new Map<number, Map<Id, bigint>>();
  const seqs: number[] = [];
  for (const block of blocks) {
    const count = countTxs(block);
    if (seqs.length + count > maxSummedTxs) continue;
    sums.set(block.height, new Map());
    for (let i = 0; i < count; i++) seqs.push(block.firstTx + i);
  }
  const entries = await chain.reads.txs(seqs, pin, maxSummedBytes);
  const unread = new Set(seqs.slice(entries.length));
  for (const { height, firstTx, txs } of blocks) if (unread.has(firstTx + countTxs({ txs }) - 1)) sums.delete(height);
  const pause = deps.longWork?.begin();
  for (const { tx: stored, height, consumed } of entries) {
    const sum = sums.get(height);
    for (const { asset, amount } of movedUnits(withConsumed({ tx: stored, consumed }).movement))
      sum?.set(asset, (sum.get(asset) ?? 0n) + amount);
    const resumed = pause?.();
    if (resumed !== undefined) await resumed;
  }
  const { labelOf } = await deps.assetLabels(chain)(new Set([...sums.values()].flatMap((sum) => [...sum.keys()])));
  const render = ([asset, amount]: readonly [Id, bigint]) => {
    const { symbol, denomination } = labelOf(asset);
    return { assetId: idText(asset), amount: amount.toString(), symbol, denomination };
  };
  const feeFirst = ([a]: readonly [Id, bigint], [b]: readonly [Id, bigint]): number =>
    Number(b === chain.feeAsset) - Number(a === chain.feeAsset);
  return new Map(
    [...sums].map(([height, sum]) => {
      const moved = [...sum].toSorted(feeFirst).slice(0, maxMovedAssets).map(render);
      return [height, { moved, movedAssetCount: sum.size }];
    }),
  );
}

type MovingTx = { readonly tx: Tx; readonly movement: Movement };

/** A transaction and what it moves, by the outputs that it consumed. */
function withConsumed({ tx: stored, consumed }: Pick<TxEntry, 'tx' | 'consumed'>): MovingTx {
  const byId = new Map(consumed.flatMap((output) => (output === undefined ? [] : [[output.utxo.id, output.utxo]])));
  const tx = parseStoredTx(stored);
  return { tx, movement: movementOf(tx, (ref) => byId.get(refId(ref))) };
}

/** Reads the labels of what transactions move. The returned function renders one of them. */
async function openBlockTxs(deps: ExplorerDeps, chain: ServedChain, hrp: string, txs: readonly MovingTx[]) {
  const { labelOf } = await deps.assetLabels(chain)(new Set(txs.flatMap(({ movement }) => assetsOfMovement(movement))));
  const context = { formatAddress: deps.addressFormatter(hrp), labelOf };
  return ({ tx, movement }: MovingTx) => {
    const { created, exported } = effectsOf(tx);
    return {
      txHash: idText(tx.id),
      txType: tx.unsigned.kind,
      sizeBytes: tx.bytes.length,
      burned: burnedAmount(tx, chain.feeAsset).toString(),
      moved: (movedUnits(movement).find(({ asset }) => asset === chain.feeAsset)?.amount ?? 0n).toString(),
      inputCount: consumedIds(tx).length,
      outputCount: created.length + (exported?.utxos.length ?? 0),
      summary: summarizeMovement(tx, movement, context),
    };
  };
}
