import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { createApiHub, eventLogIDOf } from './api-events.ts';
import type { PostgresSource } from './postgres-source.ts';

test('the ID of an event log stays the same between versions: clients continue by it', () => {
  expect(eventLogIDOf(new Uint8Array(32))).toBe('66687aadf862');
});

test('a stream ends when its key is no longer admitted', async () => {
  const id = '00'.repeat(32) as Id;
  const source = {
    sql: { dialect: 'postgres', all: async () => [{ height: 0 }] },
    chains: [{ number: 1, id }],
    served: { chains: [{ id, aliases: ['X'] }], network: { hrp: 'local' } },
    sealKey: new Uint8Array(32),
    consistency: { changes: () => 0, atLeast: async () => {} },
    onChange: () => () => {},
  } as unknown as PostgresSource;
  const seconds: (() => void)[] = [];
  const timers = {
    soon: (run: () => void) => void setImmediate(run),
    after: (ms: number, run: () => void) => (ms === 1000 ? void seconds.push(run) : undefined) ?? (() => {}),
  };
  const logError = (error: unknown): never => {
    throw error;
  };
  const hub = createApiHub({ timers } as Parameters<typeof createApiHub>[0], source, { longWork, logError });
  const subscriber = await hub.subscribe({ owners: undefined, assets: undefined, kinds: undefined }, undefined, async () => false);
  for (const run of seconds.splice(0)) run();
  await Bun.sleep(0);
  expect(subscriber?.hasEnded()).toBe(true);
  hub.close();
});
