import { expect, test } from 'bun:test';
import type { AnyFault } from '../../base/fault.ts';
import { createCommitState } from './commit-state.ts';
import { ChainError } from './fault.ts';

function createCounted() {
  let changes = 0;
  const state = createCommitState(() => changes++);
  return { ...state, changes: () => changes };
}

const refusal = (step: () => void): { readonly message: string; readonly fault: object } | undefined => {
  try {
    step();
  } catch (error) {
    const { message, fault } = error as AnyFault;
    return { message, fault };
  }
  return undefined;
};

test('while commits fail nothing can be issued, and the refusal says why', () => {
  const { checkIssuable, recordFailure, failure, clear } = createCounted();
  expect([refusal(checkIssuable), failure()]).toEqual([undefined, undefined]);
  const full = new ChainError('the disk is full', { code: 'BLOCK_NOT_STORED', cause: 'STORE_FULL', height: 7n });
  recordFailure(7n, full);
  expect(failure()).toBe(full);
  expect(refusal(checkIssuable)).toEqual({
    message: 'transaction not issued: block 7 could not be stored: the disk is full; the node tries again every second',
    fault: { code: 'BLOCK_NOT_STORED', cause: 'BLOCK_NOT_STORED', height: 7n },
  });
  clear();
  expect([refusal(checkIssuable), failure()]).toEqual([undefined, undefined]);
});

test.each<[string, unknown]>([
  ['disk gone', new Error('disk gone')],
  ['a text', 'a text'],
  ['null', null],
])('a failure without a code: %s', (message, error) => {
  const { recordFailure, failure } = createCounted();
  recordFailure(3n, error);
  expect([failure()?.message, failure()?.fault as object]).toEqual([message, { code: 'BLOCK_NOT_STORED', cause: 'UNKNOWN', height: 3n }]);
});

test('a change is told when commits begin to fail and when they succeed again', () => {
  const { recordFailure, clear, changes } = createCounted();
  clear();
  expect(changes()).toBe(0);
  recordFailure(1n, 'a');
  recordFailure(1n, 'b');
  expect(changes()).toBe(1);
  clear();
  clear();
  expect(changes()).toBe(2);
  recordFailure(1n, 'c');
  expect(changes()).toBe(3);
});
