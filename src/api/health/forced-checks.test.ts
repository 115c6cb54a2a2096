import { expect, test } from 'bun:test';
import { shuttingDownCheck } from './checks.ts';
import { createForcedChecks } from './forced-checks.ts';
import { createHealth } from './health.ts';

const open = () => {
  const health = createHealth({ now: () => 0n, after: () => () => {}, interval: 1000 });
  return { health, checks: createForcedChecks(health) };
};

test('a check that is registered after its name was forced to fail takes the name over', async () => {
  const { health, checks } = open();
  await checks.force('shuttingDown', 'forced');
  await checks.force('shuttingDown', undefined);
  expect(health.report('health', []).healthy).toBeTrue();
  checks.register('health', 'shuttingDown', shuttingDownCheck);
  expect(health.report('health', []).checks.shuttingDown).toMatchObject({ error: 'server shutting down' });
});

test('a check stays forced to fail when it is registered', async () => {
  const { health, checks } = open();
  await checks.force('readers', 'forced');
  checks.register('health', 'readers', () => ({ details: {} }));
  expect(health.report('health', []).checks.readers).toMatchObject({ error: 'forced' });
  await checks.force('readers', undefined);
  expect(health.report('health', []).healthy).toBeTrue();
});

test('a name can be registered only once', () => {
  const { checks } = open();
  checks.register('health', 'X', () => ({}));
  expect(() => checks.register('health', 'X', () => ({}))).toThrow('duplicate check');
});
