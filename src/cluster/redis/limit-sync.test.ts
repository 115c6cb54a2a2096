import { expect, test } from 'bun:test';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createLimitSync } from './limit-sync.ts';

test('a closed process leaves the list of processes and does not come back', async () => {
  const { timing, pass } = createVirtualTiming();
  const commands: string[] = [];
  const redis = {
    send: async (command: string) => {
      commands.push(command);
      return ['epoch', 0, 1, '0-0', []];
    },
    getBytes: async () => undefined,
    close: () => {},
  };
  const sync = createLimitSync({ redis, id: 'process', countAdmitted: () => {}, after: timing.after });
  sync.start();
  await pass(170);
  expect(commands).toEqual(['EVALSHA', 'EVALSHA', 'EVALSHA']);
  await sync.close();
  await pass(1000);
  expect(commands.slice(3)).toEqual(['EVALSHA', 'ZREM']);
});
