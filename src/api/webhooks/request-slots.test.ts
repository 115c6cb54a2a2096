import { describe, expect, test } from 'bun:test';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { requestCounts } from './deliverer.ts';
import { createRequestSlots } from './request-slots.ts';

const operator = undefined;

/** Slots, and owners who use them for ever. Times are virtual. */
function open() {
  const { timing, pass } = createVirtualTiming();
  const slots = createRequestSlots(requestCounts, () => timing.now() / 1000);
  const running = new Map<string | undefined, number>();
  const finished = new Map<string | undefined, number>();
  const change = (counts: Map<string | undefined, number>, owner: string | undefined, by: number): void =>
    void counts.set(owner, (counts.get(owner) ?? 0) + by);
  /** Adds a request that takes some time, and another one when it is done. */
  const use = (owner: string | undefined, milliseconds: number): void =>
    slots.add(owner, async () => {
      change(running, owner, 1);
      await new Promise<void>((resolve) => void timing.after(milliseconds, resolve));
      change(running, owner, -1);
      change(finished, owner, 1);
      use(owner, milliseconds);
    });
  return {
    pass,
    longestWait: slots.longestWait,
    use: (owner: string | undefined, milliseconds: number, requests: number): void => {
      for (let i = 0; i < requests; i++) use(owner, milliseconds);
    },
    runningOf: (owner: string | undefined) => running.get(owner) ?? 0,
    finishedOf: (owner: string | undefined) => finished.get(owner) ?? 0,
  };
}

/** As many requests as the webhooks of an API key may have at a time. */
const ofAllWebhooks = 32 * 4;
const slow = 9900;

describe('requests of webhooks', () => {
  test('of the operator and of a key start at once while receivers of four other keys are slow', async () => {
    const { use, pass, finishedOf } = open();
    const slowKeys = ['a', 'b', 'c', 'd'];
    for (const key of slowKeys) use(key, slow, ofAllWebhooks);
    await pass(1000);
    use('quick', 5, 1);
    use(operator, 5, 1);
    await pass(1000);
    expect(finishedOf('quick')).toBeGreaterThanOrEqual(100);
    expect(finishedOf(operator)).toBeGreaterThanOrEqual(100);
    await pass(34_000);
    // All of them got turns.
    for (const key of slowKeys) expect(finishedOf(key)).toBeGreaterThanOrEqual(6);
  });

  test('of a key get their turn while receivers of fifty other keys are slow; the operator needs none', async () => {
    const { use, pass, finishedOf, longestWait } = open();
    for (let i = 0; i < 50; i++) use(`slow ${i}`, slow, ofAllWebhooks);
    await pass(100);
    use('quick', 5, 1);
    use(operator, 5, 1);
    await pass(1000);
    expect(finishedOf(operator)).toBeGreaterThanOrEqual(100);
    expect(longestWait()).toBeCloseTo(1.1, 1);
    await pass(30_000);
    expect(finishedOf('quick')).toBeGreaterThanOrEqual(1);
  });

  test('have limits: of all, of one key, of the keys together and of the operator', async () => {
    const { use, pass, runningOf } = open();
    use('a', slow, ofAllWebhooks);
    await pass(1);
    expect(runningOf('a')).toBe(requestCounts.ofKey);
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`);
    for (const key of keys) use(key, slow, 4);
    await pass(1);
    const { total, reserved } = requestCounts;
    const ofKeys = () => runningOf('a') + keys.reduce((sum, key) => sum + runningOf(key), 0);
    expect(ofKeys()).toBe(total - reserved);
    use(operator, slow, 100);
    await pass(1);
    expect(runningOf(operator)).toBe(reserved);

    const other = open();
    other.use(operator, slow, 100);
    await other.pass(1);
    expect(other.runningOf(operator)).toBe(total - reserved);
    other.use('a', 5, 1);
    await other.pass(100);
    expect(other.finishedOf('a')).toBeGreaterThanOrEqual(10);
  });
});
