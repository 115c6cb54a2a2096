import { refId } from '../../avm/tx/utxo.ts';
import { idText } from '../../base/bytes/id.ts';
import type { Subject, TxEntry } from '../../ledger/index-read/index-reads.ts';
import { parseStoredTx } from '../../ledger/state/stored-tx.ts';
import { txSummaryRows } from '../contract/explorer-routes.ts';
import { listMetadata, networkSpelling, requireChain } from '../data/chain.ts';
import type { DataDeps } from '../data/deps.ts';
import { cutPage, maxPageBytes, openTxListing } from '../data/paging.ts';
import { assetsOfTxs } from '../data/tx-pieces.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { summarizeTx } from '../summary/summarize-tx.ts';
import type { ExplorerDeps } from './deps.ts';

/** Transactions in one line each: by ID, of addresses, of an asset, or all. The row is in contract/explorer-routes.ts. */
export const txSummaryRoutes = implementRoutes<ExplorerDeps>()(txSummaryRows, {
  listTransactionSummaries: async (deps, { txHashes, addresses, assetId, ...values }, { paging }) => {
    const { countUpTo, afterTxHash, endBlock, sortOrder: order, pageSize: limit, ...chainRef } = values;
    const chain = requireChain(deps.served, chainRef);
    const spelling = networkSpelling(deps.served, chainRef.network);
    const { until, ...listing } = await openTxListing(chain.reads, paging, { afterTxHash, endBlock });
    const { pin, after } = listing;
    const metadata = await listMetadata(spelling, chain);
    if (txHashes !== undefined) {
      const entries = await chain.reads.txsById([...new Set(txHashes)], pin);
      return { nextPageToken: undefined, transactions: await renderLines(deps, chain, spelling.hrp, entries), ...metadata };
    }
    const subjects = addresses?.owners.map((address): Subject => ({ address })) ?? (assetId && [{ asset: assetId }]);
    const seqs = await chain.reads.txSeqs({ pin: until, ...all, subjects, after, order, limit: limit + 1 });
    const entries = await chain.reads.txs(seqs.slice(0, limit), pin, maxPageBytes);
    const { nextPageToken } = cutPage(seqs, listing, { limit: entries.length, seqOf: (seq) => seq, paging });
    /** Undefined if there are more than are to be counted. */
    const countAfter = async (seq: number | undefined): Promise<number | undefined> => {
      const found = await chain.reads.txSeqs({ pin, ...all, subjects, after: seq, order: 'asc', limit: countUpTo + 1 });
      return found.length > countUpTo ? undefined : found.length;
    };
    const newest = seqs.length === 0 ? undefined : Math.max(...seqs.slice(0, entries.length));
    return {
      nextPageToken,
      transactions: await renderLines(deps, chain, spelling.hrp, entries),
      totalCount: countUpTo === 0 ? undefined : await countAfter(undefined),
      newerCount: countUpTo === 0 || newest === undefined ? undefined : await countAfter(newest),
      ...metadata,
    };
  },
});

/** No filter but the subjects. */
const all = { kinds: undefined, times: { from: undefined, to: undefined } } as const;

/** Pauses between transactions: 100 of them may have 80,000 outputs. */
async function renderLines(deps: DataDeps, chain: ServedChain, hrp: string, entries: readonly TxEntry[]) {
  const { labelOf } = await deps.assetLabels(chain)(assetsOfTxs(entries));
  const context = { formatAddress: deps.addressFormatter(hrp), labelOf };
  const pause = deps.longWork?.begin();
  const lines = [];
  for (const { tx: stored, height, consumed } of entries) {
    const tx = parseStoredTx(stored);
    const byId = new Map(consumed.flatMap((output) => (output === undefined ? [] : [[output.utxo.id, output.utxo]])));
    lines.push({
      txHash: idText(tx.id),
      txType: tx.unsigned.kind,
      blockNumber: height.toString(),
      timestamp: stored.time,
      summary: summarizeTx(tx, (ref) => byId.get(refId(ref)), context),
    });
    const resumed = pause?.();
    if (resumed !== undefined) await resumed;
  }
  return lines;
}
