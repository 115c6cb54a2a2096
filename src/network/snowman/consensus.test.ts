import { describe, expect, test } from 'bun:test';
import { bitOf, firstDifference, type Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { type Consensus, createConsensus, type Decision } from './consensus.ts';
import { defaultParameters, type SnowmanError, verifyParameters } from './parameters.ts';
import { createPolls } from './polls.ts';

const idOf = (byte: number) => byte.toString(16).padStart(2, '0').padEnd(64, '0') as Id;
const start = { id: idOf(0xf0), height: 100n };
const [a, b, c, d] = [1, 2, 4, 8].map(idOf) as [Id, Id, Id, Id];
const add = (consensus: Consensus, id: Id, parentID: Id, above: number) =>
  consensus.add({ id, parentID, height: start.height + BigInt(above) });
const votes = (...rows: [Id, number][]) => new Map(rows);
const short = (decisions: Decision[]) => decisions.map(({ kind, block }) => `${kind} ${block.id.slice(0, 2)}`);
const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    return (error as SnowmanError).fault.code;
  }
};

describe('consensus with the default parameters', () => {
  test('20 successive polls with 15 votes accept a block; its ancestors are accepted by the same polls', () => {
    const consensus = createConsensus(defaultParameters, start);
    add(consensus, a, start.id, 1);
    add(consensus, b, a, 2);
    expect(consensus.preference()).toBe(b);
    for (let poll = 1; poll < 20; poll++) expect(consensus.recordPoll(votes([b, 15]))).toEqual([]);
    expect(short(consensus.recordPoll(votes([b, 15])))).toEqual(['accepted 01', 'accepted 02']);
    expect([consensus.lastAccepted().id, consensus.processingCount()]).toEqual([b, 0]);
    expect(consensus.parentOf(b)).toBe(a);
    // Accepted blocks below the last one have left the preferred branch.
    expect([start.id, a, b].map(consensus.isPreferred)).toEqual([false, false, true]);
    expect([100n, 101n, 102n].map(consensus.preferenceAtHeight)).toEqual([undefined, undefined, b]);
    expect(consensus.parentOf(start.id)).toBeUndefined();
  });

  test('blocks below the last accepted one leave the preferred branch also while others of it are processing', () => {
    const consensus = createConsensus(defaultParameters, start);
    add(consensus, a, start.id, 1);
    add(consensus, b, a, 2);
    add(consensus, c, b, 3);
    for (let poll = 0; poll < 20; poll++) consensus.recordPoll(votes([a, 15]));
    for (let poll = 0; poll < 20; poll++) consensus.recordPoll(votes([b, 15]));
    expect([consensus.lastAccepted().id, consensus.preference(), consensus.processingCount()]).toEqual([b, c, 1]);
    expect([101n, 102n, 103n, 104n].map(consensus.preferenceAtHeight)).toEqual([undefined, b, c, undefined]);
    expect([a, b, c].map(consensus.isPreferred)).toEqual([false, true, true]);
  });

  test('a poll without 15 votes starts the count again', () => {
    const consensus = createConsensus(defaultParameters, start);
    add(consensus, a, start.id, 1);
    expect(consensus.missingPolls()).toBe(20);
    for (let poll = 1; poll < 20; poll++) consensus.recordPoll(votes([a, 20]));
    expect(consensus.missingPolls()).toBe(1);
    expect(consensus.recordPoll(votes([a, 14]))).toEqual([]);
    // The next vote resets it.
    consensus.recordPoll(votes([a, 20]));
    expect(consensus.missingPolls()).toBe(19);
    for (let poll = 2; poll < 20; poll++) expect(consensus.recordPoll(votes([a, 20]))).toEqual([]);
    expect(short(consensus.recordPoll(votes([a, 20])))).toEqual(['accepted 01']);
  });

  test('accepting a block rejects its siblings and their descendants; the preference follows the votes', () => {
    const consensus = createConsensus(defaultParameters, start);
    add(consensus, a, start.id, 1);
    add(consensus, b, start.id, 1);
    add(consensus, c, a, 2);
    add(consensus, d, b, 2);
    expect([consensus.preference(), consensus.isPreferred(a), consensus.isPreferred(b)]).toEqual([c, true, false]);
    consensus.recordPoll(votes([d, 15], [c, 5]));
    expect([consensus.preference(), consensus.isPreferred(a), consensus.isPreferred(b)]).toEqual([d, false, true]);
    expect([100n, 101n, 102n, 103n].map(consensus.preferenceAtHeight)).toEqual([start.id, b, d, undefined]);
    const decisions = Array.from({ length: 19 }, () => short(consensus.recordPoll(votes([b, 15]))));
    expect(decisions.slice(0, 18).flat()).toEqual([]);
    expect(decisions[18]).toEqual(['accepted 02', 'rejected 01', 'rejected 04']);
    expect([consensus.isProcessing(d), consensus.isProcessing(c), consensus.preference()]).toEqual([true, false, d]);
  });

  test('votes for unknown and for accepted blocks are dropped', () => {
    const consensus = createConsensus(defaultParameters, start);
    add(consensus, a, start.id, 1);
    for (let poll = 0; poll < 40; poll++) expect(consensus.recordPoll(votes([start.id, 10], [d, 10]))).toEqual([]);
  });

  test('a block twice, or on an unknown parent', () => {
    const consensus = createConsensus(defaultParameters, start);
    add(consensus, a, start.id, 1);
    expect(codeOf(() => add(consensus, a, start.id, 1))).toBe('SNOWMAN_DUPLICATE_BLOCK');
    expect(codeOf(() => add(consensus, b, d, 2))).toBe('SNOWMAN_UNKNOWN_PARENT');
  });
});

