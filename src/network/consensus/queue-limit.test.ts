import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createQueueLimit, type Room, takeTurn, unlimited } from './queue-limit.ts';

const [a, b, staker] = ['a', 'b', 'staker'] as unknown as [NodeId, NodeId, NodeId];
const room = (count: number, bytes = 1000): Room => ({ count, bytes });
const open = (limits: Partial<Record<'perPeer' | 'withoutStake' | 'all', Room>>) =>
  createQueueLimit({ perPeer: unlimited, withoutStake: unlimited, all: unlimited, ...limits }, (node) => node === staker);

test('a peer has room for so many items and bytes, whatever others have', () => {
  const limit = open({ perPeer: room(2, 10) });
  expect([limit.admit(a, 4), limit.admit(a, 6)].every((end) => end !== undefined)).toBe(true);
  expect(limit.admit(a, 0)).toBeUndefined();
  expect(limit.admit(b, 11)).toBeUndefined();
  expect(limit.admit(b, 10)).toBeDefined();
  expect(limit.waiting()).toEqual({ count: 3, bytes: 20 });
});

test('room is given back once, with the bytes of the message', () => {
  const limit = open({ perPeer: room(1) });
  let held = 0;
  const hold = () => {
    held++;
    return () => {
      held--;
    };
  };
  const end = limit.admit(a, 5, hold as never);
  expect([limit.admit(a, 1, hold as never), held]).toEqual([undefined, 1]);
  end?.();
  end?.();
  expect([held, limit.waiting()]).toEqual([0, { count: 0, bytes: 0 }]);
  expect(limit.admit(a, 1)).toBeDefined();
});

test('peers without stake share a room, and leave the rest to those with stake', () => {
  const limit = open({ withoutStake: room(2), all: room(3) });
  const first = limit.admit(a, 1);
  limit.admit(b, 1);
  expect(limit.admit(a, 1)).toBeUndefined();
  expect(limit.admit(staker, 1)).toBeDefined();
  expect(limit.admit(staker, 1)).toBeUndefined();
  first?.();
  expect(limit.admit(b, 1)).toBeDefined();
});

test('all is given back at once', () => {
  const limit = open({ all: room(2) });
  const end = limit.admit(a, 1);
  limit.admit(staker, 1);
  limit.clear();
  expect(limit.waiting()).toEqual({ count: 0, bytes: 0 });
  end?.();
  expect(limit.waiting()).toEqual({ count: 0, bytes: 0 });
  expect([limit.admit(a, 1), limit.admit(a, 1)].every((one) => one !== undefined)).toBe(true);
});

test('peers with stake have their turn first, the others one after the other', () => {
  const turns = new Map([
    [a, 1],
    [b, 2],
  ]);
  const hasStake = (node: NodeId) => node === staker;
  expect(takeTurn(turns, hasStake)).toEqual([a, 1]);
  expect(takeTurn(turns, hasStake)).toEqual([b, 2]);
  expect(takeTurn(turns, hasStake)).toEqual([a, 1]);
  turns.set(staker, 3);
  expect(takeTurn(turns, hasStake)).toEqual([staker, 3]);
  expect(takeTurn(turns, hasStake)).toEqual([staker, 3]);
  turns.delete(staker);
  expect(takeTurn(turns, hasStake)).toEqual([b, 2]);
  expect(takeTurn(new Map<NodeId, number>(), hasStake)).toBeUndefined();
});
