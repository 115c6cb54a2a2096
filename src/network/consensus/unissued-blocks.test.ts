import { describe, expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { engineLimits } from './engine-parameters.ts';
import { createUnissuedBlocks, requestPatience } from './unissued-blocks.ts';

const [alice, bob] = ['a', 'b'] as unknown as [NodeId, NodeId];
const idOf = (number: number): Id => `${number}`.padStart(64, '0') as Id;
const blockOf = (number: number, size = 1): EngineBlock => ({ id: idOf(number), bytes: new Uint8Array(size) }) as unknown as EngineBlock;

function create() {
  let time = 0;
  const blocks = createUnissuedBlocks({ now: () => time }, () => true);
  const setTime = (value: number): void => {
    time = value;
  };
  return { ...blocks, setTime };
}

describe('requested blocks', () => {
  const request = (node: NodeId, requestId: number, block: number) =>
    ({ node, requestId, blockId: idOf(block), source: 'unknown' }) as const;

  test('are found by peer and request until they are removed, whoever was asked', () => {
    const { requested } = create();
    for (const one of [request(alice, 1, 7), request(bob, 2, 7), request(alice, 2, 8)]) expect(requested.add(one)).toBe(true);
    expect([requested.find(alice, 1)?.blockId, requested.find(bob, 2)?.blockId, requested.find(alice, 3)]).toEqual([
      idOf(7),
      idOf(7),
      undefined,
    ]);
    expect([requested.find(bob, 1), requested.count()]).toEqual([undefined, 2]);
    requested.remove(idOf(7));
    requested.remove(idOf(9));
    expect([requested.has(idOf(7)), requested.has(idOf(8)), requested.count()]).toEqual([false, true, 1]);
    expect([requested.find(alice, 1), requested.find(bob, 2), requested.find(alice, 2)?.blockId]).toEqual([undefined, undefined, idOf(8)]);
  });

  test('stay requested while one of the asked peers may still answer', () => {
    const { requested } = create();
    const [first, second] = [request(alice, 1, 7), request(bob, 2, 7)];
    requested.add(first);
    requested.add(second);
    expect([requested.fail(first), requested.has(idOf(7)), requested.find(alice, 1)]).toEqual([true, true, undefined]);
    expect([requested.fail(first), requested.fail(second), requested.has(idOf(7)), requested.fail(second)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('are overdue after half a second without an answer, until four peers were asked', () => {
    const { requested, setTime } = create();
    const requests = ['p', 'q', 'r', 's'].map((name, i) => request(name as unknown as NodeId, i, 7));
    for (const [i, one] of requests.entries()) {
      const start = 1000 * i;
      setTime(start);
      requested.add(one);
      setTime(start + requestPatience - 1);
      expect(requested.overdue()).toEqual([]);
      setTime(start + requestPatience);
      const asked = requests.slice(0, i + 1).map(({ node }) => node);
      expect(requested.overdue() as unknown[]).toEqual(i < 3 ? [{ first: requests[0], asked }] : []);
    }
  });

  test('of one peer are limited; what is removed makes room', () => {
    const { requested } = create();
    let count = 0;
    while (count < 1000 && requested.add(request(alice, count, count))) count++;
    expect([count, requested.count()]).toEqual([engineLimits.blockRequests.perPeer.count, count]);
    requested.remove(idOf(0));
    expect([requested.add(request(alice, count, count)), requested.add(request(alice, count + 1, count + 1))]).toEqual([true, false]);
  });
});

describe('pending blocks', () => {
  test('are found until they are removed, and limited by their bytes', () => {
    const { pending } = create();
    const block = blockOf(1, 100);
    expect([pending.add(alice, block), pending.get(idOf(1)) === block, pending.has(idOf(2)), pending.count()]).toEqual([
      true,
      true,
      false,
      1,
    ]);
    pending.remove(idOf(1));
    pending.remove(idOf(1));
    expect([pending.has(idOf(1)), pending.count()]).toEqual([false, 0]);
    const huge = 2 ** 20;
    let count = 0;
    while (count < 1000 && pending.add(alice, blockOf(count, huge))) count++;
    expect(count).toBe(engineLimits.pendingBlocks.perPeer.bytes / huge);
    pending.remove(idOf(0));
    expect(pending.add(alice, blockOf(0, huge))).toBe(true);
  });
});

describe('unverified blocks', () => {
  test('are bounded by number: the least recently used is removed', () => {
    const { unverified } = create();
    for (let i = 0; i < engineLimits.unverifiedBlocks; i++) unverified.add(blockOf(i));
    expect(unverified.get(idOf(0))?.id).toBe(idOf(0));
    unverified.add(blockOf(-1 + 10 ** 6));
    expect([unverified.count(), unverified.get(idOf(0))?.id, unverified.get(idOf(1))]).toEqual([
      engineLimits.unverifiedBlocks,
      idOf(0),
      undefined,
    ]);
  });

  test('are bounded by bytes, also if one is added twice or removed', () => {
    const { unverified } = create();
    const half = engineLimits.unverifiedBytes / 2;
    for (let i = 0; i < 5; i++) unverified.add(blockOf(1, half));
    unverified.add(blockOf(2, half));
    expect(unverified.count()).toBe(2);
    unverified.add(blockOf(3, 1));
    expect([unverified.count(), unverified.get(idOf(1))]).toEqual([2, undefined]);
    unverified.remove(idOf(2));
    unverified.remove(idOf(2));
    unverified.add(blockOf(4, half));
    unverified.add(blockOf(5, half - 1));
    expect(unverified.count()).toBe(3);
    unverified.add(blockOf(6, engineLimits.unverifiedBytes + 1));
    expect(unverified.count()).toBe(0);
  });
});

test('a refused block is left for a quarter of a second, then twice as long up to a second', () => {
  const { refused, setTime } = create();
  const pauses: number[] = [];
  for (let i = 0, start = 0; i < 4; i++, start += 10_000) {
    setTime(start);
    refused.add(idOf(1));
    let length = 0;
    while (refused.isPaused(idOf(1))) setTime(start + ++length);
    pauses.push(length);
  }
  expect([pauses, refused.isPaused(idOf(2))]).toEqual([[250, 500, 1000, 1000], false]);
  refused.add(idOf(1));
  refused.remove(idOf(1));
  expect(refused.isPaused(idOf(1))).toBe(false);
  for (let i = 0; i < 1025; i++) refused.add(idOf(i));
  expect([refused.isPaused(idOf(0)), refused.isPaused(idOf(1))]).toEqual([false, true]);
});
