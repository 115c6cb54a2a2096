import type { Id } from '../../base/bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { SqlValue } from '../index/sql.ts';
import { txKinds } from '../index/tables.ts';
import { boundaryAt, isRunOpen, transferRunKind } from '../index/transfer-runs.ts';
import { fetchRowGroups, type Queries } from '../store/queries.ts';
import type { BlockFacts } from './block-facts.ts';
import type { WriterCache } from './writer-cache.ts';
import type { WriterQueries } from './writer-queries.ts';

/** Whether the last stored transaction belongs to a run of transfers: of the whole chain, and of the fee asset. The next transaction goes on with the run, or ends it. */
export type OpenRuns = { readonly chain: boolean; readonly feeAsset: boolean };

/**
 * The new rows of table `history` for the transactions of blocks, three values each: subject, kind, number of the transaction. The subject is the whole
 * chain, an address or an asset: the lists in which the transaction is shown. Transfers have no rows for the whole chain and the fee asset: there, only
 * the boundaries of runs of transfers are stored (see index/transfer-runs.ts). Called by block-writer.ts.
 */
export function* historyRows(
  q: Pick<WriterQueries, 'lastRunBoundary'>,
  cache: Pick<WriterCache, 'openRuns'>,
  facts: readonly BlockFacts[],
  feeAsset: Id,
): Queries<SqlValue[]> {
  let { chain: isChainRun, feeAsset: isFeeRun } = cache.openRuns ?? (yield* readOpenRuns(q, idBlob(feeAsset)));
  const fee = idBlob(feeAsset);
  const rows: SqlValue[] = [];
  const addBoundary = (subject: Uint8Array, boundary: number | undefined): void => {
    if (boundary !== undefined) rows.push(subject, transferRunKind, boundary);
  };
  for (const { txs } of facts)
    for (const { seq, kind, addresses, assets } of txs) {
      const isTransfer = kind === txKinds.BaseTx;
      const isFeeTransfer = isTransfer && assets.includes(feeAsset);
      addBoundary(wholeChain, boundaryAt(seq, isChainRun, isTransfer));
      addBoundary(fee, boundaryAt(seq, isFeeRun, isFeeTransfer));
      [isChainRun, isFeeRun] = [isTransfer, isFeeTransfer];
      if (!isTransfer) rows.push(wholeChain, kind, seq);
      for (const subject of addresses) rows.push(addressBlob(subject), kind, seq);
      for (const subject of assets) if (!isFeeTransfer || subject !== feeAsset) rows.push(idBlob(subject), kind, seq);
    }
  cache.openRuns = { chain: isChainRun, feeAsset: isFeeRun };
  return rows;
}

function* readOpenRuns(q: Pick<WriterQueries, 'lastRunBoundary'>, fee: Uint8Array): Queries<OpenRuns> {
  const rows = yield* fetchRowGroups({ chain: q.lastRunBoundary([wholeChain]), fee: q.lastRunBoundary([fee]) });
  const isOpen = ([row]: readonly unknown[]) => isRunOpen((row as { boundary: number | null } | undefined)?.boundary ?? undefined);
  return { chain: isOpen(rows.chain), feeAsset: isOpen(rows.fee) };
}

/** The subject of the rows of the whole chain. */
const wholeChain = new Uint8Array(0);
