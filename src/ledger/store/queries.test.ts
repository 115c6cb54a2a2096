import { describe, expect, test } from 'bun:test';
import { runInWrite, runOnPostgres } from '../index/query-runner.ts';
import { fetchRowGroups, fetchRows, type Queries, type Query, raceQueries, runAllTogether, runTogether, toQuery } from './queries.ts';
import { startOnSqlite } from './sqlite-runner.ts';

const all = (...texts: string[]): Query[] => texts.map(toQuery);
/** Each query answers with its text and, after `n`, so many rows of it. */
const answer = (text: string): string[] => Array.from({ length: Number(/n(\d)/.exec(text)?.[1] ?? 1) }, () => text);

/** Runs queries; `groups` are the texts of each group that was sent. */
function run<T>(queries: Queries<T>): { readonly result: T; readonly groups: readonly string[] } {
  const groups: string[] = [];
  let step = queries.next();
  while (step.done !== true) {
    groups.push(step.value.map(({ text }) => text).join());
    step = queries.next(step.value.map(({ text }) => answer(text)));
  }
  return { result: step.value, groups };
}

describe('queries', () => {
  test('in a group return their rows in their order; without any nothing is sent', () => {
    expect(run(fetchRows(all('a', 'b n2')))).toEqual({ result: ['a', 'b n2', 'b n2'], groups: ['a,b n2'] });
    expect([run(fetchRows(all('a n2'))).result as unknown, run(fetchRows([]))]).toEqual([['a n2', 'a n2'], { result: [], groups: [] }]);
  });

  test('in named groups return the rows of each name', () => {
    const { result, groups } = run(fetchRowGroups({ one: all('a', 'b'), none: [], two: all('c n2'), three: all('d', 'e n0', 'f') }));
    expect([result, groups]).toEqual([{ one: ['a', 'b'], none: [], two: ['c n2', 'c n2'], three: ['d', 'f'] }, ['a,b,c n2,d,e n0,f']]);
  });

  const steps = function* (name: string, count: number): Queries<string> {
    const rows: unknown[] = [];
    for (let i = 0; i < count; i++) rows.push(...(yield* fetchRows(all(`${name}${i}`, `${name}${i}'`))));
    return rows.join('+');
  };

  test('of several computations share round trips, however many each needs', () => {
    expect(run(runTogether(steps('a', 1), steps('b', 2)))).toEqual({
      result: ["a0+a0'", "b0+b0'+b1+b1'"],
      groups: ["a0,a0',b0,b0'", "b1,b1'"],
    });
    expect(run(runAllTogether([steps('a', 0), steps('b', 1), steps('c', 2), steps('d', 0)]))).toEqual({
      ...{ result: ['', "b0+b0'", "c0+c0'+c1+c1'", ''], groups: ["b0,b0',c0,c0'", "c1,c1'"] },
    });
    expect(run(runAllTogether([]))).toEqual({ result: [], groups: [] });
  });

  test('of a race alternate by turns, and the first that finishes wins', () => {
    const turns = function* (name: string, count: number): Queries<string> {
      for (let i = 0; i < count; i++) {
        yield all(`${name}${i}`);
        yield [];
      }
      return name;
    };
    expect(run(raceQueries([turns('a', 3), turns('b', 2), turns('c', 9)]))).toEqual({
      result: 'b',
      groups: ['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2'],
    });
    expect(run(raceQueries([turns('a', 0)])).result).toBe('a');
  });
});

describe('on SQLite', () => {
  test('queries run one by one, and stop where a pause says so', async () => {
    const ran: string[] = [];
    const pauses = [undefined, Promise.resolve(), undefined, undefined];
    const started = startOnSqlite(
      (function* (): Queries<string> {
        const first = yield* fetchRows(all('a', 'b'));
        yield [];
        return [...first, ...(yield* fetchRows(all('c')))].join();
      })(),
      ({ text }) => {
        ran.push(text);
        return answer(text);
      },
      () => pauses.shift(),
    );
    expect([started.runUntilPause() instanceof Promise, ran]).toEqual([true, ['a', 'b']]);
    expect([started.runUntilPause(), ran, started.result()]).toEqual([undefined, ['a', 'b', 'c'], 'a,b,c']);
  });

  test('a write runs at once', () => {
    const sql = { dialect: 'sqlite', all: (text: string) => answer(text) } as never;
    expect(runInWrite(sql, fetchRows(all('a n2'))) as unknown).toEqual(['a n2', 'a n2']);
  });
});

describe('on PostgreSQL', () => {
  /** A server that counts the queries it runs at once, and lists what was sent. */
  const create = () => {
    const sent: string[] = [];
    let [now, most] = [0, 0];
    const work = async (text: string): Promise<string[]> => {
      sent.push(text);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return answer(text);
    };
    const sql = {
      dialect: 'postgres',
      all: work,
      copy: async (text: string, rows: Uint8Array) => void (await work(`${text} ${rows.length}`)),
    };
    return { sql: sql as never, sent, most: () => most };
  };

  test('eight queries of a group are sent at once, and the rows keep their order', async () => {
    const { sql, sent, most } = create();
    const texts = Array.from({ length: 19 }, (_, i) => `q${i}`);
    expect(await runOnPostgres(sql, fetchRows(all(...texts)))).toEqual(texts);
    expect([most(), sent]).toEqual([8, texts]);
    const few = create();
    await runOnPostgres(few.sql, fetchRows(all(...texts)), 3);
    expect(few.most()).toBe(3);
  });

  test('a COPY counts as four, and has no rows', async () => {
    const { sql, sent, most } = create();
    const copies = Array.from({ length: 3 }, (_, i): Query => ({ text: `copy${i}`, values: [], copy: () => new Uint8Array(i) }));
    expect(await runOnPostgres(sql, fetchRows([...copies, toQuery('last')]))).toEqual(['last']);
    expect([most(), sent]).toEqual([2, ['copy0 0', 'copy1 1', 'copy2 2', 'last']]);
  });

  test('groups follow each other, and a write awaits them', async () => {
    const { sql, sent } = create();
    const queries = function* (): Queries<unknown> {
      const first = yield* fetchRows<string>(all('a', 'b'));
      return [...first, ...(yield* fetchRows<string>(all(`after ${first.length}`)))];
    };
    expect(await runInWrite(sql, queries())).toEqual(['a', 'b', 'after 2']);
    expect(sent).toEqual(['a', 'b', 'after 2']);
  });
});
