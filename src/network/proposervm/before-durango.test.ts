import { describe, expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createProposerSchedule } from './proposer.ts';
import { verifyChild } from './verify-child.ts';

/** Proposers that AvalancheGo v1.14.2 computes (proposer.New(…).Proposers with 6 windows), as the first digit of each node ID's second half byte. */
const golden = {
  '100,200,300,400,500': { 1: '133242', 2: '543225', 10: '555345', 4294967306: '555345', 1000000: '542513' },
  '1,1,2': { 1: '2331', 2: '2133', 10: '3132', 4294967306: '3132', 1000000: '2133' },
};

const chainId = `d891ad56056d9c01${'0'.repeat(48)}` as Id;
const nodeOf = (digit: string): NodeId => `0${digit}`.padEnd(40, '0') as NodeId;
const scheduleOf = (weights: string) =>
  createProposerSchedule(
    chainId,
    weights.split(',').map((weight, i) => ({ nodeId: nodeOf(`${i + 1}`), weight: BigInt(weight) })),
  );

describe('before Durango', () => {
  for (const [weights, orders] of Object.entries(golden))
    test(`validators with weights ${weights} wait as AvalancheGo says`, () => {
      const schedule = scheduleOf(weights);
      for (const [height, order] of Object.entries(orders)) {
        for (const digit of new Set(order))
          expect(schedule.delayOf(BigInt(height), nodeOf(digit), 6)).toBe(5n * BigInt(order.indexOf(digit)));
        expect(schedule.delayOf(BigInt(height), nodeOf('9'), 6)).toBe(5n * BigInt(order.length));
        expect(schedule.delayOf(BigInt(height), undefined, 6)).toBe(30n);
      }
    });

  const rules = { durangoTime: 1_000_000n, graniteTime: 2_000_000n, epochSeconds: 30n, minPChainHeight: 0n };
  const innerId = 'ab'.repeat(32) as Id;
  const verifyAfter = (delay: bigint, proposer: NodeId | undefined, weights: string | undefined, parentTime = 999_000n): string => {
    const schedule = weights === undefined ? createProposerSchedule(chainId, []) : scheduleOf(weights);
    const parent = { timestamp: parentTime, pChainHeight: 0n, epoch: undefined, innerId };
    const child = { timestamp: parentTime + delay, pChainHeight: 0n, epoch: undefined, proposer, innerParentId: innerId, height: 10n };
    try {
      verifyChild(parent, child, rules, 1_000_000_000_000n, { currentPChainHeight: 0n, schedule });
      return 'valid';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('a validator may propose from its window on; after 30 s a block must be unsigned', () => {
    const weights = '100,200,300,400,500';
    expect(verifyAfter(0n, nodeOf('5'), weights)).toBe('valid');
    expect(verifyAfter(14n, nodeOf('3'), weights)).toBe("proposer window hasn't started: delay 14s < minDelay 15s");
    expect(verifyAfter(15n, nodeOf('3'), weights)).toBe('valid');
    expect(verifyAfter(29n, undefined, weights)).toBe("proposer window hasn't started: delay 29s < minDelay 30s");
    expect(verifyAfter(30n, undefined, weights)).toBe('valid');
    expect(verifyAfter(30n, nodeOf('5'), weights)).toBe('proposer mismatch: shouldHaveProposer (false) != hasProposer (true)');
  });

  test('without validators every node signs, until Durango is active at the time of the parent', () => {
    expect(verifyAfter(0n, nodeOf('7'), undefined)).toBe('valid');
    expect(verifyAfter(0n, nodeOf('7'), undefined, 1_000_000n)).toBe('proposer mismatch: shouldHaveProposer (false) != hasProposer (true)');
    expect(verifyAfter(0n, undefined, undefined, 1_000_000n)).toBe('valid');
  });
});
