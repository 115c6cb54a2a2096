import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { type ConsensusBlock, createConsensus } from './consensus.ts';
import { defaultParameters } from './parameters.ts';
import { isDecided, voteTarget } from './votes.ts';

const idOf = (byte: number) => byte.toString(16).padStart(2, '0').padEnd(64, '0') as Id;
const blockOf = (id: number, parent: number, height: bigint): ConsensusBlock => ({ id: idOf(id), parentID: idOf(parent), height });

test('a vote counts for the nearest ancestor that is processing', () => {
  const consensus = createConsensus(defaultParameters, { id: idOf(1), height: 10n });
  consensus.add(blockOf(2, 1, 11n));
  // 3 and 4 follow 2; 6 and 7 follow a sibling of the last accepted block; the parent of 9 is unknown.
  const received = [blockOf(3, 2, 12n), blockOf(4, 3, 13n), blockOf(6, 5, 11n), blockOf(7, 6, 12n), blockOf(9, 8, 12n)];
  const unverified = (id: Id) => received.find((block) => block.id === id);
  const target = (...options: number[]) => voteTarget(options.map(idOf), consensus, unverified);
  expect([target(2), target(3), target(4)]).toEqual([idOf(2), idOf(2), idOf(2)]);
  // The last accepted block, an unknown one, a decided branch, an unknown parent.
  expect([target(1), target(8), target(7), target(9), target()]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  // The first option that counts is taken.
  expect([target(7, 4), target(8, 1)]).toEqual([idOf(2), undefined]);
});

test('a block is decided at or below the last accepted height, or beside its child', () => {
  const last = { id: idOf(1), height: 10n };
  expect([blockOf(2, 1, 10n), blockOf(2, 3, 11n), blockOf(2, 1, 11n), blockOf(2, 3, 12n)].map((block) => isDecided(block, last))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
