import { describe, expect, test } from 'bun:test';
import { createSlots } from './slots.ts';
import { createVirtualTiming } from './virtual-timing.fixture.ts';

test('at most `count` tasks run at a time, in order; a failed one frees its place', async () => {
  const { run } = createSlots({ total: 2 });
  const started: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const results = ends.map(({ promise }, i) =>
    run(async () => {
      started.push(i);
      await promise;
    }).catch(() => 'failed'),
  );
  const settle = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  await settle();
  expect(started).toEqual([0, 1]);
  ends[1]?.reject(new Error('no'));
  await settle();
  expect(started).toEqual([0, 1, 2]);
  ends[0]?.resolve();
  ends[2]?.resolve();
  await settle();
  expect(started).toEqual([0, 1, 2, 3, 4]);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all(results)).toEqual([undefined, 'failed', undefined, undefined, undefined]);
});

/** Those of webhooks, whose owners are API keys. */
const counts = { total: 32, reserved: 8, ofOwner: 8 };

/** Slots, and owners that start a new task whenever one ends. Time is virtual. */
function open() {
  const { timing, pass } = createVirtualTiming();
  const slots = createSlots(counts, () => timing.now() / 1000);
  const running = new Map<string | undefined, number>();
  const finished = new Map<string | undefined, number>();
  const change = (tasks: Map<string | undefined, number>, owner: string | undefined, by: number): void =>
    void tasks.set(owner, (tasks.get(owner) ?? 0) + by);
  /** Adds a task that takes some time, and another one when it is done. */
  const use = (owner: string | undefined, milliseconds: number): void =>
    void slots.run(async () => {
      change(running, owner, 1);
      await new Promise<void>((resolve) => void timing.after(milliseconds, resolve));
      change(running, owner, -1);
      change(finished, owner, 1);
      use(owner, milliseconds);
    }, owner);
  return {
    pass,
    longestWait: slots.longestWait,
    use: (owner: string | undefined, milliseconds: number, tasks: number): void => {
      for (let i = 0; i < tasks; i++) use(owner, milliseconds);
    },
    runningOf: (owner: string | undefined) => running.get(owner) ?? 0,
    finishedOf: (owner: string | undefined) => finished.get(owner) ?? 0,
  };
}

/** More tasks of one owner than it gets slots. */
const many = 128;
const slow = 9900;

describe('tasks of owners', () => {
  test('start at once while those of four other owners are slow; so do tasks without an owner', async () => {
    const { use, pass, finishedOf } = open();
    const slowOwners = ['a', 'b', 'c', 'd'];
    for (const owner of slowOwners) use(owner, slow, many);
    await pass(1000);
    use('quick', 5, 1);
    use(undefined, 5, 1);
    await pass(1000);
    expect(finishedOf('quick')).toBeGreaterThanOrEqual(100);
    expect(finishedOf(undefined)).toBeGreaterThanOrEqual(100);
    await pass(34_000);
    // All of them got turns.
    for (const owner of slowOwners) expect(finishedOf(owner)).toBeGreaterThanOrEqual(6);
  });

  test('get their turn while those of fifty other owners are slow; tasks without an owner need none', async () => {
    const { use, pass, finishedOf, longestWait } = open();
    for (let i = 0; i < 50; i++) use(`slow ${i}`, slow, many);
    await pass(100);
    use('quick', 5, 1);
    use(undefined, 5, 1);
    await pass(1000);
    expect(finishedOf(undefined)).toBeGreaterThanOrEqual(100);
    expect(longestWait()).toBeCloseTo(1.1, 1);
    await pass(30_000);
    expect(finishedOf('quick')).toBeGreaterThanOrEqual(1);
  });

  test('have limits: of all, of one owner, of the owners together; so have tasks without an owner', async () => {
    const { use, pass, runningOf } = open();
    use('a', slow, many);
    await pass(1);
    expect(runningOf('a')).toBe(counts.ofOwner);
    const owners = Array.from({ length: 40 }, (_, i) => `owner ${i}`);
    for (const owner of owners) use(owner, slow, 4);
    await pass(1);
    const { total, reserved } = counts;
    const ofOwners = () => runningOf('a') + owners.reduce((sum, owner) => sum + runningOf(owner), 0);
    expect(ofOwners()).toBe(total - reserved);
    use(undefined, slow, 100);
    await pass(1);
    expect(runningOf(undefined)).toBe(reserved);

    const other = open();
    other.use(undefined, slow, 100);
    await other.pass(1);
    expect(other.runningOf(undefined)).toBe(total - reserved);
    other.use('a', 5, 1);
    await other.pass(100);
    expect(other.finishedOf('a')).toBeGreaterThanOrEqual(10);
  });
});
