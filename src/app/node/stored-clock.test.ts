import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { createChainClock } from '../../base/timing/chain-clock.ts';
import { openSnapshots } from '../../ledger/snapshot/snapshots.ts';
import { registerChain } from '../../ledger/state/chain-number.ts';
import { openSharedMemory } from '../../ledger/state/shared-memory.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import { openStore } from '../../ledger/store/store.ts';
import { openDatabase } from '../platform/bun/database.ts';
import { connectStoredClock, createClockPart } from './stored-clock.ts';

const id = '01'.repeat(32) as Id;

function openClock() {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 1, genesis: id });
  openSharedMemory(store);
  registerChain(store, id, id);
  const clock = createChainClock({ unixSeconds: () => 1000n, unixNanos: () => 1_000_000_000_000n });
  connectStoredClock(store, clock);
  /** The clock as a start after a crash would read it. */
  const stored = () => store.db.prepare<{ value: string }>(`SELECT value FROM meta WHERE name = 'clock'`).get()?.value;
  return { store, clock, stored };
}

test('a revert restores the clock in its own transaction: a crash after the commit finds both', () => {
  const { store, clock, stored } = openClock();
  const crash = (): never => {
    throw new Error('killed');
  };
  const tip = () => ({ height: 0, time: 0 });
  const snapshots = openSnapshots({ store, parts: [createClockPart(store, clock)], tip });
  clock.advance(50n);
  snapshots.save('a');
  const saved = stored();
  clock.set(7n);
  clock.freeze();
  expect(stored()).not.toBe(saved);
  expect(() => snapshots.revert('a', { onReverted: crash })).toThrow('killed');
  expect(stored()).toBe(saved);
  expect(clock.read()).toEqual({ time: 1050n, offset: 50n, isFrozen: false });
});

test('a revert that fails leaves the clock as it was', () => {
  const { store, clock, stored } = openClock();
  clock.set(7n);
  const before = stored();
  expect(() =>
    store.revert(() => {
      createClockPart(store, clock).restoreRows?.('{"offset":"5"}');
      throw new Error('disk full');
    }),
  ).toThrow('disk full');
  expect([stored(), clock.unixSeconds()]).toEqual([before, 7n]);
});

test('the store is written only when the clock differs from it', () => {
  const { store, clock } = openClock();
  const changes = () => store.db.prepare<{ rows: number }>('SELECT total_changes() AS rows').get()?.rows;
  clock.set(7n);
  const before = changes();
  clock.set(7n);
  store.revert(() => {});
  // The epoch.
  expect(changes()).toBe((before ?? 0) + 1);
});
