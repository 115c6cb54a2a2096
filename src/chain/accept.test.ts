import { expect, test } from 'bun:test';
import { openDatabase } from '../platform/database-bun.ts';
import { codeOf, grow, openChain } from '../state/grow.fixture.ts';
import { chainID, peerID, randomChain } from '../state/random-chain.fixture.ts';
import { createAccept } from './accept.ts';
import { type ChainEvent, createEventBus } from './events.ts';

function setUp(writeIndex?: () => void) {
  const chain = openChain(openDatabase);
  const source = randomChain(3);
  grow(chain, source, 2);
  const reported: unknown[] = [];
  const bus = createEventBus((error) => reported.push(error));
  const events: ChainEvent[] = [];
  const accept = createAccept(chain.state, writeIndex, bus);
  const next = () => {
    const { puts, ...block } = source.next(chain.state);
    if (puts.length > 0) chain.store.write(() => chain.memory.put(chainID, peerID, puts));
    return block;
  };
  return { ...chain, bus, events, reported, accept, next };
}

test('every accepted block is published once, after its commit, in order', () => {
  const { accept, bus, next, state, close } = setUp();
  const seen: [height: bigint, stateHeight: bigint][] = [];
  bus.subscribe((event) => {
    seen.push([event.stored.block.height, state.height()]);
  });
  accept([next()]);
  accept([next()]);
  expect(seen).toEqual([
    [3n, 3n],
    [4n, 4n],
  ]);
  close();
});

test('a commit that fails publishes nothing', () => {
  const { accept, bus, events, next, state, close } = setUp(() => {
    throw new RangeError('no space');
  });
  bus.subscribe((event) => void events.push(event));
  expect(codeOf(() => accept([next()]))).toBe('STORE_FAILED');
  expect(events).toEqual([]);
  expect(state.height()).toBe(2n);
  close();
});

test('a listener that throws is reported and stops nobody; one that left hears nothing more', () => {
  const { accept, bus, events, reported, next, state, close } = setUp();
  bus.subscribe(() => {
    throw new RangeError('listener failed');
  });
  const leave = bus.subscribe((event) => void events.push(event));
  accept([next()]);
  expect(reported).toHaveLength(1);
  expect(events).toHaveLength(1);
  leave();
  accept([next()]);
  expect(events).toHaveLength(1);
  expect(state.height()).toBe(4n);
  close();
});
