import { expect, test } from 'bun:test';
import { createSlots } from './mutex.ts';

test('at most `count` tasks run at a time, in order; a failed one frees its place', async () => {
  const slots = createSlots(2);
  const started: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const results = ends.map(({ promise }, i) =>
    slots(async () => {
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
