import { expect, it } from 'bun:test';
import { cacheByVersion } from './memoize.ts';

it('a value is read again after a commit, and each time while the version is unknown', () => {
  let version: number | undefined = 1;
  let reads = 0;
  const cached = cacheByVersion(
    () => ++reads,
    () => version,
  );
  expect([cached(), cached()]).toEqual([1, 1]);
  version = 2;
  expect([cached(), cached()]).toEqual([2, 2]);
  version = undefined;
  expect([cached(), cached()]).toEqual([3, 4]);
  version = 2;
  expect(cached()).toBe(2);
});

it('a value is read again after a commit during the read', () => {
  let version = 1;
  const cached = cacheByVersion(
    () => version++,
    () => version,
  );
  expect([cached(), cached()]).toEqual([1, 2]);
});
