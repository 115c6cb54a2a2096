import { describe, expect, test } from 'bun:test';
import type { TimeBucket } from '../../ledger/index/time-bucket.ts';
import { cleanPath, decodePath, decodePathText, encodePath, hasMalformedEscape } from '../http/path.ts';
import { findParamHint } from '../rpc/param-hint.ts';
import { type MetricsPeriod, nextTokenAfter, readBuckets, readPeriod, seriesPage } from './series.ts';

const hour = 3600;
const period: MetricsPeriod = { tip: { height: 9 } as never, first: 10 * hour + 5, now: 14 * hour };
const page = (range: object, unit: 'hour' | 'month' = 'hour', of = period) =>
  seriesPage(unit, of, { from: undefined, to: undefined, after: undefined, limit: 99, ...range });
const hours = (range: object) => page(range).starts.map((start) => start / hour);

describe('a page of a series', () => {
  test('has all hours from that of block 1 to now, newest first', () => {
    expect([hours({}), page({}).isLast]).toEqual([[14, 13, 12, 11, 10], true]);
    expect(page({}, 'hour', { ...period, first: undefined })).toEqual({ unit: 'hour', starts: [], isLast: true });
  });

  test('keeps its bounds: from is included, to and after are not', () => {
    expect([hours({ from: 11 * hour }), hours({ from: 11 * hour + 1 }), hours({ to: 13 * hour }), hours({ to: 13 * hour + 1 })]).toEqual([
      [14, 13, 12, 11],
      [14, 13, 12],
      [12, 11, 10],
      [13, 12, 11, 10],
    ]);
    expect([hours({ after: 12 * hour }), hours({ after: 10 * hour }), hours({ from: 20 * hour }), hours({ to: 9 * hour })]).toEqual([
      [11, 10],
      [],
      [],
      [],
    ]);
  });

  test('ends at its limit, and tells whether it is the last', () => {
    expect([page({ limit: 4 }).isLast, page({ limit: 5 }).isLast, hours({ limit: 2 })]).toEqual([false, true, [14, 13]]);
    const months = page({}, 'month', { ...period, first: Date.UTC(2023, 10, 20) / 1000, now: Date.UTC(2024, 2, 31) / 1000 }).starts;
    expect(months.map((start) => new Date(start * 1000).toISOString().slice(0, 10))).toEqual([
      '2024-03-01',
      '2024-02-01',
      '2024-01-01',
      '2023-12-01',
      '2023-11-01',
    ]);
  });

  test('has a token for the next page unless it is the last', () => {
    const pages = (height?: number) => ({
      cursor: height === undefined ? undefined : { height },
      nextPageToken: (cursor: object) => JSON.stringify(cursor),
    });
    const next = (limit: number, height?: number) => nextTokenAfter(period, page({ limit }), pages(height) as never);
    expect([next(2), next(2, 4), next(5)]).toEqual([`{"height":9,"after":${13 * hour}}`, `{"height":4,"after":${13 * hour}}`, undefined]);
    expect(nextTokenAfter(period, page({ limit: 0 }), pages() as never)).toBeUndefined();
  });

  test('reads the buckets between its ends', async () => {
    const asked: unknown[][] = [];
    const reads = {
      buckets: async (...args: unknown[]) => {
        asked.push(args);
        return [{ start: 13 * hour, txs: 5 } as TimeBucket];
      },
    } as never;
    expect([...(await readBuckets(reads, page({ limit: 3 }))).keys()]).toEqual([13 * hour]);
    expect([asked, (await readBuckets(reads, page({ from: 20 * hour }))).size, asked.length]).toEqual([
      [['hour', 12 * hour, 14 * hour + 1, 3]],
      0,
      1,
    ]);
  });

  test('the time that metrics cover ends with the clock or with a block that is ahead of it', async () => {
    const chain = (tipTime: number, first?: number) =>
      ({
        reads: { tip: async () => ({ time: tipTime }), pinAtHeight: async () => (first === undefined ? undefined : { time: first }) },
      }) as never;
    const cache = { getOrMake: async (_: unknown, __: string, make: () => unknown) => make() } as never;
    expect(await readPeriod(chain(50, 7), 40, cache)).toMatchObject({ first: 7, now: 50 });
    expect(await readPeriod(chain(50), 60, cache)).toMatchObject({ first: undefined, now: 60 });
  });
});

describe('paths, as Go reads them', () => {
  test.each([
    ['/a//b/', '/a/b/'],
    ['/a/./b/../c', '/a/c'],
    ['/../..', '/'],
    ['//', '/'],
    ['/a/..', '/'],
    ['a', '/a'],
  ])('%s is cleaned to %s', (path, clean) => {
    expect(cleanPath(path)).toBe(clean);
  });

  test('escapes', () => {
    expect(['/%41', '/%4', '/%zz', '/a%'].map(hasMalformedEscape)).toEqual([false, true, true, true]);
    expect([decodePath('/%41%c3%a9'), decodePathText('/%41%c3%a9'), decodePath('/a')]).toEqual(['/AÃ©', '/Aé', '/a']);
    expect([encodePath('/a b\u00e9~$&+,:;=@-_.'), encodePath('/\t')]).toEqual(['/a%20b%E9~$&+,:;=@-_.', '/%09']);
  });
});

describe('unknown parameters of a failed call', () => {
  const params = ['address', 'assetID'];
  test('are named with the nearest known one', () => {
    expect(findParamHint('{"adress":1,"assetid":2,"zzz":3}', params)).toEqual({
      unknownParams: [{ name: 'adress', didYouMean: 'address' }, { name: 'zzz' }],
      params,
    });
    expect(findParamHint('[ {"zzz":3}]', params)?.unknownParams).toEqual([{ name: 'zzz' }]);
  });

  test('nothing is said if all are known, if there are none, or of what is too long', () => {
    for (const raw of [null, '{"address":1}', '{}', '[]', '5', '["a"]', `{"zzz":"${'x'.repeat(65_536)}"}`, `{"${'n'.repeat(65)}":1}`])
      expect(findParamHint(raw, params)).toBeUndefined();
    expect(findParamHint('{"zzz":3}', [])).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`zz${i}`, 1]));
    expect(findParamHint(JSON.stringify(many), params)?.unknownParams).toHaveLength(8);
  });
});
