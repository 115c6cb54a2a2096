import { describe, expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { flush, makeBlock, nodeId } from './engine.fixture.ts';
import { genesis, openEngine, other, parameters, peer, self } from './open-engine.fixture.ts';

test('the chain builds on the last accepted block from the start, and on the preferred one after a block is verified', async () => {
  const [a, b] = [makeBlock(genesis, 'a'), makeBlock(genesis, 'b')];
  const { vm, push } = openEngine([peer], [genesis, a]);
  expect(vm.preferences).toEqual([a.id]);
  const next = makeBlock(a, 'next');
  push(next);
  push(b);
  await flush();
  expect(vm.preferences).toEqual([a.id, next.id]);
});

describe('polls', () => {
  test('three answers in a row accept a block; a lone answer against it delays that', async () => {
    const { push, chits, take, vm, counters } = openEngine();
    const block = makeBlock(genesis, 'a');
    push(block);
    await flush();
    const answer = (id: Id): void => chits(id, take('pullQuery').at(-1)!);
    answer(block.id);
    answer(block.id);
    answer(genesis.id);
    answer(block.id);
    answer(block.id);
    expect(vm.calls).toEqual(['verify a']);
    answer(block.id);
    expect(vm.calls).toEqual(['verify a', 'accept a']);
    expect([counters.accepted, counters.issued.push_gossip]).toEqual([1, 1]);
    const { acceptedPolls, acceptedLatencies, polls } = counters;
    expect([acceptedPolls, acceptedLatencies.counts, polls.exhausted.count, polls.early_alpha.count]).toEqual([6, [1, 0, 0, 0, 0], 6, 0]);
  });
  test('no more polls are open than can still count', async () => {
    const { push, chits, take, vm } = openEngine([peer], [genesis], { ...parameters, concurrentRepolls: 4 });
    const block = makeBlock(genesis, 'a');
    push(block);
    await flush();
    const first = take('pullQuery');
    expect(first).toHaveLength(parameters.beta);
    for (const query of first) chits(block.id, query);
    expect([vm.calls, take('pullQuery')]).toEqual([['verify a', 'accept a'], []]);
  });
  test('of two siblings one is accepted, then the other rejected', async () => {
    const { push, chits, take, vm } = openEngine();
    const [a, b] = [makeBlock(genesis, 'a'), makeBlock(genesis, 'b')];
    push(a);
    push(b);
    await flush();
    for (let poll = 0; poll < 8 && !vm.calls.includes('accept b'); poll++) for (const query of take('pullQuery')) chits(b.id, query);
    expect(vm.calls).toEqual(['verify a', 'verify b', 'accept b', 'reject a']);
  });
  test('a vote for a block that is invalid here counts for its parent', async () => {
    const { push, chits, take, vm, invalid } = openEngine();
    const parent = makeBlock(genesis, 'a');
    const child = makeBlock(parent, 'bad');
    push(parent);
    await flush();
    push(child);
    await flush();
    for (let poll = 0; poll < 4; poll++) {
      for (const query of take('pullQuery')) chits(child.id, query);
      await flush();
    }
    expect(vm.calls).toEqual(['verify a', 'accept a']);
    // It is not verified again with each vote.
    expect(invalid).toEqual([child.id]);
  });
  test('a voter that does not answer votes for what it said it had accepted', async () => {
    const { push, chits, take, vm, engine } = openEngine();
    const block = makeBlock(genesis, 'a');
    push(block);
    await flush();
    chits(block.id, take('pullQuery').at(-1)!, peer, block);
    for (let poll = 0; poll < 3; poll++) for (const { requestId } of take('pullQuery')) engine.failed(peer, requestId, 'chits');
    expect(vm.calls).toEqual(['verify a', 'accept a']);
  });
  test('without enough connected stake nobody is asked', async () => {
    const { push, take } = openEngine([peer, other, nodeId(4), nodeId(5)]);
    const few = openEngine([]);
    push(makeBlock(genesis, 'a'));
    few.push(makeBlock(genesis, 'a'));
    await flush();
    expect(take('pullQuery').length).toBeGreaterThan(0);
    expect(few.take('pullQuery')).toEqual([]);
  });
  test('an idle engine asks one validator for its frontier and follows what it names', async () => {
    const { timers, take, chits, put, vm } = openEngine();
    timers.advance(parameters.frontierPollInterval);
    const [query] = take('pullQuery');
    expect([query?.containerId, query?.requestedHeight]).toEqual([genesis.id, 1n]);
    const block = makeBlock(genesis, 'a');
    chits(block.id, query!);
    put(block, take('get')[0]!.requestId);
    await flush();
    expect(vm.calls).toEqual(['verify a']);
    expect(take('pullQuery')).toHaveLength(1);
  });
});

test('an answer tells what a validator had when it was asked: one that waited while this process was stopped is old', () => {
  const { timers, take, chits, engine } = openEngine();
  const heardAt = () => engine.state().majority().heardAt;
  timers.advance(parameters.frontierPollInterval);
  const [before] = take('pullQuery');
  const asked = timers.now();
  timers.advance(20_000);
  chits(genesis.id, before!);
  expect(heardAt()).toBe(asked);
  const [after] = take('pullQuery').slice(-1);
  chits(genesis.id, after!);
  expect(heardAt()).toBe(timers.now());
  // Nobody was asked for this one.
  timers.advance(50);
  chits(genesis.id, { requestId: 12_345 });
  expect(heardAt()).toBe(timers.now() - 50);
});

test('a validator to which nothing is pushed asks less often; a node without stake gets nothing pushed, and does not', () => {
  const peers = Array.from({ length: 9 }, (_, i) => nodeId(10 + i));
  /** Questions in 30 ticks. The node may ask itself, which is not sent. */
  const countAsked = (validators: readonly NodeId[]): number => {
    const { timers, take } = openEngine(validators);
    for (let tick = 0; tick < 30; tick++) timers.advance(parameters.frontierPollInterval);
    return take('pullQuery').length;
  };
  expect(countAsked([...peers, self])).toBeWithin(10, 18);
  expect(countAsked(peers)).toBe(30);
});

test('an error while a decided block is executed stops the engine and is reported once', async () => {
  const { push, chits, take, vm, fatal } = openEngine();
  const failing = vm as { accept: (ids: readonly Id[]) => void };
  failing.accept = () => {
    throw new Error('disk full');
  };
  const block = makeBlock(genesis, 'a');
  push(block);
  await flush();
  for (let poll = 0; poll < 6; poll++) for (const query of take('pullQuery')) chits(block.id, query);
  expect(fatal.map(String)).toEqual(['Error: disk full']);
});

test('an engine that has stopped is not told of transactions any more', () => {
  const { engine, vm } = openEngine();
  expect(vm.workListeners).toHaveLength(1);
  engine.stop();
  expect(vm.workListeners).toHaveLength(2);
  expect(vm.workListeners[1]).not.toBe(vm.workListeners[0]);
});