test('parameters', () => {
  const with_ = (change: Partial<typeof defaultParameters>) => codeOf(() => verifyParameters({ ...defaultParameters, ...change }));
  expect(with_({})).toBe('none');
  for (const bad of [{ alphaPreference: 10 }, { alphaConfidence: 14 }, { alphaConfidence: 21 }, { k: 31 }, { beta: 0 }])
    expect(with_(bad)).toBe('SNOWMAN_BAD_PARAMETERS');
});

describe('polls', () => {
  const nodes = ['01', '02', '03', '04'].map((byte) => byte.padEnd(40, '0') as NodeId) as [NodeId, NodeId, NodeId, NodeId];
  const sampled = new Map(nodes.map((node) => [node, 5]));

  test('a poll ends when further votes cannot change it, and waits for older ones', () => {
    const polls = createPolls(defaultParameters, () => undefined);
    expect([polls.open(1, sampled), polls.open(2, sampled), polls.open(2, sampled)]).toEqual([true, true, false]);
    const [one, two, three, four] = nodes;
    expect(polls.vote(2, one, a)).toEqual([]);
    expect(polls.vote(2, two, a)).toEqual([]);
    // 15 votes: finished, but the first poll is open.
    expect(polls.vote(2, three, a)).toEqual([]);
    expect(polls.vote(1, one, a)).toEqual([]);
    expect(polls.drop(1, one)).toEqual([]);
    expect(polls.drop(1, two)).toEqual([]);
    // Only 10 of 15 votes are left: the first poll fails, and both are given out.
    expect(polls.drop(1, three)).toEqual([votes([a, 5]), votes([a, 15])]);
    expect(polls.count()).toBe(0);
    expect(polls.vote(1, four, a)).toEqual([]);
  });

  test('a node votes once, and only if it was asked', () => {
    const polls = createPolls(defaultParameters, () => undefined);
    polls.open(1, sampled);
    const [one] = nodes;
    for (let round = 0; round < 5; round++) expect(polls.vote(1, one, a)).toEqual([]);
    expect(polls.vote(1, 'ff'.repeat(20) as NodeId, a)).toEqual([]);
    expect(polls.count()).toBe(1);
  });

  test('with split siblings a poll goes on until their common ancestor is settled', () => {
    const parents = new Map([
      [a, start.id],
      [b, start.id],
    ]);
    const polls = createPolls(defaultParameters, (id) => parents.get(id));
    const [one, two, three, four] = nodes;
    const units = [6, 6, 4, 4];
    polls.open(1, new Map([one, two, three, four].map((node, index) => [node, units[index]!])));
    expect(polls.vote(1, one, a)).toEqual([]);
    // Neither sibling can reach 15 any more, but their parent has 12 and can.
    expect(polls.vote(1, two, b)).toEqual([]);
    expect(polls.vote(1, three, a)).toEqual([votes([a, 10], [b, 6])]);
  });
});

test('bits of an ID: byte after byte, least significant bit first', () => {
  const id = '01a0'.padEnd(64, '0') as Id;
  expect(Array.from({ length: 16 }, (_, index) => bitOf(id, index))).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1]);
  expect(firstDifference(id, '01'.padEnd(64, '0') as Id, 0, 256)).toBe(13);
  expect(firstDifference(id, id, 0, 256)).toBeUndefined();
});
