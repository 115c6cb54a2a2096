import { describe, expect, it } from 'bun:test';
import { budgetFor } from '../../base/cache/budget.fixture.ts';
import { createResultCache } from './result-cache.ts';
import { type Json, rawJson, writeJson } from './write-json.ts';

const params = { txID: 'a' };

/** A cached function with a version and a result that the test changes. */
function createCounted(result: () => Json, isCacheable: (result: Json) => boolean = () => true, maxBytes = 1_000_000) {
  const state = { version: 1 as number | undefined, runs: 0 };
  const cacheResults = createResultCache(() => state.version, budgetFor('results', maxBytes));
  const run = cacheResults(async () => {
    state.runs++;
    return result();
  }, isCacheable);
  return { state, cacheResults, run: async (key: object = params) => writeJson(await run(key)) };
}

describe('results of methods', () => {
  it('are cached at the second call and computed again only after a commit', async () => {
    let height = 1;
    const { state, run } = createCounted(() => ({ height }));
    expect([await run(), await run(), await run(), await run(), state.runs]).toEqual([
      '{"height":1}',
      '{"height":1}',
      '{"height":1}',
      '{"height":1}',
      2,
    ]);
    height = 2;
    state.version = 2;
    expect([await run(), await run(), state.runs]).toEqual(['{"height":2}', '{"height":2}', 3]);
  });

  it('are cached for each parameters object and each method', async () => {
    const { state, cacheResults, run } = createCounted(() => rawJson('1'));
    expect([await run({}), await run({}), await run({}), state.runs]).toEqual(['1', '1', '1', 3]);
    const other = cacheResults(
      async () => rawJson('2'),
      () => true,
    );
    await run();
    await run();
    expect([await other(params), await other(params), await other(params)].map(writeJson)).toEqual(['2', '2', '2']);
    expect(await run()).toBe('1');
  });

  it('are not cached while the version is unknown, if they are not cacheable, or if they are long', async () => {
    const unknown = createCounted(() => 1);
    unknown.state.version = undefined;
    expect([await unknown.run(), await unknown.run(), await unknown.run(), unknown.state.runs]).toEqual(['1', '1', '1', 3]);
    const other = createCounted(
      () => 1,
      () => false,
    );
    expect([await other.run(), await other.run(), await other.run(), other.state.runs]).toEqual(['1', '1', '1', 3]);
    const long = createCounted(() => 'x'.repeat(3000));
    expect([await long.run(), await long.run(), await long.run()].map(({ length }) => length)).toEqual([3002, 3002, 3002]);
    expect(long.state.runs).toBe(3);
  });

  it('are not cached if there was a commit while they were computed', async () => {
    const { state, run } = createCounted(() => {
      state.version = (state.version ?? 0) + 1;
      return state.runs;
    });
    expect([await run(), await run(), await run()]).toEqual(['1', '2', '3']);
  });

  it('of all methods share a number of bytes', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => ({ i }));
    // Room for six results of 2,000 characters.
    const { state, cacheResults, run } = createCounted(
      () => 'x'.repeat(1998),
      () => true,
      16_000,
    );
    const other = cacheResults(
      async () => 'y'.repeat(1998),
      () => true,
    );
    const runTwice = async (key: object) => {
      await run(key);
      await run(key);
    };
    for (const key of keys.slice(0, 3)) await runTwice(key);
    state.runs = 0;
    for (const key of keys.slice(0, 3)) await run(key);
    expect(state.runs).toBe(0);
    for (const key of keys) for (let time = 0; time < 2; time++) await other(key);
    for (const key of keys.slice(0, 3)) await run(key);
    expect(state.runs).toBe(3);
  });

  it('are not cached without memory', async () => {
    const { state, run } = createCounted(
      () => 1,
      () => true,
      0,
    );
    expect([await run(), await run(), await run(), state.runs]).toEqual(['1', '1', '1', 3]);
  });
});
