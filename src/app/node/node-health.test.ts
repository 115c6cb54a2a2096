import { expect, test } from 'bun:test';
import { watchVerdicts } from './node-health.ts';

test('a check runs again within a second after its verdict has changed, and not before', async () => {
  let tick = (): void => {};
  let [now, report] = [0, (): void => {}];
  const timers = {
    now: () => now,
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
    recheck: async (kind: string, name: string) => {
      rerun.push(`${kind} ${name} ${error}`);
    },
    onReport: (run: () => void) => {
      report = run;
    },
  };
  const checks = (['health', 'readiness'] as const).map((kind) => ({ kind, name: 'X', check: () => ({ error }) }));
  const stop = watchVerdicts(checks, health, timers);
  const next = async (failure: string | undefined): Promise<void> => {
    error = failure;
    now += 1000;
    tick();
    await Promise.resolve();
    await Promise.resolve();
  };
  for (const failure of [undefined, undefined, 'behind', 'behind', undefined]) await next(failure);
  const both = (failure: string | undefined) => [`health X ${failure}`, `readiness X ${failure}`];
  expect(rerun).toEqual([...both(undefined), ...both('behind'), ...both(undefined)]);
  // A report does not look again, unless the process was stopped.
  error = 'behind';
  report();
  expect(rerun).toHaveLength(6);
  now += 20_000;
  report();
  expect(rerun.splice(6)).toEqual(both('behind'));
  stop();
  await next('behind');
  expect(rerun).toHaveLength(6);
});
