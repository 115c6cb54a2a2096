import { expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import type { Address } from '../../base/bytes/address.ts';
import { createDeliveryWindow, type Pending } from './delivery-window.ts';

const delivery = (id: number, ...subjects: string[]): Pending<number> => ({
  value: id,
  eventID: `${id}`,
  subjects: new Set(subjects as Address[]),
});
const barrier = (id: number): Pending<number> => ({ value: id, eventID: `${id}`, subjects: undefined });
const values = (started: readonly Pending<number>[]) => started.map(({ value }) => value);

test('starts deliveries of different addresses together, those of one address in order', () => {
  const window = createDeliveryWindow<number>('0');
  const all = [delivery(1, 'a'), delivery(2, 'a', 'b'), delivery(3, 'c'), delivery(4, 'b')];
  for (const one of all) window.add(one);
  expect(values(window.start(8))).toEqual([1, 3]);
  expect(window.start(8)).toEqual([]);
  window.finish(all[2] as Pending<number>);
  expect(window.position()).toBe('0');
  window.finish(all[0] as Pending<number>);
  expect(window.position()).toBe('1');
  expect(values(window.start(8))).toEqual([2]);
  window.fail(all[1] as Pending<number>);
  expect(values(window.start(8))).toEqual([2]);
  window.finish(all[1] as Pending<number>);
  expect(window.position()).toBe('3');
  expect(values(window.start(8))).toEqual([4]);
});

test('a revert waits for all before it, and all after it wait for the revert', () => {
  const window = createDeliveryWindow<number>('0');
  const all = [delivery(1, 'a'), barrier(2), delivery(3, 'b')];
  for (const one of all) window.add(one);
  expect(values(window.start(8))).toEqual([1]);
  window.finish(all[0] as Pending<number>);
  expect(values(window.start(8))).toEqual([2]);
  window.finish(all[1] as Pending<number>);
  expect(values(window.start(8))).toEqual([3]);
});

test('events that concern nobody move the position, but not past an unfinished delivery', () => {
  const window = createDeliveryWindow<number>('0');
  window.pass('5');
  expect([window.position(), window.last()]).toEqual(['5', '5']);
  const one = delivery(6, 'a');
  window.add(one);
  window.pass('9');
  expect([window.position(), window.last()]).toEqual(['5', '9']);
  window.start(1);
  window.finish(one);
  expect(window.position()).toBe('9');
});

test('random orders of success and failure keep the order of every address', () => {
  const { below } = createRandom(7);
  const window = createDeliveryWindow<number>('0');
  const finished: number[] = [];
  const all = Array.from({ length: 300 }, (_, i) =>
    below(20) === 0 ? barrier(i + 1) : delivery(i + 1, ...Array.from({ length: 1 + below(2) }, () => 'abcdef'[below(6)] as string)),
  );
  for (const one of all) window.add(one);
  let running: Pending<number>[] = [];
  while (finished.length < all.length) {
    running.push(...window.start(4));
    expect(running.length).toBeLessThanOrEqual(4);
    const one = running[below(running.length)] as Pending<number>;
    running = running.filter((other) => other !== one);
    if (below(3) === 0) window.fail(one);
    else {
      window.finish(one);
      finished.push(one.value);
    }
  }
  expect(window.position()).toBe('300');
  for (const subject of 'abcdef') {
    const concerns = ({ subjects }: Pending<number>) => subjects === undefined || subjects.has(subject as Address);
    const expected = values(all.filter(concerns));
    expect(finished.filter((value) => expected.includes(value))).toEqual(expected);
  }
});
