import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { ChainEvent } from '../../chain/lifecycle/events.ts';
import { registerChain } from '../../ledger/state/chain-number.ts';
import { openSharedMemory } from '../../ledger/state/shared-memory.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import { openStore } from '../../ledger/store/store.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { openChainSnapshots, type SnapshotChain } from './chain-snapshots.ts';

const ids = ['01', '02'].map((byte) => byte.repeat(32) as Id);

/** Two chains whose last block is the last row of their block table. */
function openTestSnapshots() {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 1, genesis: ids[0] as Id });
  openSharedMemory(store);
  const calls: string[] = [];
  const published: ChainEvent[] = [];
  const processing = [0, 0];
  let clock = '0';
  const chains = ids.map((id, i) => {
    const table = `c${registerChain(store, id, id)}_block`;
    const height = store.db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${table}`);
    const lastAccepted = () => ({ id, height: BigInt(height.get()?.height ?? -1), time: 9n });
    const add = (at: number) => store.db.exec(`INSERT INTO ${table} VALUES (${at}, x'${id.slice(0, 62)}0${at}', x'', 0, 0, 9, 0)`);
    const revertible = {
      processing: () => processing[i] as number,
      pending: () => ({ mempool: [], walletQueue: [] }),
      continueAfterRevert: () => void calls.push(`continue ${i} at ${lastAccepted().height}`),
    };
    return { spec: { id, aliases: [`chain ${i}`] }, lastAccepted, revertible, initialize: () => add(0), catchUpIndex: () => {}, add };
  });
  const snapshots = openChainSnapshots({
    nodeStore: { store, prepareRevert: () => void calls.push('prepare') },
    chains: chains as unknown as [SnapshotChain],
    events: { publish: (event) => void published.push(event) },
    parts: [
      {
        name: 'clock',
        save: () => clock,
        restore: (text) => {
          clock = text;
        },
      },
    ],
    afterReset: () => void calls.push('fund'),
  });
  const setClock = (text: string): void => {
    clock = text;
  };
  return { snapshots, chains, calls, published, processing, clock: () => clock, setClock };
}

test('a revert restores all chains and parts, then publishes one event per chain', () => {
  const { snapshots, chains, calls, published, clock, setClock } = openTestSnapshots();
  for (const { initialize } of chains) initialize();
  chains[0]?.add(1);
  snapshots.snapshot('a');
  for (const { add } of chains) add(2);
  setClock('100');
  expect(snapshots.revert('a')).toMatchObject({ height: 1, time: 9 });
  expect(calls.slice(0, 3)).toEqual(['prepare', 'continue 0 at 1', 'continue 1 at 0']);
  expect(clock()).toBe('0');
  const event = { kind: 'reverted', blockTime: 9n, snapshot: 'a' };
  expect(published).toEqual([
    { ...event, chainID: ids[0], blockID: ids[0], height: 1n },
    { ...event, chainID: ids[1], blockID: ids[1], height: 0n },
  ] as never);
});

test('a reset publishes a revert to block 0 before the blocks of a fresh chain are added', () => {
  const { snapshots, chains, calls, published } = openTestSnapshots();
  for (const { initialize, add } of chains) {
    initialize();
    add(1);
  }
  snapshots.reset();
  expect(published.map((event) => ('height' in event ? [event.kind, event.height] : []))).toEqual([
    ['reverted', 0n],
    ['reverted', 0n],
  ]);
  // The chains continue from the added blocks.
  expect(calls.slice(calls.indexOf('fund'))).toEqual(['fund', ...calls.slice(-2)]);
  expect(calls.slice(-2).every((call) => call.startsWith('continue'))).toBe(true);
});

test('while a block is processing, nothing is saved or reverted', () => {
  const { snapshots, chains, calls, published, processing } = openTestSnapshots();
  for (const { initialize } of chains) initialize();
  snapshots.snapshot('a');
  processing[1] = 1;
  for (const attempt of [() => snapshots.snapshot('b'), () => snapshots.revert('a'), () => snapshots.reset()])
    expect(attempt).toThrow('chain chain 1 is processing a block; try again');
  expect([calls, published]).toEqual([[], []]);
});
