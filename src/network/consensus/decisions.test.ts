import { expect, test } from 'bun:test';
import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Consensus, Decision } from '../snowman/consensus.ts';
import type { Votes } from '../snowman/votes.ts';
import { createDecisions } from './decisions.ts';
import { createTestTimers, makeBlock } from './engine.fixture.ts';
import { createEngineCounters } from './engine-counters.ts';

const genesis = makeBlock(undefined, 'g');
const [first, sibling] = [makeBlock(genesis, 'first'), makeBlock(genesis, 'sibling')];
const second = makeBlock(first, 'second');
const votesFor = (block: EngineBlock, votes: number): Votes => new Map([[block.id, votes]]);
const decide = (kind: Decision['kind'], { id, parentID, height }: EngineBlock): Decision => ({ kind, block: { id, parentID, height } });

/** Decisions about blocks of which a test says which poll decides them. `stores`: what storing a block waits for. */
function open({ stores }: { stores?: () => Promise<void> } = {}) {
  const timers = createTestTimers();
  const counters = createEngineCounters();
  const calls: string[] = [];
  const polls: Decision[][] = [];
  const state = { processing: 0 };
  const run = (kind: string, id: Id | undefined) => {
    calls.push(`${kind} ${[genesis, first, sibling, second].findIndex((block) => block.id === id)}`);
    return stores?.();
  };
  const decisions = createDecisions({
    vm: {
      block: (id: Id) => (id === genesis.id ? genesis : undefined),
      accept: ([id]: readonly Id[]) => run('accept', id),
      reject: (id: Id) => run('reject', id),
    } as Partial<Vm> as Vm,
    consensus: {
      lastAccepted: () => ({ id: genesis.id, height: 0n }),
      processingCount: () => state.processing,
      recordPoll: () => polls.shift() ?? [],
    } as Partial<Consensus> as Consensus,
    timers,
    // Block times are compared with it: it is 7 s ahead of the time of all blocks.
    unixMilliseconds: () => Number(genesis.time) * 1000 + 7000,
    counters,
    alphaPreference: 15,
  });
  const add = (block: EngineBlock): void => {
    state.processing++;
    decisions.add(block);
  };
  return { decisions, add, timers, counters, calls, polls, state };
}

test('decisions are executed in their order; the last accepted block is the last that was stored', async () => {
  let store = Promise.withResolvers<void>();
  const { decisions, add, calls, polls } = open({ stores: () => store.promise });
  for (const block of [first, sibling, second]) add(block);
  polls.push([decide('accepted', first), decide('rejected', sibling)], [decide('accepted', second)]);
  const stored = decisions.record([votesFor(second, 15), votesFor(second, 15)]);
  expect(stored).toBeInstanceOf(Promise);
  expect([calls, decisions.stored().height, decisions.has(first.id)]).toEqual([['accept 1'], 0n, true]);
  const storedFirst = store;
  store = Promise.withResolvers();
  storedFirst.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect([calls, decisions.stored(), decisions.has(first.id)]).toEqual([['accept 1', 'reject 2'], { id: first.id, height: 1n }, false]);
  store.resolve();
  await stored;
  expect([calls, decisions.stored()]).toEqual([['accept 1', 'reject 2', 'accept 3'], { id: second.id, height: 2n }]);
  expect(decisions.highestFirst()).toEqual([]);
});

test('what is stored within the call is decided within it, and a rejected block is not the last accepted one', () => {
  const { decisions, add, polls } = open();
  for (const block of [first, sibling, second]) add(block);
  expect(decisions.highestFirst()[0]).toBe(second.id);
  polls.push([decide('accepted', first), decide('rejected', sibling)]);
  expect(decisions.record([votesFor(first, 15)])).toBeUndefined();
  expect([decisions.stored().id, decisions.has(sibling.id), decisions.has(second.id)]).toEqual([first.id, false, true]);
});

test('operators see how long the oldest block has been processing', () => {
  const { decisions, add, timers, polls } = open();
  expect(decisions.state()).toMatchObject({ longestProcessing: 0, lastAccepted: { height: 0n }, lastAcceptedTime: genesis.time });
  add(first);
  timers.advance(20_000);
  add(second);
  timers.advance(11_000);
  expect(decisions.state().longestProcessing).toBe(31_000);
  polls.push([decide('accepted', first)]);
  decisions.record([votesFor(first, 15)]);
  expect(decisions.state()).toMatchObject({ longestProcessing: 11_000, lastAccepted: { height: 1n }, lastAcceptedTime: first.time });
});

test('polls count as successful from the preference on, only while blocks are processing; decided blocks count with their polls, latency and age', () => {
  const { decisions, add, timers, counters, polls, state } = open();
  decisions.record([votesFor(first, 15)]);
  expect([counters.pollsSuccessful, counters.pollsFailed]).toEqual([0, 0]);
  add(first);
  add(sibling);
  timers.advance(300);
  polls.push([], [], [decide('accepted', first), decide('rejected', sibling)]);
  decisions.record([votesFor(first, 14), votesFor(first, 15), votesFor(first, 20)]);
  expect(counters).toMatchObject({
    ...{ pollsSuccessful: 2, pollsFailed: 1, accepted: 1, acceptedPolls: 3, acceptedLatency: 300, acceptedBytes: first.bytes.length },
    ...{ acceptedAge: 7000, rejected: 1, rejectedPolls: 3, rejectedLatency: 300 },
  });
  // A block of which consensus knows and this node does not, such as one that was processing before a restart.
  state.processing = 1;
  polls.push([decide('accepted', second)]);
  decisions.record([votesFor(second, 15)]);
  expect([counters.accepted, counters.acceptedPolls, counters.acceptedAge, decisions.stored().id]).toEqual([2, 3, 7000, second.id]);
});

test('the average age of accepted blocks is shown five minutes after the first of them', () => {
  const { decisions, add, timers, polls } = open();
  add(first);
  polls.push([decide('accepted', first)]);
  decisions.record([votesFor(first, 15)]);
  timers.advance(299_999);
  expect(decisions.state().averageAcceptance).toBe(0);
  timers.advance(1);
  expect(decisions.state().averageAcceptance).toBe(7000);
});
