import { expect, test } from 'bun:test';
import type { PendingSum } from '../load/load-home.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { createLiveTape } from './live-tape.ts';
import type { StreamEvent } from './stream-events.ts';

/** A tape of the first page with blocks up to `height`; `pending` as the page has it. */
function openTape(height: number, pending: PendingSum | undefined) {
  const blocks = Array.from({ length: height }, (_, i) => ({ height: height - i, id: `b${height - i}`, time: 0, txs: 2 }));
  const payload = {
    view: 'home',
    height,
    context: { chain: { id: 'X', feeAsset: 'a', feeSymbol: 'AVAX', feeDecimals: 9 } },
    data: { blocks, txs: [], pending, seconds: [], countedTo: 0 },
  } as unknown as PagePayload;
  const times: unknown[] = [];
  const tape = createLiveTape(payload, () => 0, { onTime: (...time) => times.push(time), onReverted: () => {} });
  const fold = (...events: object[]) => tape.fold(events.map((event) => ({ chainID: 'X', ...event }) as unknown as StreamEvent));
  return { ...tape, fold, times };
}

const block = (height: number) => ({
  kind: 'block',
  height,
  blockID: `b${height}`,
  time: 0,
  sizeBytes: 390,
  txCountByType: { BaseTx: 0, CreateAssetTx: 0, OperationTx: 0, ImportTx: 1, ExportTx: 0 },
  txIDs: ['t'],
});

test('number and size of pending transactions follow the mempool, where the page has one', () => {
  const { fold, read } = openTape(2, { count: 3, bytes: 1000 });
  const mempool = (action: 'in' | 'out', txID: string, sizeBytes: number) => ({ kind: 'mempool', action, txID, sizeBytes });
  fold(mempool('in', 't1', 250), mempool('in', 't2', 400));
  expect(read().pending).toEqual({ count: 5, bytes: 1650 });
  fold(mempool('out', 't1', 250));
  expect(read().pending).toEqual({ count: 4, bytes: 1400 });
  // It was in the mempool when the page was loaded.
  fold({ kind: 'tx', txID: 't0', txType: 'BaseTx', sizeBytes: 300, height: 3, time: 0, summary: { amounts: [] } });
  expect(read().pending).toEqual({ count: 3, bytes: 1100 });
  const without = openTape(2, undefined);
  without.fold(mempool('in', 't1', 250));
  expect(without.read().pending).toBeUndefined();
});

test('new blocks come first, once, and a missing one is a gap', () => {
  const { fold, read, lastHeight, takeGap } = openTape(2, { count: 0, bytes: 0 });
  fold(block(3), block(2), { ...block(9), chainID: 'other' });
  expect([read().blocks.map(({ height }) => height), lastHeight(), takeGap()]).toEqual([[3, 2, 1], 3, false]);
  expect(read().blocks[0]).toMatchObject({ txs: 1, bytes: 390, kinds: { ImportTx: 1 } });
  fold(block(5));
  expect([lastHeight(), takeGap(), takeGap()]).toEqual([5, true, false]);
});

test('a revert removes blocks and says how many', () => {
  const { fold, read, lastHeight, closeReverted } = openTape(4, { count: 2, bytes: 600 });
  fold({ kind: 'reverted', height: 1, snapshot: 's' });
  expect([read().blocks.map(({ height }) => height), lastHeight(), read().pending]).toEqual([[1], 1, { count: 0, bytes: 0 }]);
  expect(read().reverted).toEqual({ height: 1, snapshot: 's', blocks: 3, txs: 6 });
  closeReverted();
  expect(read().reverted).toBeUndefined();
});
