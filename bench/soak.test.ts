import { expect, test } from 'bun:test';
import { drawSeries } from './soak-picture.ts';
import { fitTrend, formatTrends, type Series, warmUpSeconds } from './soak-trend.ts';

const seriesOf = (value: (minute: number) => number, minutes = 60): Series => ({
  name: 'memory',
  unit: 'MB',
  points: Array.from({ length: minutes }, (_, minute) => ({ seconds: minute * 60, value: value(minute) })),
});
const saw = (minute: number): number => (minute % 7) * 4;

test('growth during the warm-up does not count', () => {
  const warm = seriesOf((minute) => Math.min(minute, 10) * 20 + saw(minute));
  expect(fitTrend(warm, warmUpSeconds(3600))).toMatchObject({ verdict: 'flat' });
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

test('a run of less than half an hour has a shorter warm-up', () => {
  expect([7200, 1800, 900].map(warmUpSeconds)).toEqual([600, 600, 300]);
});

test('table and picture', () => {
  const series = seriesOf((minute) => 100 + minute);
  expect(formatTrends([fitTrend(series, 600)]).split('\n')[2]).toBe('| memory | 135 MB | 159 MB | +60 ± 0 MB | growing |');
  const picture = drawSeries([series, seriesOf(() => 0)], 600, 'soak');
  expect(picture.match(/<polyline/g)).toHaveLength(2);
  expect(picture).not.toContain('NaN');
  expect(picture).toContain('up to 159 MB');
});
