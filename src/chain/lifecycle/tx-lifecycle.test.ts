import { expect, test } from 'bun:test';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { createEventBus } from './events.ts';
import { ChainError } from './fault.ts';
import { genesis, other, spend } from './memory-chain.fixture.ts';
import { createTxLifecycle, maxTxs } from './tx-lifecycle.ts';

const [chainID, otherChain] = [idOf(Uint8Array.of(1)), idOf(Uint8Array.of(2))];

/** A record whose clock goes on by a millisecond with each step. */
function openLifecycle() {
  const events = createEventBus((error) => {
    throw error;
  });
  let time = 1_700_000_000_000_000_000n;
  const lifecycle = createTxLifecycle(chainID, events, () => {
    time += 1_000_000n;
    return time;
  });
  const namesOf = (txID: Id) => lifecycle.stepsOf(txID)?.map(({ step }) => step);
  return { events, lifecycle, namesOf };
}

test('the steps of the newest 10,000 transactions are kept, of each the first and the newest 15', () => {
  const { lifecycle } = openLifecycle();
  expect(maxTxs).toBe(10_000);
  const ids = Array.from({ length: maxTxs + 1 }, (_, i) => i.toString(16).padStart(64, '0') as Id);
  for (const id of ids) lifecycle.record(id, 'received');
  const [oldest, second, newest] = [ids[0], ids[1], ids.at(-1)] as [Id, Id, Id];
  expect([oldest, second, newest].map((id) => lifecycle.stepsOf(id)?.length)).toEqual([undefined, 1, 1]);
  for (let i = 0; i < 20; i++) lifecycle.record(newest, 'verified');
  const times = lifecycle.stepsOf(newest)?.map(({ time }) => time) as bigint[];
  expect(times).toHaveLength(16);
  expect(Number((times[15] as bigint) - (times[0] as bigint)) / 1e6).toBe(20);
});

test('steps come from the events of the own chain; a revert clears steps and latencies, and keeps drops', () => {
  const { events, lifecycle, namesOf } = openLifecycle();
  const [tx, dropped] = [spend([[genesis.id, 0]]), spend([[other, 0]])];
  const reason = new ChainError('mempool is full', { code: 'MEMPOOL_FULL', txID: '', size: 1, available: 0 });
  events.publish({ kind: 'pooled', chainID: otherChain, tx });
  events.publish({ kind: 'dropped', chainID: otherChain, tx, reason });
  expect([namesOf(tx.id), lifecycle.pooledAt(tx), lifecycle.drops.find(tx.id)]).toEqual([undefined, undefined, undefined]);
  lifecycle.record(tx.id, 'received');
  events.publish({ kind: 'pooled', chainID, tx });
  const accepted = (of: Id) => ({ kind: 'accepted', chainID: of, stored: { block: { height: 1n, id: other, txs: [tx, dropped] } } });
  for (const of of [otherChain, chainID]) events.publish(accepted(of) as never);
  events.publish({ kind: 'dropped', chainID, tx: dropped, reason });
  lifecycle.recordRefused(dropped, reason);
  expect(namesOf(tx.id)).toEqual(['received', 'pooled', 'accepted']);
  expect(namesOf(dropped.id)).toEqual(['accepted', 'dropped', 'refused']);
  expect(lifecycle.pooledAt(tx)).toBe(lifecycle.stepsOf(tx.id)?.[1]?.time as bigint);
  // Only the transaction that was received here has a latency.
  expect(lifecycle.latency().count).toBe(1);
  const reverted = (of: Id) => ({ kind: 'reverted', chainID: of, height: 0n, blockID: other, blockTime: 0n, snapshot: '' }) as const;
  events.publish(reverted(otherChain));
  expect(namesOf(tx.id)).toHaveLength(3);
  events.publish(reverted(chainID));
  expect([namesOf(tx.id), lifecycle.pooledAt(tx), lifecycle.latency().count]).toEqual([undefined, undefined, 0]);
  expect(lifecycle.drops.list(undefined, 10).map(({ stage }) => stage)).toEqual(['refused', 'dropped']);
});
