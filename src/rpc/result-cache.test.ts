import { describe, expect, it } from 'bun:test';
import { cacheResults } from './result-cache.ts';
import { type Json, rawJson, writeJson } from './write-json.ts';

const params = { txID: 'a' };

/** A cached function with a version and a result that the test changes. */
function createCounted(result: () => Json | Promise<Json>, isCacheable: (result: Json) => boolean = () => true) {
  const state = { version: 1 as number | undefined, runs: 0 };
  const run = cacheResults(
    () => {
      state.runs++;
      return result();
    },
    () => state.version,
    isCacheable,
  );
  return { state, run: (key: object = params) => writeJson(run(key as typeof params) as Json) };
}

describe('results of methods', () => {
  it('are computed again only after a commit', () => {
    let height = 1;
    const { state, run } = createCounted(() => ({ height }));
    expect([run(), run(), state.runs]).toEqual(['{"height":1}', '{"height":1}', 1]);
    height = 2;
    state.version = 2;
    expect([run(), run(), state.runs]).toEqual(['{"height":2}', '{"height":2}', 2]);
  });

  it('are cached for each parameters object', () => {
    const { state, run } = createCounted(() => rawJson('1'));
    expect([run({}), run({}), state.runs]).toEqual(['1', '1', 2]);
  });

  it('are not cached while the version is unknown, if they are not cacheable, or if they are long', () => {
    const unknown = createCounted(() => 1);
    unknown.state.version = undefined;
    expect([unknown.run(), unknown.run(), unknown.state.runs]).toEqual(['1', '1', 2]);
    const other = createCounted(
      () => 1,
      () => false,
    );
    expect([other.run(), other.run(), other.state.runs]).toEqual(['1', '1', 2]);
    const long = createCounted(() => 'x'.repeat(3000));
    expect([long.run(), long.run()].map(({ length }) => length)).toEqual([3002, 3002]);
    expect(long.state.runs).toBe(2);
  });

  it('are not cached if there was a commit while they were computed', () => {
    const { state, run } = createCounted(() => {
      state.version = (state.version ?? 0) + 1;
      return state.runs;
    });
    expect([run(), run()]).toEqual(['1', '2']);
  });

  it('are not cached if they are asynchronous', async () => {
    let runs = 0;
    const run = cacheResults(
      async () => ++runs,
      () => 1,
      () => true,
    );
    expect([await run(params), await run(params)]).toEqual([1, 2]);
  });
});
