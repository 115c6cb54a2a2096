import { expect, test } from 'bun:test';
import { atOneEpoch } from './one-epoch.ts';

/** Work that runs while the chain is reverted once: the first run ends as told, the second one returns. */
const runDuringRevert = async (end: 'returns' | 'throws') => {
  let epoch = 0;
  const started: number[] = [];
  const result = await atOneEpoch(
    () => epoch,
    async (at) => {
      started.push(at);
      await Promise.resolve();
      if (at > 0) return 'after the revert';
      epoch = 1;
      if (end === 'throws') throw new Error('the row is gone');
      return 'before the revert';
    },
  );
  return { result, started };
};

test.each(['returns', 'throws'] as const)('work that %s after a revert runs again', async (end) => {
  expect(await runDuringRevert(end)).toEqual({ result: 'after the revert', started: [0, 1] });
});

test('an error without a revert is thrown, after one run', async () => {
  let runs = 0;
  const work = async () => {
    runs++;
    throw new Error('damaged');
  };
  await expect(atOneEpoch(() => 7, work)).rejects.toThrow('damaged');
  expect(runs).toBe(1);
});
