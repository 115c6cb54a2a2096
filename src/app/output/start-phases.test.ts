import { expect, test } from 'bun:test';
import { createStartPhases } from './start-phases.ts';

test('each phase lasts from the end of the one before', () => {
  let now = 150.4;
  const phases = createStartPhases(() => now);
  now = 200;
  phases.end('database');
  now = 290;
  phases.end('health checks');
  now = 1000;
  expect(phases.format()).toBe('ready in 290 ms: program 150, database 50, health checks 90');
});
