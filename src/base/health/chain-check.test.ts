import { describe, expect, test } from 'bun:test';
import { zeroId } from '../bytes/id.ts';
import { endedFamilies, formatMetrics, labelText, type MetricFamily, sumFamilies } from '../metrics/family.ts';
import { createBackoff } from '../timing/backoff.ts';
import { type ChainHealthState, chainCheck, chainLimits, findIsolation, findStaleReason, splitText } from './chain-check.ts';
import { durationText, minute, second } from './duration.ts';

const consensus = {
  avgAcceptanceTime: 15n * second,
  lastAcceptedHeight: 7n,
  lastAcceptedID: zeroId,
  longestProcessingBlock: 30n * second,
  processingBlocks: 256,
};
const good: ChainHealthState = { consensus, networking: { disconnectedValidators: [], percentConnected: 0.8 } };
const behind = { majorityHeight: 9n, ownHeight: 7n, time: 10n * second };
const errorOf = async (changes: Partial<ChainHealthState>) => (await chainCheck(() => ({ ...good, ...changes }))()).error;

describe('the check of a chain', () => {
  test('passes at its limits, and while the chain is bootstrapping', async () => {
    expect(await errorOf({ behind, isSplit: false })).toBeUndefined();
    expect((await chainCheck(() => good)()).details).toEqual({
      engine: {
        consensus: {
          avgAcceptanceTime: '15s',
          lastAcceptedHeight: 7n,
          lastAcceptedID: '11111111111111111111111111111111LpoYY',
          longestProcessingBlock: '30s',
          processingBlocks: 256,
        },
        vm: null,
      },
      networking: good.networking,
    } as never);
    expect((await chainCheck(() => ({ ...good, consensus: undefined }))()).details).toMatchObject({ engine: { consensus: {} } });
  });

  test('fails above each limit, and names all that fail', async () => {
    const over = (changes: object) => errorOf({ consensus: { ...consensus, ...changes } });
    expect(await over({ processingBlocks: 257 })).toBe('too many processing blocks: 257 > 256');
    expect(await over({ longestProcessingBlock: 30n * second + 1_000_000n })).toBe('block processing too long: 30.001s > 30s');
    expect(await over({ avgAcceptanceTime: 16n * second })).toBe('acceptance time too high: 16s > 15s');
    expect(
      await errorOf({ behind: { ...behind, time: 11n * second + 5n }, isSplit: true, consensus: { ...consensus, processingBlocks: 300 } }),
    ).toBe(
      `${splitText}\nbehind the network: most of the stake is at height 9, this node at 7 (for 11s)\ntoo many processing blocks: 300 > 256`,
    );
  });

  test('fails without enough stake connected, and tells it from the engine', async () => {
    const networking = { disconnectedValidators: ['a'], percentConnected: 0.7999 };
    const text = 'not connected to enough stake: connected to 79.990000%; required at least 80.000000%';
    expect(await errorOf({ networking })).toBe(text);
    expect(await errorOf({ networking, isSplit: true })).toBe(`engine: ${splitText}; networking: ${text}`);
    expect(chainLimits.behindTime).toBe(10n * second);
  });
});

test('what a node serves is stale if it is split, behind for ten seconds, or out of touch for thirty', () => {
  expect([findStaleReason({}), findStaleReason({ isSplit: true }), findStaleReason({ behind })]).toEqual([undefined, splitText, undefined]);
  expect(findStaleReason({ behind: { ...behind, time: 10n * second + 1n } })).toStartWith(
    'behind the network: most of the stake is at height 9',
  );
  const silent = { majorityHeight: 7n, ownHeight: 7n, time: 30n * second };
  expect([findStaleReason({ behind: silent }), findStaleReason({ behind: { ...silent, time: 31n * second } })]).toEqual([
    undefined,
    'out of touch: for 31s it is not known what most of the stake has accepted, this node is at height 7',
  ]);
  expect([findIsolation(30n * second, 7n), findIsolation(30n * second + 1n, 7n)]).toEqual([
    undefined,
    'cut off: no peer has been connected for 30s, this node is at height 7',
  ]);
});

test.each<[bigint, string]>([
  [0n, '0s'],
  [1n, '1ns'],
  [999n, '999ns'],
  [1000n, '1µs'],
  [1500n, '1.5µs'],
  [999_999n, '999.999µs'],
  [1_000_000n, '1ms'],
  [1_050_000n, '1.05ms'],
  [second, '1s'],
  [second + 1n, '1.000000001s'],
  [minute - 1n, '59.999999999s'],
  [minute, '1m0s'],
  [61n * minute + 3_250_000_000n, '1h1m3.25s'],
  [60n * minute, '1h0m0s'],
  [-minute, '-1m0s'],
])('%p nanoseconds are %s', (nanos, text) => {
  expect(durationText(nanos)).toBe(text);
});

describe('metrics', () => {
  const family = (name: string, type: MetricFamily['type'], ...samples: MetricFamily['samples']): MetricFamily => ({
    name,
    help: 'h',
    type,
    samples,
  });

  test('are written by name, with escaped help and labels', () => {
    const b = {
      ...family('b', 'counter', ['{x="1"}', 5n], ['', Number.POSITIVE_INFINITY], ['', Number.NEGATIVE_INFINITY]),
      help: 'a\\b\nc',
    };
    expect(formatMetrics([b, family('a', 'gauge', ['', 1.5])])).toBe(
      '# HELP a h\n# TYPE a gauge\na 1.5\n# HELP b a\\\\b\\nc\n# TYPE b counter\nb{x="1"} 5\nb +Inf\nb -Inf\n',
    );
    expect([labelText({}), labelText({ a: 'x"y', b: '\\' })]).toEqual(['', '{a="x\\"y",b="\\\\"}']);
  });

  test('of several processes are added up by series', () => {
    const [first, second_] = [family('a', 'counter', ['x', 1], ['y', 2n]), family('a', 'counter', ['y', 3], ['z', 4])];
    expect(sumFamilies([[first, family('g', 'gauge', ['', 1])], [second_]])).toEqual([
      family('a', 'counter', ['x', 1], ['y', 5], ['z', 4]),
      family('g', 'gauge', ['', 1]),
    ]);
    expect(endedFamilies([first, family('g', 'gauge'), family('h', 'histogram')]).map(({ name }) => name)).toEqual(['a', 'h']);
  });
});

test('delays double up to the longest, with half of each by chance, and begin again', () => {
  let random = 1;
  const { next, reset } = createBackoff({ first: 100, max: 500 }, () => random);
  expect([next(), next(), next(), next(), next()]).toEqual([100, 200, 400, 500, 500]);
  random = 0;
  reset();
  expect([next(), next()]).toEqual([50, 100]);
  const long = createBackoff({ first: 1, max: Number.POSITIVE_INFINITY }, () => 1);
  for (let i = 0; i < 30; i++) long.next();
  expect([long.next(), long.next()]).toEqual([2 ** 30, 2 ** 30]);
});
