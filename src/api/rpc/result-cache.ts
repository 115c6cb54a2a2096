import { createCache } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import { copyText } from '../../base/cache/copy-text.ts';
import { createObjectSlot } from '../../base/cache/object-slot.ts';
import { type Json, RawJson, rawJson, writeJson } from './write-json.ts';

/** Longer results are not cached, in characters. */
const maxCachedLength = 2048;

/** Wraps a method so that its results are cached. `isCacheable`: whether a result depends on the parameters and the version only. */
export type CacheResults = <P extends object>(
  run: (params: P) => Promise<Json>,
  isCacheable: (result: Json) => boolean,
) => (params: P) => Promise<Json>;

/**
 * A cache of results as JSON, for each method and each of its parameters objects, until `version` changes. A result is cached when its
 * parameters are used again: those of many calls never are.
 */
export const createResultCache =
  (version: () => number | undefined, budget?: CacheBudget): CacheResults =>
  <P extends object>(run: (params: P) => Promise<Json>, isCacheable: (result: Json) => boolean) => {
    const results = createCache<object, RawJson>('results', { size: resultSize, version, budget });
    const used = createObjectSlot<object, true>();
    return async (params: P) => {
      const cached = results.get(params);
      if (cached !== undefined) return cached;
      const before = results.version();
      const result = await run(params);
      if (used.get(params) === undefined) {
        used.set(params, true);
        return result;
      }
      if (before === undefined || !isCacheable(result)) return result;
      const rendered = result instanceof RawJson ? result : rawJson(writeJson(result));
      if (typeof rendered.json !== 'string' || rendered.json.length > maxCachedLength) return rendered;
      // After a commit during `run` it is not known which state the result is of: then it is not cached.
      results.set(params, rawJson(copyText(rendered.json)), before);
      return rendered;
    };
  };

/** Bytes of an entry: its text, the map, the objects, and the parameters, which have up to 256 characters. */
const resultSize = (_: object, { json }: RawJson): number => json.length + 600;
