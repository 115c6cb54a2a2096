import { expect, it } from 'bun:test';
import { cacheByVersion, openOnUse } from './memoize.ts';

it('what is opened on use is opened once, and again after a failure', async () => {
  let opened = 0;
  let isBroken = true;
  const used = openOnUse(async () => {
    opened++;
    if (isBroken) throw new TypeError('no');
    return opened;
  });
  expect([await used.current(), opened]).toEqual([undefined, 0]);
  const failing = [used.get(), used.get()].map((one) => one.catch(() => 'failed'));
  expect([await used.current(), await Promise.all(failing), opened]).toEqual([undefined, ['failed', 'failed'], 1]);
  isBroken = false;
  expect([await Promise.all([used.get(), used.get()]), await used.current(), opened]).toEqual([[2, 2], 2, 2]);
});

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
