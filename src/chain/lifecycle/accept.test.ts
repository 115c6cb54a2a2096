import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { appendBlocks, codeOf, openChain } from '../../ledger/state/open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from '../../ledger/state/random-chain.fixture.ts';
import { createAccept } from './accept.ts';
import { type ChainEvent, createEventBus } from './events.ts';

function setUp(writeIndex?: () => void) {
  const chain = openChain(openDatabase);
  const source = randomChain(3);
  appendBlocks(chain, source, 2);
  const reported: unknown[] = [];
  const bus = createEventBus((error) => reported.push(error));
  const events: ChainEvent[] = [];
  const accept = createAccept(chain.state, writeIndex, bus);
  const next = () => {
    const { inboundUtxos, ...block } = source.next(chain.state);
    if (inboundUtxos.length > 0) chain.store.write(() => chain.sharedMemory.put(chainID, otherChainID, inboundUtxos));
    return block;
  };
  return { ...chain, bus, events, reported, accept, next };
}

test('publishes every accepted block once, after its commit, in order', () => {
  const { accept, bus, next, state, close } = setUp();
  const seen: [height: bigint, stateHeight: bigint][] = [];
  bus.subscribe('accepted', (event) => {
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

test('publishes no event if the commit fails', () => {
  const { accept, bus, events, next, state, close } = setUp(() => {
    throw new RangeError('no space');
  });
  bus.subscribe('accepted', (event) => void events.push(event));
  expect(codeOf(() => accept([next()]))).toBe('STORE_FAILED');
  expect(events).toEqual([]);
  expect(state.height()).toBe(2n);
  close();
});

test('reports a listener that throws and calls the others; an ended subscription receives no more events', () => {
  const { accept, bus, events, reported, next, state, close } = setUp();
  bus.subscribe('accepted', () => {
    throw new RangeError('listener failed');
  });
  const unsubscribe = bus.subscribe('accepted', (event) => void events.push(event));
  accept([next()]);
  expect(reported).toHaveLength(1);
  expect(events).toHaveLength(1);
  unsubscribe();
  accept([next()]);
  expect(events).toHaveLength(1);
  expect(state.height()).toBe(4n);
  close();
});
