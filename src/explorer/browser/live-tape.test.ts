import { expect, test } from 'bun:test';
import type { PagePayload } from '../views/page-payload.ts';
import { createLiveTape } from './live-tape.ts';
import type { StreamEvent } from './stream-events.ts';

/** A tape of the first page with blocks up to `height`; `pending` as the page has it. */
function openTape(height: number, pending: number | undefined) {
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

const block = (height: number) => ({ kind: 'block', height, blockID: `b${height}`, time: 0, txIDs: ['t'] });

test('the number of pending transactions follows the mempool, where the page has one', () => {
  const { fold, read } = openTape(2, 3);
  fold({ kind: 'mempool', action: 'in', txID: 't1' }, { kind: 'mempool', action: 'in', txID: 't2' });
  expect(read().pending).toBe(5);
  fold({ kind: 'mempool', action: 'out', txID: 't1' });
  expect(read().pending).toBe(4);
  const without = openTape(2, undefined);
  without.fold({ kind: 'mempool', action: 'in', txID: 't1' });
  expect(without.read().pending).toBeUndefined();
});

test('new blocks come first, once, and a missing one is a gap', () => {
  const { fold, read, lastHeight, takeGap } = openTape(2, 0);
  fold(block(3), block(2), { ...block(9), chainID: 'other' });
  expect([read().blocks.map(({ height }) => height), lastHeight(), takeGap()]).toEqual([[3, 2, 1], 3, false]);
  fold(block(5));
  expect([lastHeight(), takeGap(), takeGap()]).toEqual([5, true, false]);
});

test('a revert removes blocks and says how many', () => {
  const { fold, read, lastHeight, closeReverted } = openTape(4, 2);
  fold({ kind: 'reverted', height: 1, snapshot: 's' });
  expect([read().blocks.map(({ height }) => height), lastHeight(), read().pending]).toEqual([[1], 1, 0]);
  expect(read().reverted).toEqual({ height: 1, snapshot: 's', blocks: 3, txs: 6 });
  closeReverted();
  expect(read().reverted).toBeUndefined();
});
