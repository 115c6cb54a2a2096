import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { createReadGate } from './read-gate.ts';

function create() {
  const clock = createVirtualClock(0);
  const calls: string[] = [];
  const later: (() => void)[] = [];
  const world = { buffered: 0, isHeldBack: false };
  const gate = createReadGate(
    { pause: () => calls.push('pause'), resume: () => calls.push('resume'), buffered: () => world.buffered },
    { after: clock.after, soon: (run) => later.push(run) },
    { isHeldBack: () => world.isHeldBack },
    () => calls.push('run'),
  );
  const turn = (): void => {
    for (const run of later.splice(0)) run();
  };
  return { ...gate, clock, world, taken: () => calls.splice(0), turn };
}

test('a peer is not read while one of its messages waits', () => {
  const { suspend, proceed, awaitMore, isSuspended, taken } = create();
  suspend();
  suspend();
  expect([isSuspended(), taken()]).toEqual([true, ['pause']]);
  proceed();
  expect([isSuspended(), taken()]).toEqual([false, ['run']]);
  awaitMore(true);
  expect(taken()).toEqual(['resume']);
  awaitMore(true);
  expect(taken()).toEqual([]);
});

test('it goes on after a time, or with another step, or when what it waits for comes', () => {
  const { waitFor, waitUntil, isSuspended, clock, taken, turn } = create();
  waitFor(50);
  clock.advance(49);
  expect([taken(), isSuspended()]).toEqual([['pause'], true]);
  clock.advance(1);
  expect([taken(), isSuspended()]).toEqual([['run'], false]);
  let others = 0;
  waitFor(50, () => others++);
  clock.advance(50);
  expect([others, taken()]).toEqual([1, []]);
  let come = (): void => {};
  waitUntil((then) => {
    come = then;
    return () => {};
  });
  come();
  expect(taken()).toEqual([]);
  turn();
  expect(taken()).toEqual(['run']);
});

test('between messages it is held back while too much of all peers is unread, unless something of it waits', () => {
  const { awaitMore, isHeldBack, world, taken } = create();
  world.isHeldBack = true;
  awaitMore(false);
  expect([isHeldBack(), taken()]).toEqual([false, []]);
  world.buffered = 1;
  awaitMore(true);
  expect([isHeldBack(), taken()]).toEqual([false, []]);
  world.buffered = 0;
  awaitMore(true);
  expect([isHeldBack(), taken()]).toEqual([true, ['pause']]);
  world.isHeldBack = false;
  awaitMore(true);
  expect([isHeldBack(), taken()]).toEqual([false, ['resume']]);
});

test('after closing nothing runs, and a wait is cancelled', () => {
  const { waitFor, proceedSoon, proceed, close, clock, taken, turn } = create();
  waitFor(50);
  close();
  clock.advance(50);
  proceedSoon();
  turn();
  proceed();
  expect(taken()).toEqual(['pause']);
  const other = create();
  let cancelled = 0;
  other.waitUntil(() => () => cancelled++);
  other.close();
  expect(cancelled).toBe(1);
});
