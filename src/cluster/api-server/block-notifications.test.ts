import { expect, test } from 'bun:test';
import type { ReadPosition } from '../hosts/read-position.ts';
import { listenForBlocks } from './block-notifications.ts';

const at = (height: number): ReadPosition => ({ heights: [height], revision: 0 });
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** A listener on hosts of which the primary is read, or a replica that gets blocks when the test says so. */
function open(readsPrimary: boolean) {
  const log: string[] = [];
  const waits: { readonly wanted: ReadPosition; readonly milliseconds: number; readonly end: PromiseWithResolvers<void> }[] = [];
  const state = { primary: at(1), isDown: false };
  let on = { onNotify: () => {}, onLost: () => {} };
  const listening = listenForBlocks({
    hosts: {
      readsPrimary: () => readsPrimary,
      primaryPosition: async () => {
        if (state.isDown) throw new Error('down');
        return state.primary;
      },
    } as unknown as Parameters<typeof listenForBlocks>[0]['hosts'],
    listen: ((channel: string, handlers: typeof on) => {
      log.push(channel);
      on = handlers;
      return () => void log.push('stop');
    }) as unknown as Parameters<typeof listenForBlocks>[0]['listen'],
    waitForHost: (wanted, milliseconds) => {
      const end = Promise.withResolvers<void>();
      waits.push({ wanted, milliseconds, end });
      return end.promise;
    },
    onOutdated: () => log.push('outdated'),
    onReached: () => log.push('reached'),
  });
  const [channel] = log.splice(0);
  return { ...listening, log, waits, state, channel, notify: () => on.onNotify(), lose: () => on.onLost() };
}

test('while the primary is read, a notification is reached at once', async () => {
  const { log, waits, notify, lose, isListening, covers, stop, channel } = open(true);
  expect([channel !== undefined, isListening(), covers(at(9))]).toEqual([true, false, false]);
  notify();
  expect([log, waits.length, isListening(), covers(at(0))]).toEqual([['outdated', 'reached'], 0, true, true]);
  lose();
  expect([log.at(-1), isListening(), covers(at(9))]).toEqual(['outdated', false, false]);
  stop();
  expect(log.at(-1)).toBe('stop');
});

test('a replica is waited for until it has what the primary had at the notification', async () => {
  const { log, waits, state, notify, covers } = open(false);
  state.primary = at(5);
  notify();
  expect([log, covers(at(9))]).toEqual([['outdated'], false]);
  await settle();
  expect([waits[0]?.wanted, waits[0]?.milliseconds]).toEqual([at(5), 1000]);
  waits[0]?.end.resolve();
  await settle();
  expect([log, covers(at(5)), covers(at(4))]).toEqual([['outdated', 'outdated', 'reached'], true, false]);
  // A primary that has lost commits does not take back what was announced.
  state.primary = at(3);
  notify();
  await settle();
  expect([waits[1]?.wanted, covers(at(9))]).toEqual([at(5), false]);
});

test('a primary that does not answer is not waited for', async () => {
  const { log, waits, state, notify, covers } = open(false);
  state.isDown = true;
  notify();
  await settle();
  expect([log, waits, covers(at(0))]).toEqual([['outdated', 'outdated', 'reached'], [], true]);
});
