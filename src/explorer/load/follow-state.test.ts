import { expect, test } from 'bun:test';
import { loadFollowState } from './follow-state.ts';
import type { Source } from './source.ts';

const stateOf = (metrics: Readonly<Record<string, number>>, status = 200) => {
  const body = Object.entries(metrics)
    .map(([name, value]) => `# TYPE ${name} gauge\n${name} ${value}\n`)
    .join('');
  return loadFollowState(
    { getText: async (path: string) => (path === '/ext/metrics' ? { status, body } : undefined) } as unknown as Source,
    90,
  );
};

test('a follower has its lag from the metrics of the node', async () => {
  const lag = { serac_follow_lag_blocks: 3, serac_follow_lag_seconds: 1.5 };
  const state = { kind: 'node', lagBlocks: 3, lagSeconds: 1.5, peers: 0, isReady: true } as const;
  expect(await stateOf({ ...lag, avalanche_network_peers: 4 })).toEqual(state);
  expect(await stateOf({ serac_follow_lag_blocks: 0, serac_follow_lag_seconds: 0 })).toEqual({ ...state, lagBlocks: 0, lagSeconds: 0 });
  expect([await stateOf({ serac_follow_lag_blocks: 3 }), await stateOf({}), await stateOf(lag, 403)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a joined node has peers, and blocks that it has not fetched until it has bootstrapped', async () => {
  const state = { kind: 'network', lagBlocks: 0, lagSeconds: 0, peers: 2, isReady: true } as const;
  const metrics = { avalanche_network_peers: 2, serac_bootstrap_tip_height: 100 };
  expect(await stateOf({ ...metrics, avalanche_snowman_bootstrap_finished: 1 })).toEqual(state);
  expect(await stateOf({ ...metrics, avalanche_snowman_bootstrap_finished: 0 })).toEqual({ ...state, lagBlocks: 10, isReady: false });
  expect(await stateOf({ ...metrics, serac_bootstrap_tip_height: 80 })).toEqual({ ...state, isReady: false });
  expect(await stateOf({ avalanche_network_peers: 0 })).toEqual({ ...state, peers: 0, isReady: false });
});
