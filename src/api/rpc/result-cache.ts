import { copyText } from '../../base/bytes/copy-text.ts';
import { type Json, RawJson, rawJson, writeJson } from './write-json.ts';

/** Longer results are not cached, in characters. */
const maxCachedLength = 2048;

/** Wraps a method so that its results are cached. `isCacheable`: whether a result depends on the parameters and the version only. */
export type CacheResults = <P extends object>(
  run: (params: P) => Json | Promise<Json>,
  isCacheable: (result: Json) => boolean,
) => (params: P) => Json | Promise<Json>;

/**
 * A cache of results as JSON, for each method and each of its parameters objects, until `version` changes. A result is cached when its
 * parameters are used again: those of many calls never are. All methods that it wraps share `maxBytes`: a full cache is emptied, which costs
 * less per call than tracking use.
 */
export function createResultCache(version: () => number | undefined, maxBytes: number): CacheResults {
  const methods: Map<object, RawJson>[] = [];
  let cachedVersion: number | undefined;
  let bytes = 0;
  const clear = (): void => {
    for (const results of methods) results.clear();
    bytes = 0;
  };

  const wrap: CacheResults = (run, isCacheable) => {
    const results = new Map<object, RawJson>();
    const used = new WeakSet<object>();
    methods.push(results);
    return (params) => {
      const before = version();
      if (before !== undefined && before === cachedVersion) {
        const cached = results.get(params);
        if (cached !== undefined) return cached;
      }
      const result = run(params);
      if (!used.has(params)) {
        used.add(params);
        return result;
      }
      if (before === undefined || result instanceof Promise || !isCacheable(result)) return result;
      const rendered = result instanceof RawJson ? result : rawJson(writeJson(result));
      if (typeof rendered.json !== 'string' || rendered.json.length > maxCachedLength) return rendered;
      // After a commit during `run` it is not known which state the result is of.
      if (version() !== before) return rendered;
      const size = rendered.json.length + entryOverhead;
      if (before !== cachedVersion || bytes + size > maxBytes) clear();
      cachedVersion = before;
      if (size > maxBytes) return rendered;
      results.set(params, rawJson(copyText(rendered.json)));
      bytes += size;
      return rendered;
    };
  };
  return wrap;
}

/** Estimated bytes of an entry beside its text: the map, the objects, and the parameters, which have up to 256 characters. */
const entryOverhead = 600;
