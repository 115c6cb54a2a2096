import { expect, test } from 'bun:test';
import type { PagePayload } from '../views/page-payload.ts';
import { createLiveStore } from './live-store.ts';
import type { StreamEvent } from './stream-events.ts';

const row = (id: string, height = 1, label: object = { symbol: 'AVAX', denomination: 9 }) => ({
  id,
  type: 'BaseTx',
  height,
  time: 0,
  summary: { amounts: [{ assetId: `of ${id}`, ...label }] },
});

const home = (change: object = {}, txs: readonly object[] = [row('t0')]): PagePayload =>
  ({
    view: 'home',
    height: 5,
    now: 1000,
    context: { chain: { id: 'X', feeAsset: 'a', feeSymbol: 'AVAX', feeDecimals: 9 } },
    data: { blocks: [], txs, pending: undefined, seconds: [], countedTo: 0 },
    ...change,
  }) as unknown as PagePayload;

const tx = (id: string, change: object = {}): StreamEvent =>
  ({
    chainID: 'X',
    kind: 'tx',
    txID: id,
    txType: 'BaseTx',
    sizeBytes: 300,
    height: 6,
    time: 1001,
    summary: { amounts: [] },
    ...change,
  }) as unknown as StreamEvent;
const block = (height: number, change: object = {}): StreamEvent =>
  ({
    chainID: 'X',
    kind: 'block',
    height,
    blockID: `b${height}`,
    time: 1001,
    sizeBytes: 9,
    txCountByType: {},
    txIDs: ['t'],
    ...change,
  }) as unknown as StreamEvent;

/** A store on a clock that the test moves, in milliseconds. */
function openStore(first = home(), sentAt = 0) {
  const clock = { at: 0, changes: 0 };
  const store = createLiveStore(first, () => clock.at, sentAt);
  const view = (isGone = false) => store.view(() => clock.changes++, isGone);
  return { ...store, clock, view };
}

test("the clock of the page goes on from the server's time, and stands still while the chain's is frozen", () => {
  const { now, clock, apply } = openStore(home(), -2000);
  expect(now()).toBe(1002);
  clock.at = 500;
  expect(now()).toBe(1002.5);
  apply([{ kind: 'time', time: 5000, offset: 4000, frozen: true } as StreamEvent]);
  clock.at = 9000;
  expect(now()).toBe(5000);
  const frozen = openStore(home({ dev: { isFrozen: true } }));
  frozen.clock.at = 3000;
  expect(frozen.now()).toBe(1000);
  frozen.restart(home({ now: 2000, dev: { isFrozen: false } }));
  frozen.clock.at = 4000;
  expect(frozen.now()).toBe(2001);
  frozen.restart(home({ now: 3000, dev: { isFrozen: true } }));
  frozen.clock.at = 9000;
  expect(frozen.now()).toBe(3000);
});

test('the log has the last twelve events, newest first, numbered, each with what it says and its page', () => {
  const { apply, view } = openStore();
  const id = 'abcdefghijklmnopqrstuvwxyz';
  apply([
    block(1234, { txIDs: ['t1', 't2'] }),
    tx(id),
    { chainID: 'X', kind: 'mempool', action: 'in', txID: id, sizeBytes: 1 } as StreamEvent,
    { chainID: 'X', kind: 'reverted', height: 3 } as StreamEvent,
    { chainID: 'X', kind: 'reverted', height: 3, snapshot: 'before' } as StreamEvent,
    { kind: 'time', time: 1, offset: -90, frozen: false } as StreamEvent,
    { kind: 'time', time: 1, offset: 0, frozen: true } as StreamEvent,
    { kind: 'settings', changed: 'automine' } as StreamEvent,
    { kind: 'health' },
  ]);
  const log = view().log.toReversed();
  expect(log.map(({ number, kind }) => `${number} ${kind}`)).toEqual(
    ['block', 'tx', 'mempool', 'reverted', 'reverted', 'time', 'time', 'settings', 'health'].map((kind, at) => `${at + 1} ${kind}`),
  );
  const [blockText, txText, mempoolText, ...texts] = log.map(({ text }) => text);
  expect(blockText).toBe('1,234 · 2 tx');
  expect([txText?.startsWith('BaseTx abc'), mempoolText?.startsWith('in abc')]).toEqual([true, true]);
  expect(texts[0]).toBe('to block 3');
  expect(texts[1]).toBe('to block 3 · before');
  expect([texts[2]?.[0], texts[2]?.endsWith(', frozen'), texts[3]?.[0], texts[3]?.endsWith(', frozen')]).toEqual(['−', false, '+', true]);
  expect(texts.slice(4)).toEqual(['automine', '']);
  expect(log.slice(0, 4).map(({ href }) => href)).toEqual(['/block/1234', `/tx/${id}`, `/tx/${id}`, undefined]);
  apply(Array.from({ length: 20 }, (_, at) => block(2000 + at)));
  expect(view().log.map(({ href }) => href)).toEqual(Array.from({ length: 12 }, (_, at) => `/block/${2019 - at}`));
  apply([{ kind: 'health' }]);
  expect(
    view()
      .log.map(({ kind }) => kind)
      .slice(0, 2),
  ).toEqual(['health', 'block']);
  expect(view().log).toHaveLength(12);
});

