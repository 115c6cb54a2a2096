import { expect, test } from 'bun:test';
import { watchVerdicts } from './node-health.ts';

test('a check runs again within a second after its verdict has changed, and not before', async () => {
  let tick = (): void => {};
  const timers = {
    after: (_: number, run: () => void) => {
      tick = run;
      return () => {
        tick = () => {};
      };
    },
  };
  const rerun: string[] = [];
  let error: string | undefined;
  const health = {
    recheck: async (_: string, name: string) => {
      rerun.push(`${name} ${error}`);
    },
  };
  const stop = watchVerdicts([{ name: 'X', check: () => (error === undefined ? {} : { error }) }], health, timers);
  const next = async (failure: string | undefined): Promise<void> => {
    error = failure;
    tick();
    await Promise.resolve();
    await Promise.resolve();
  };
  for (const failure of [undefined, undefined, 'behind', 'behind', undefined]) await next(failure);
  expect(rerun).toEqual(['X undefined', 'X behind', 'X undefined']);
  stop();
  await next('behind');
  expect(rerun).toHaveLength(3);
});
