import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { SqlValue } from '../index/sql.ts';
import { fetchRowGroups, type Steps } from '../index/steps.ts';
import { txKinds } from '../index/tables.ts';
import { boundaryAt, isRunOpen, transferRunKind } from '../index/transfer-runs.ts';
import type { BlockFacts } from './block-facts.ts';
import type { WriterCache } from './writer-cache.ts';
import type { WriterQueries } from './writer-queries.ts';

/** Whether the last transaction is in a run of transfers of the whole chain, and in one of the fee asset. */
export type OpenRuns = { readonly chain: boolean; readonly feeAsset: boolean };

/**
 * Rows of `history`. Each transaction is listed under the whole chain, its addresses and its assets; transfers of the whole chain and of the
 * fee asset as runs (see index/transfer-runs.ts).
 */
export function* historyRows(
  q: Pick<WriterQueries, 'lastRunBoundary'>,
  cache: Pick<WriterCache, 'openRuns'>,
  facts: readonly BlockFacts[],
  feeAsset: Id,
): Steps<SqlValue[]> {
  let { chain: isChainRun, feeAsset: isFeeRun } = cache.openRuns ?? (yield* readOpenRuns(q, idBlob(feeAsset)));
  const rows: HistoryRow[] = [];
  const addBoundary = (subject: HistoryRow['subject'], boundary: number | undefined): void => {
    if (boundary !== undefined) rows.push({ subject, kind: transferRunKind, tx: boundary });
  };
  for (const { txs } of facts)
    for (const { seq, kind, addresses, assets } of txs) {
      const isTransfer = kind === txKinds.BaseTx;
      const isFeeTransfer = isTransfer && assets.includes(feeAsset);
      addBoundary(wholeChain, boundaryAt(seq, isChainRun, isTransfer));
      addBoundary(feeAsset, boundaryAt(seq, isFeeRun, isFeeTransfer));
      [isChainRun, isFeeRun] = [isTransfer, isFeeTransfer];
      if (!isTransfer) rows.push({ subject: wholeChain, kind, tx: seq });
      for (const subject of addresses) rows.push({ subject, kind, tx: seq });
      for (const subject of assets) if (!isFeeTransfer || subject !== feeAsset) rows.push({ subject, kind, tx: seq });
    }
  cache.openRuns = { chain: isChainRun, feeAsset: isFeeRun };
  // In the order of the key, in which inserting takes the least time. The sort is stable: numbers of transactions only increase.
  rows.sort((a, b) => compareHex(a.subject, b.subject) || a.kind - b.kind);
  const values: SqlValue[] = [];
  for (const { subject, kind, tx } of rows) values.push(subjectBlob(subject), kind, tx);
  return values;
}

/** `subject` as hex: its order is that of the bytes. */
type HistoryRow = { readonly subject: Address | Id | ''; readonly kind: number; readonly tx: number };

const subjectBlob = (subject: HistoryRow['subject']): Uint8Array => {
  if (subject === wholeChain) return noBytes;
  return subject.length === addressDigits ? addressBlob(subject as Address) : idBlob(subject as Id);
};

const addressDigits = 40;

function* readOpenRuns(q: Pick<WriterQueries, 'lastRunBoundary'>, fee: Uint8Array): Steps<OpenRuns> {
  const rows = yield* fetchRowGroups({ chain: q.lastRunBoundary([noBytes]), fee: q.lastRunBoundary([fee]) });
  const isOpen = ([row]: readonly unknown[]) => isRunOpen((row as { boundary: number | null } | undefined)?.boundary ?? undefined);
  return { chain: isOpen(rows.chain), feeAsset: isOpen(rows.fee) };
}

const wholeChain = '';
const noBytes = new Uint8Array(0);
