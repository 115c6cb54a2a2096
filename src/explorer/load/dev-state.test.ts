import { expect, test } from 'bun:test';
import { faultText, loadDevState, miningText, type OrderedFault } from './dev-state.ts';
import { createTestSource } from './test-source.fixture.ts';

test('the strip has the clock, how blocks are made, and the snapshots of the developer, without that of the page', async () => {
  const { source } = createTestSource(() => undefined, {
    'dev.nodeInfo': { time: '1700000000', offset: '-60', frozen: true, automine: false, interval: 3, faults: [] },
    'dev.listSnapshots': {
      snapshots: [
        { name: 'mine', height: '4' },
        { name: 'page undo: revert to 7', height: '9' },
      ],
    },
  });
  expect(await loadDevState(source)).toEqual({
    ...{ time: 1_700_000_000, offset: -60, isFrozen: true, automine: false, interval: 3, faults: [] },
    snapshots: [{ name: 'mine', height: '4' }] as never,
    undo: { name: 'page undo: revert to 7', kind: 'revert', height: 9, to: 7 },
  });
});

test('there is no strip for a caller that may not use one of the methods', async () => {
  for (const results of [{}, { 'dev.nodeInfo': {} }, { 'dev.listSnapshots': { snapshots: [] } }])
    expect(await loadDevState(createTestSource(() => undefined, results).source)).toBeUndefined();
});

test('how blocks are made, and what a developer has ordered to fail, in words', () => {
  expect(
    [
      [true, 0],
      [true, 5],
      [false, 5],
      [false, 0],
    ].map(([automine, interval]) => miningText({ automine, interval } as Parameters<typeof miningText>[0])),
  ).toEqual(['Blocks as soon as there is work', 'Blocks at once, and every 5 s', 'Blocks every 5 s', 'Blocks paused']);
  const faults: readonly object[] = [
    { kind: 'latency', target: '', ms: 200 },
    { kind: 'latency', target: 'avm.issueTx', ms: 200 },
    { kind: 'failure', target: 'avm.issueTx', times: 3, message: 'try later' },
    { kind: 'failure', target: 'avm.issueTx', times: 1, message: 'try later' },
    { kind: 'health', target: 'disk', message: 'full' },
  ];
  expect(faults.map((one) => faultText(one as OrderedFault))).toEqual([
    'every call takes 200 ms longer',
    'avm.issueTx takes 200 ms longer',
    'avm.issueTx fails 3 more times: try later',
    'avm.issueTx fails 1 more time: try later',
    'health check disk fails: full',
  ]);
});
