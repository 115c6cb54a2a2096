import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import { warnUnlessLost } from './sole-writer.ts';

const failure = (reason: string) => new PostgresError(reason, { code: 'DATABASE_DOWN', reason });

function open() {
  const { timing, pass } = createVirtualTiming();
  const lease = Promise.withResolvers<string>();
  const warned: unknown[] = [];
  return { pass, lose: lease.resolve, warned, warn: warnUnlessLost(lease.promise, timing, (error) => void warned.push(error)) };
}

test('statements that fail because the connection of the lease is lost are no lines beside the one of the loss, before it and after it', async () => {
  const { pass, lose, warned, warn } = open();
  warn(failure('08006'));
  await pass(2000);
  lose('the connection was lost');
  warn(failure('lease lost'));
  await pass(10_000);
  expect(warned).toEqual([]);
});

test('while the lease is held, an error of the database is warned of when the loss would have been noticed, any other at once', async () => {
  const { pass, warned, warn } = open();
  const [full, wrong] = [failure('53100'), new Fault('a node of another network', { code: 'TEST_OTHER' })];
  warn(full);
  warn(wrong);
  expect(warned).toEqual([wrong]);
  await pass(2900);
  expect(warned).toEqual([wrong]);
  await pass(200);
  expect(warned).toEqual([wrong, full]);
});
