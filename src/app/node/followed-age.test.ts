import { expect, test } from 'bun:test';
import { noResponse } from '../../chain/follow/fault.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { createFollowedAge } from './health-checks.ts';

const live: FollowStatus = {
  state: 'live',
  height: 7n,
  target: 7n,
  blocksPerSecond: 0,
  txsPerSecond: 0,
  eta: 0,
  behindSeconds: 0,
  lagSeconds: 0,
  lastError: undefined,
  unknownImports: 0,
};

test('a follower is not ready while its node answers and is more than 10 s ahead; a silent node only makes it unhealthy', () => {
  const verdict = (changes: Partial<FollowStatus>) => {
    const status = { ...live, ...changes };
    const { seconds, problem, notReady } = createFollowedAge({ status: () => status, behindSeconds: () => status.behindSeconds });
    return [seconds(), problem(), notReady()];
  };
  expect(verdict({})).toEqual([0, undefined, undefined]);
  const ahead = { state: 'catching-up', target: 99n } as const;
  expect(verdict({ ...ahead, behindSeconds: 10, lagSeconds: 10 })).toEqual([10, undefined, undefined]);
  const gap = 'the followed node is ahead: it is at height 99, this node at 7';
  expect(verdict({ ...ahead, behindSeconds: 12, lagSeconds: 12 })).toEqual([12, gap, `${gap} (for 12 s)`]);
  const lastError = noResponse('avm.getHeight', 'timeout');
  expect(verdict({ state: 'waiting', lastError, behindSeconds: 300 })).toEqual([300, lastError.message, undefined]);
});
