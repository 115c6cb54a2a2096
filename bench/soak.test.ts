import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../test/program.ts';
import { prepareSteadyLoad } from '../test/steady-load.ts';
import { drawSeries } from './soak-picture.ts';
import { createSampler, readSqliteTableSizes, soakReadings } from './soak-samples.ts';
import { openSampledStream } from './soak-stream.ts';
import { fitTrend, formatTrends, isProblem, type Series, warmUpSeconds } from './soak-trend.ts';

const seriesOf = (value: (minute: number) => number, minutes = 60): Series => ({
  name: 'memory',
  unit: 'MB',
  points: Array.from({ length: minutes }, (_, minute) => ({ seconds: minute * 60, value: value(minute) })),
});
const saw = (minute: number): number => (minute % 7) * 4;

test('growth during the warm-up does not count', () => {
  const warm = seriesOf((minute) => Math.min(minute, 10) * 20 + saw(minute));
  expect(fitTrend(warm, 600)).toMatchObject({ verdict: 'flat' });
  expect(fitTrend(warm, 0).verdict).toBe('growing');
});

test('a slow leak under a saw is found, with its slope', () => {
  const trend = fitTrend(
    seriesOf((minute) => 200 + minute * 0.5 + saw(minute)),
    600,
  );
  expect(trend.verdict).toBe('growing');
  expect(Math.abs(trend.perHour - 30)).toBeLessThan(trend.uncertainty);
});

test('in the second half a leak grows as before and a warm-up slows down', () => {
  const leak = fitTrend(
    seriesOf((minute) => 100 + minute),
    600,
  );
  expect(leak.latePerHour).toBeCloseTo(leak.perHour);
  const warmUp = fitTrend(
    seriesOf((minute) => 200 - 100 * Math.exp(-minute / 10)),
    600,
  );
  expect(warmUp.verdict).toBe('growing');
  expect(warmUp.latePerHour).toBeLessThan(warmUp.perHour / 3);
});

test('noise and what falls are flat; two points are too few', () => {
  expect(fitTrend(seriesOf(saw), 600).verdict).toBe('flat');
  expect(
    fitTrend(
      seriesOf((minute) => 500 - minute),
      600,
    ).verdict,
  ).toBe('flat');
  expect(fitTrend(seriesOf(saw, 2), 0).verdict).toBe('too short');
});

test('a run of less than half an hour has a shorter warm-up, but none ends before enough transactions', () => {
  const acceptedAt = (perSecond: number) => seriesOf((minute) => minute * 60 * perSecond).points;
  expect([7200, 1800, 900].map((seconds) => warmUpSeconds(seconds, acceptedAt(1000)))).toEqual([600, 600, 300]);
  expect(warmUpSeconds(3600, acceptedAt(15))).toBe(1680);
  expect(warmUpSeconds(1980, acceptedAt(5))).toBe(Number.POSITIVE_INFINITY);
  expect(fitTrend(seriesOf(saw), Number.POSITIVE_INFINITY).verdict).toBe('too short');
});

test('what has a limit may grow up to it', () => {
  const growing = seriesOf((minute) => 100 + minute);
  expect([160, 150].map((limit) => fitTrend({ ...growing, limit }, 600).verdict)).toEqual(['within its limit', 'above its limit']);
  expect([160, 150].map((limit) => isProblem(fitTrend({ ...growing, limit }, 600)))).toEqual([false, true]);
  expect(isProblem(fitTrend(growing, 600))).toBe(true);
});

test('table and picture', () => {
  const series = seriesOf((minute) => 100 + minute);
  expect(formatTrends([fitTrend(series, 600)]).split('\n')[2]).toBe('| memory | 135 MB | 159 MB | +60 ± 0 MB | +60 MB | growing |');
  const picture = drawSeries([series, seriesOf(() => 0)], 600, 'soak');
  expect(picture.match(/<polyline/g)).toHaveLength(2);
  expect(picture).not.toContain('NaN');
  expect(picture).toContain('up to 159 MB');
});

test('a stream of answers beside other load is what the blocks say, and the node is sampled', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-soak-'));
  const database = join(folder, 'db', 'serac.sqlite');
  const { client, port, pid, stop } = await startProgram('--accounts=1', '--workers=0', `--data-dir=${folder}`);
  try {
    const load = await prepareSteadyLoad(client, 4);
    const stream = await openSampledStream(client, port, 5);
    const sampler = createSampler(soakReadings({ pid, client, database, takeDelay: () => 3 }));
    const runStream = async (): Promise<void> => {
      for (let second = 0; second < 3; second++) {
        await stream.step();
        await sampler.sample(second);
      }
    };
    const [issued] = await Promise.all([load.run({ rate: 40, until: performance.now() + 1000 }), runStream()]);
    expect(issued).toBeGreaterThan(0);
    expect(stream.counts()).toMatchObject({ lists: 6 });
    expect(stream.counts().items).toBeGreaterThan(6);
    const names = sampler.series().map(({ name, points }) => `${name} ${points.length}`);
    const caches = sampler.series().find(({ name }) => name === 'caches of all processes');
    // The pages of the database have 8.4 % of the 192 MiB.
    expect([caches?.limit, caches?.points.every(({ value }) => value > 0)]).toEqual([expect.closeTo(201.3 * 0.916, 0), true]);
    expect(names).toEqual(expect.arrayContaining(['heap of the writer 3', 'database per transaction 3', 'delay of acceptance 3']));
    const sizes = readSqliteTableSizes(database);
    expect(sizes.find(({ table }) => table === 'c1_tx')?.rows).toBeGreaterThan(issued);
    expect(sizes.every(({ bytes }) => bytes > 0)).toBe(true);
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
