import { describe, expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { PendingTxs } from '../../chain/lifecycle/chain.ts';
import type { ChainEvent } from '../../chain/lifecycle/events.ts';
import { genesis, spend } from '../../chain/lifecycle/memory-chain.fixture.ts';
import { noPendingTxs } from '../../chain/lifecycle/pending-text.ts';
import { registerChain } from '../../ledger/state/chain-number.ts';
import { openSharedMemory } from '../../ledger/state/shared-memory.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import { openStore } from '../../ledger/store/store.ts';
import { openDatabase } from '../platform/bun/database.ts';
import { openChainSnapshots } from './chain-snapshots.ts';
import type { SnapshotChain } from './state-replacement.ts';

const ids = ['01', '02'].map((byte) => byte.repeat(32) as Id);

/** Two chains whose last block is the last row of their block table. */
function openTestSnapshots(
  onPause: () => Promise<void> | undefined = () => undefined,
  more: Partial<Parameters<typeof openChainSnapshots>[0]> = {},
) {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 1, genesis: ids[0] as Id });
  openSharedMemory(store);
  const calls: string[] = [];
  const published: ChainEvent[] = [];
  const processing = [0, 0];
  /** Mempool and wallet queue of the first chain, and how many transactions the mempool got back at a time. */
  const mempool: Tx[] = [];
  const walletQueue: Uint8Array[] = [];
  const parts: number[] = [];
  let clock = '0';
  const chains = ids.map((id, i) => {
    const table = `c${registerChain(store, id, id)}_block`;
    const height = store.db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${table}`);
    const lastAccepted = () => ({ id, height: BigInt(height.get()?.height ?? -1), time: 9n });
    const add = (at: number) =>
      store.db.exec(`INSERT INTO ${table} VALUES (${at}, x'${id.slice(0, 62)}0${at}', x'', 0, 0, 9, 0, 0, x'', 0, 0, 0, 0)`);
    const revertible = {
      processing: () => processing[i] as number,
      pending: () => (i === 0 ? { mempool: [...mempool], walletQueue: [...walletQueue] } : noPendingTxs),
      restorePending: (txs: readonly Tx[]) => {
        mempool.push(...txs);
        parts.push(txs.length);
      },
      mempool: { get: (id: Id) => mempool.find((tx) => tx.id === id) },
      continueAfterRevert: (pending: PendingTxs) => {
        calls.push(`continue ${i} at ${lastAccepted().height}`);
        mempool.length = 0;
        if (i === 0) walletQueue.splice(0, walletQueue.length, ...pending.walletQueue);
      },
    };
    return { spec: { id, aliases: [`chain ${i}`] }, lastAccepted, revertible, initialize: () => add(0), catchUpIndex: () => {}, add };
  });
  const snapshots = openChainSnapshots({
    nodeStore: { store, prepareRevert: () => void calls.push('prepare') },
    chains: chains as unknown as [SnapshotChain],
    events: { publish: (event) => void published.push(event), subscribe: () => () => {} },
    parts: [
      {
        name: 'clock',
        save: () => clock,
        restore: (text) => {
          clock = text;
        },
      },
    ],
    longWork: { begin: () => onPause },
    afterReset: () => void calls.push('fund'),
    ...more,
  });
  const setClock = (text: string): void => {
    clock = text;
  };
  return { snapshots, chains, calls, published, processing, clock: () => clock, setClock, mempool, walletQueue, parts, store };
}

test('a revert restores all chains and parts, then publishes one event per chain', async () => {
  const { snapshots, chains, calls, published, clock, setClock } = openTestSnapshots();
  for (const { initialize } of chains) initialize();
  chains[0]?.add(1);
  await snapshots.snapshot('a');
  for (const { add } of chains) add(2);
  setClock('100');
  expect(await snapshots.revert('a')).toMatchObject({ height: 1, time: 9 });
  expect(calls.slice(0, 3)).toEqual(['prepare', 'continue 0 at 1', 'continue 1 at 0']);
  expect(clock()).toBe('0');
  const event = { kind: 'reverted', blockTime: 9n, snapshot: 'a' };
  expect(published).toEqual([
    { kind: 'settings', changed: 'snapshots' },
    { ...event, chainID: ids[0], blockID: ids[0], height: 1n },
    { ...event, chainID: ids[1], blockID: ids[1], height: 0n },
  ] as never);
});

test('a reset publishes a revert to block 0 before the blocks of a fresh chain are added', async () => {
  const { snapshots, chains, calls, published } = openTestSnapshots();
  for (const { initialize, add } of chains) {
    initialize();
    add(1);
  }
  await snapshots.reset();
  expect(published.map((event) => ('height' in event ? [event.kind, event.height] : []))).toEqual([
    ['reverted', 0n],
    ['reverted', 0n],
  ]);
  // The chains continue from the added blocks.
  expect(calls.slice(calls.indexOf('fund'))).toEqual(['fund', ...calls.slice(-2)]);
  expect(calls.slice(-2).every((call) => call.startsWith('continue'))).toBe(true);
});

test('while a block is processing, nothing is saved or reverted', async () => {
  const { snapshots, chains, calls, published, processing } = openTestSnapshots();
  for (const { initialize } of chains) initialize();
  await snapshots.snapshot('a');
  processing[1] = 1;
  for (const attempt of [() => snapshots.snapshot('b'), () => snapshots.revert('a'), () => snapshots.reset()])
    await expect(attempt()).rejects.toThrow('chain chain 1 is processing a block; try again');
  expect([calls, published]).toEqual([[], [{ kind: 'settings', changed: 'snapshots' }]]);
});

test('a full mempool is saved and restored in parts, with what comes meanwhile, and in its order', async () => {
  const txs = Array.from({ length: 100 }, (_, i) => spend([[genesis.id, i]], `tx ${i}`, 60_000));
  let pauses = 0;
  const opened = openTestSnapshots(async () => {
    pauses++;
    // Between two parts of the first snapshot a block takes a transaction, and another one comes.
    if (pauses !== 2) return;
    opened.mempool.shift();
    opened.mempool.push(late);
  });
  const late = spend([[genesis.id, 500]], 'late');
  const { snapshots, chains, mempool, parts, published, store } = opened;
  for (const { initialize } of chains) initialize();
  mempool.push(...txs);
  await snapshots.snapshot('full');
  expect(pauses).toBeGreaterThan(4);
  const expected = [...txs.slice(1), late].map(({ id }) => id);
  expect(mempool.map(({ id }) => id)).toEqual(expected);
  const chunks = () => store.db.prepare<{ count: number }>('SELECT count(*) AS count FROM snapshot_chunk').get()?.count;
  expect(chunks()).toBeGreaterThan(4);
  for (let i = 0; i < 2; i++) {
    mempool.length = 0;
    pauses = 10;
    await snapshots.revert('full');
    expect(mempool.map(({ id }) => id)).toEqual(expected);
  }
  expect(Math.max(...parts)).toBeLessThanOrEqual(16);
  expect(pauses).toBeGreaterThan(100);
  expect(published.filter(({ kind }) => kind === 'pooled')).toHaveLength(200);
  await snapshots.deleteSnapshot('full');
  expect(chunks()).toBe(0);
});

test('snapshots, reverts and resets that are asked for at once run one after the other', async () => {
  const { snapshots, chains, mempool } = openTestSnapshots(() => new Promise((resolve) => setTimeout(resolve, 1)));
  for (const { initialize } of chains) initialize();
  mempool.push(...Array.from({ length: 40 }, (_, i) => spend([[genesis.id, i]], `tx ${i}`)));
  const [saved, , , reverted] = await Promise.all([
    snapshots.snapshot('a'),
    snapshots.reset(),
    snapshots.snapshot('b'),
    snapshots.revert('a'),
    snapshots.deleteSnapshot('b'),
  ]);
  expect([saved.name, reverted.height]).toEqual(['a', 0]);
  expect(mempool).toHaveLength(40);
  expect(snapshots.listSnapshots().map(({ name }) => name)).toEqual(['a']);
});

describe('a reorg', () => {
  /** Two chains at block 0, and block 1 on the first one. */
  async function openReorg(keepDeposits: () => () => void = () => () => {}) {
    const opened = openTestSnapshots(undefined, { reorgDepth: 1, keepDeposits });
    await opened.snapshots.reset();
    const [x] = opened.chains;
    x?.add(1);
    return { ...opened, height: () => x?.lastAccepted().height };
  }

  test('keeps the wallet queue', async () => {
    const { snapshots, walletQueue, height } = await openReorg();
    const { bytes } = spend([[genesis.id, 0]]);
    walletQueue.push(bytes);
    await snapshots.revertToBlock(0);
    expect([height(), walletQueue]).toEqual([0n, [bytes]]);
    await snapshots.reset();
    expect(walletQueue).toEqual([]);
  });

  test('is checked when the calls before it have ended; if the check fails, nothing is reverted', async () => {
    const { snapshots, height } = await openReorg();
    const order: string[] = [];
    const saving = snapshots.snapshot('a').then(() => order.push('saved'));
    const check = () => {
      order.push('checked');
      throw new Error('tip changed');
    };
    await expect(snapshots.revertToBlock(0, check)).rejects.toThrow('tip changed');
    await saving;
    expect([order, height()]).toEqual([['saved', 'checked'], 1n]);
  });

  test('reverts nothing if the deposits cannot be added in the same transaction', async () => {
    const { snapshots, height } = await openReorg(() => () => {
      throw new Error('disk failed');
    });
    await expect(snapshots.revertToBlock(0)).rejects.toThrow('disk failed');
    expect(height()).toBe(1n);
  });
});
