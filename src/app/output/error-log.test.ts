import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { createLog } from '../../base/log/log.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createErrorLog } from './error-log.ts';

test('20 errors a second are written; further ones are counted by their messages, in one line', async () => {
  const { timing, pass } = createVirtualTiming();
  const lines: string[] = [];
  const log = createLog(
    (line, level) => void lines.push(`${level} ${line}`),
    () => 'info',
  );
  const logError = createErrorLog({ log, timers: timing }, 'reader: ');
  const damaged = new Fault('the database is damaged', { code: 'STATE_DAMAGED' });
  for (let i = 0; i < 3000; i++) logError(damaged);
  for (let i = 0; i < 40; i++) logError(new Error(`a bug in call ${i}\nsecond line`));
  expect(lines).toEqual(new Array(20).fill('warn reader: the database is damaged'));
  await pass(1000);
  expect(lines.slice(20)).toEqual([
    'warn reader: 3020 more errors: the database is damaged 2980, a bug in call 0 1, a bug in call 1 1, a bug in call 2 1, a bug in call 3 1, a bug in call 4 1, other 35',
  ]);
  logError(new Error('later'));
  expect(lines.at(-1)).toStartWith('error reader: Error: later\n    at ');
  await pass(1000);
  expect(lines).toHaveLength(22);
});
