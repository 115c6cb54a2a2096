import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeChains } from './node-chain.ts';
import type { NodeCore } from './node-core.ts';
import { startNodeHistory } from './node-history.ts';

const chainID = '11'.repeat(32) as Id;
const start = 1_800_000_002;

/** A history on a clock that the test moves. */
function setUp(publicApi = false) {
  let time = start;
  let timer: { readonly at: number; readonly run: () => void } | undefined;
  const totals = { issued: 0, refused: 0, dropped: 0, accepted: 0, latency: 0 };
  const accepted = { txs: 0, blocks: 0, bytes: 0 };
  let readings = 0;
  const core = {
    config: { publicApi, apis: { health: true } },
    env: {
      clock: { unixNanos: () => BigInt(Math.round(time * 1000)) * 1_000_000n },
      timers: {
        after: (milliseconds: number, run: () => void) => {
          timer = { at: time + milliseconds / 1000, run };
          return () => {
            timer = undefined;
          };
        },
      },
      process: () => {
        readings++;
        return { residentBytes: 5e7, heapBytes: 1e7, cpuSeconds: (time - start) / 10 };
      },
    },
    lifecycles: { of: () => ({ totals: () => totals }) },
    accepted: () => ({ ...accepted }),
    health: { since: () => [['database', BigInt(start) * 1_000_000_000n]] },
  } as unknown as NodeCore;
  const chains = [{ spec: { id: chainID }, pendingTxs: () => ({ txs: 3, bytes: 0 }) }] as unknown as NodeChains;
  const history = startNodeHistory(core, chains);
  return {
    totals,
    accepted,
    read: history.of(chainID),
    close: () => history.close?.(),
    readings: () => readings,
    isTicking: () => timer !== undefined,
    /** Moves the clock, running the timers that come due. */
    run: (seconds: number): void => {
      const end = time + seconds;
      while (timer !== undefined && timer.at <= end) {
        const { at, run } = timer;
        time = Math.max(time, at);
        run();
      }
      time = end;
    },
    /** Time that passes while the machine sleeps. */
    sleep: (seconds: number): void => {
      time += seconds;
    },
  };
}

test('counters are sampled once every five seconds, however much happens', async () => {
  const { run, read, totals, accepted, readings, isTicking, close } = setUp();
  run(3);
  for (let i = 0; i < 1000; i++) Object.assign(accepted, { txs: i + 1, blocks: 10, bytes: 70_000 });
  Object.assign(totals, { issued: 1200, refused: 150, dropped: 50, accepted: 800, latency: 1600 });
  run(60);
  // One at the start, then one at every multiple of five seconds.
  expect(readings()).toBe(14);
  const { startTime, buckets, checks } = await read(3600, 3600);
  expect([startTime, checks]).toEqual([start, [['database', start]]]);
  expect(buckets).toEqual([
    {
      start: 1_800_000_000,
      seconds: 63,
      values: {
        txs: 1000,
        blocks: 10,
        bytes: 70_000,
        issued: 1200,
        refused: 150,
        dropped: 50,
        issuedAccepted: 800,
        latency: 1600,
        cpuSeconds: expect.closeTo(6.3),
        mempoolTxs: 3,
        residentBytes: 5e7,
      },
    },
  ]);
  close();
  expect(isTicking()).toBe(false);
});

test('the time before the start and the time of a sleep are gaps', async () => {
  const { run, sleep, read } = setUp();
  run(13);
  sleep(1800);
  run(10);
  const { buckets } = await read(3600, 5);
  expect(buckets.map(({ start: time }) => time - 1_800_000_000)).toEqual([0, 5, 10, 1815, 1820]);
});

test('with --public-api a caller does not see the process and the health checks', async () => {
  const { run, read } = setUp(true);
  run(10);
  const { buckets, checks } = await read(3600, 60);
  expect(checks).toBeNull();
  expect(Object.keys(buckets[0]?.values ?? {})).not.toContain('cpuSeconds');
  expect(Object.keys(buckets[0]?.values ?? {})).not.toContain('residentBytes');
});