test('a list stands still under the pointer and on hold, counts what waits, and shows it when asked', () => {
  const { apply, view, clock } = openStore();
  const ids = () => view().txs.map(({ id }) => id);
  expect([ids(), view().waiting, view().isHeld]).toEqual([['t0'], 0, false]);
  view().onEnter();
  apply([tx('t1'), tx('t2')]);
  expect([ids(), view().waiting, view().isHeld]).toEqual([['t0'], 2, false]);
  view().showWaiting();
  expect([ids(), view().waiting]).toEqual([['t2', 't1', 't0'], 0]);
  view().toggleHold();
  view().onLeave();
  apply([tx('t3')]);
  expect([ids()[0], view().waiting, view().isHeld]).toEqual(['t2', 1, true]);
  view().toggleHold();
  expect([ids()[0], view().waiting, view().isHeld, clock.changes]).toEqual(['t3', 0, false, 5]);
  // Twelve rows are shown.
  apply(Array.from({ length: 20 }, (_, at) => tx(`u${at}`)));
  expect(ids()).toHaveLength(12);
});

test('a list that was empty when it was held counts all that came; one whose rows are gone shows none of them', () => {
  const empty = openStore(home({}, []));
  empty.view().onEnter();
  empty.apply([tx('t1'), tx('t2')]);
  expect([empty.view().txs, empty.view().waiting]).toEqual([[], 2]);
  const { apply, view } = openStore(home({}, [row('t9', 5), row('t1', 1)]));
  view().toggleHold();
  apply([{ chainID: 'X', kind: 'reverted', height: 1 } as StreamEvent]);
  expect([view().txs.map(({ id }) => id), view().waiting]).toEqual([['t1'], 0]);
});

test('figures that are more than four seconds behind the last block say as of when they are', () => {
  const { apply, view, clock, restart } = openStore();
  clock.at = 5000;
  expect(view().figuresAsOf).toBeUndefined();
  apply([block(6)]);
  expect(view().figuresAsOf).toBe(1000);
  clock.at = 4000;
  expect(view().figuresAsOf).toBeUndefined();
  clock.at = 4001;
  expect(view().figuresAsOf).toBe(1000);
  restart(home({ height: 6, now: 1004 }));
  expect([view().figuresAsOf, view().now]).toEqual([undefined, 1004]);
});

test('a stream that is lost says since when; the same status again is no change', () => {
  const { setStatus, view, clock } = openStore();
  expect([view().status, setStatus('connecting')]).toEqual(['connecting', false]);
  expect([setStatus('live'), setStatus('live'), view().lostAt]).toEqual([true, false, undefined]);
  clock.at = 2000;
  expect([setStatus('lost'), view().status, view().lostAt]).toEqual([true, 'lost', 1002]);
  expect([setStatus('live'), view().lostAt, view(true).isGone, view().isGone]).toEqual([true, undefined, true, false]);
});

test('events that are newer than a page that was loaded again are applied to it once more', () => {
  const { apply, restart, view, lastHeight } = openStore();
  apply([block(6, { id: 'L-6' }), tx('t6', { id: 'L-6.1' }), block(7, { id: 'L-7' }), tx('t7', { id: 'L-7.1', height: 7 })]);
  restart(home({ height: 6, position: 'L-6.1' }, [row('t6', 6)]));
  expect([view().txs.map(({ id }) => id), lastHeight()]).toEqual([['t7', 't6'], 7]);
  // A page that does not say its position is taken as it is, and what came before is forgotten.
  restart(home({ height: 7 }, [row('t7', 7)]));
  restart(home({ height: 6, position: 'L-6.1' }, [row('t6', 6)]));
  expect([view().txs.map(({ id }) => id), lastHeight()]).toEqual([['t6'], 6]);
});

test('the last 2,000 events are kept to be applied again', () => {
  for (const [count, isGap] of [
    [2000, false],
    [2001, true],
  ] as const) {
    const { apply, restart, takeGap } = openStore();
    apply(Array.from({ length: count }, (_, at) => block(6 + at, { id: `L-${6 + at}` })));
    restart(home({ height: 5, position: 'L-5' }));
    expect(takeGap()).toBe(isGap);
  }
});

test('assets without a symbol are asked for once, and a label is shown also in a list that is held', () => {
  const { unknownAssets, addLabel, view } = openStore(home({}, [row('t1', 1, {}), row('t2', 1, {})]));
  expect(unknownAssets()).toEqual(['of t1', 'of t2']);
  view().onEnter();
  addLabel('of t1', { symbol: 'NEW', denomination: 3 });
  expect([unknownAssets(), view().txs[0]?.summary.amounts[0]]).toEqual([
    ['of t2'],
    { assetId: 'of t1', symbol: 'NEW', denomination: 3 } as never,
  ]);
});

test('the note about a revert stays until it is closed', () => {
  const { apply, view, clock } = openStore();
  apply([{ chainID: 'X', kind: 'reverted', height: 3 } as StreamEvent]);
  expect(view().reverted).toMatchObject({ height: 3, blocks: 2 });
  view().closeReverted();
  expect([view().reverted, clock.changes]).toEqual([undefined, 1]);
});
