import { expect, test } from 'bun:test';
import { prng } from '../state/random-chain.fixture.ts';
import type { Queries, Query } from '../store/queries.ts';
import { raceQueries } from '../store/queries.ts';
import { mergeSources, type RowSource } from './merge.ts';

type Row = { readonly n: number };

/** Runs steps on lists: the values of a query are the list, the row to start after, and the limit. */
function run<T>(steps: Queries<T>, lists: readonly (readonly Row[])[]) {
  let [queries, rows] = [0, 0];
  let turn = steps.next();
  while (turn.done !== true)
    turn = steps.next(
      turn.value.map(({ values }) => {
        const [list, after, limit] = values as number[];
        const found = (lists[list as number] as Row[]).filter(({ n }) => n > (after as number)).slice(0, limit);
        queries++;
        rows += found.length;
        return found;
      }),
    );
  return { result: turn.value, queries, rows };
}

const sourceOf = (list: number): RowSource<Row> => ({
  queryAfter: (after, limit): Query => ({ text: '', values: [list, after?.n ?? -1, limit] }),
});
const compare = (a: Row, b: Row) => a.n - b.n;

test('merges lists in order, without duplicates', () => {
  const random = prng(1);
  const pick = (n: number) => Math.floor(random() * n);
  for (let round = 0; round < 300; round++) {
    const lists = Array.from({ length: 1 + pick(12) }, () => {
      const numbers = new Set(Array.from({ length: pick(40) }, () => pick(60)));
      return [...numbers].sort((a, b) => a - b).map((n) => ({ n }));
    });
    const limit = [1, 2, 5, 20, Number.POSITIVE_INFINITY][pick(5)] as number;
    const toItem = ({ n }: Row) => (n % 3 === 0 ? undefined : n);
    const { result } = run(mergeSources({ sources: lists.map((_, i) => sourceOf(i)), compare, toItem: toItem, limit }), lists);
    const all = [...new Set(lists.flat().map(({ n }) => n))].sort((a, b) => a - b).filter((n) => n % 3 !== 0);
    expect(result).toEqual({ items: all.slice(0, limit), readTo: undefined });
  }
});

test('reads little more than one page, at any depth', () => {
  const long = Array.from({ length: 10_000 }, (_, n) => ({ n }));
  const lists = [long, long.filter(({ n }) => n % 2 === 0), [], []];
  for (const begin of [-1, 5000, 9800]) {
    const from = lists.map((list) => list.filter(({ n }) => n > begin));
    const { result, queries, rows } = run(
      mergeSources({ sources: from.map((_, i) => sourceOf(i)), compare, toItem: ({ n }) => n, limit: 100 }),
      from,
    );
    expect(result.items).toEqual(long.slice(begin + 1, begin + 101).map(({ n }) => n));
    expect(queries).toBe(4);
    expect(rows).toBeLessThanOrEqual(200);
  }
  const many = Array.from({ length: 200 }, (_, i) => long.filter(({ n }) => n % 200 === i));
  const spread = run(mergeSources({ sources: many.map((_, i) => sourceOf(i)), compare, toItem: ({ n }) => n, limit: 100 }), many);
  expect(spread.rows).toBeLessThanOrEqual(200 * 8);
});

test('a filtered page reads a bounded number of rows, and says where the next one begins', () => {
  const long = Array.from({ length: 10_000 }, (_, n) => ({ n }));
  const lists = [long, long.filter(({ n }) => n % 10 === 0)];
  const toItem = ({ n }: Row) => (n % 700 === 0 ? n : undefined);
  const found: number[] = [];
  let from = lists;
  for (let pages = 0; ; pages++) {
    const { result, rows } = run(
      mergeSources({ sources: from.map((_, i) => sourceOf(i)), compare, toItem, limit: 10, filteredRows: 500 }),
      from,
    );
    expect(rows).toBeLessThanOrEqual(2 * 10 + 500);
    found.push(...result.items);
    const { readTo } = result;
    if (readTo === undefined) {
      expect(pages).toBeGreaterThan(10);
      break;
    }
    from = lists.map((list) => list.filter(({ n }) => n > readTo.n));
  }
  expect(found).toEqual(long.map(({ n }) => n).filter((n) => n % 700 === 0));
});

test('returns the result of the candidate that finishes first', () => {
  function* candidate(name: string, turns: number): Queries<string> {
    for (let i = 0; i < turns; i++) {
      yield [{ text: name, values: [0, -1, 1] }];
      yield [];
    }
    return name;
  }
  const lists = [[{ n: 1 }]];
  expect(run(raceQueries([candidate('a', 3), candidate('b', 50)]), lists)).toMatchObject({ result: 'a', queries: 6 });
  expect(run(raceQueries([candidate('a', 50), candidate('b', 3)]), lists)).toMatchObject({ result: 'b', queries: 7 });
});
