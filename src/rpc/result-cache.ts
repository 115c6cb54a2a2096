import { copyText } from '../bytes/copy-text.ts';
import { type Json, RawJson, rawJson, writeJson } from './write-json.ts';

/** Longer results are not cached, in characters. Parameters are cached per method (see params-reader.ts), so this bounds a method to 1 MB. */
const maxCachedLength = 2048;

/**
 * Returns a function that keeps the last result for each parameters object, as JSON, while `version` stays the same. Only for functions
 * whose result depends on nothing else. `isCacheable`: whether a result depends on the parameters and the version only.
 */
export function cacheResults<P extends object>(
  run: (params: P) => Json | Promise<Json>,
  version: () => number | undefined,
  isCacheable: (result: Json) => boolean,
): (params: P) => Json | Promise<Json> {
  const results = new WeakMap<P, { readonly version: number; readonly result: RawJson }>();
  return (params) => {
    const before = version();
    const cached = results.get(params);
    if (cached !== undefined && cached.version === before) return cached.result;
    const result = run(params);
    if (before === undefined || result instanceof Promise || !isCacheable(result)) return result;
    const rendered = result instanceof RawJson ? result : rawJson(writeJson(result));
    // After a commit during `run` it is not known which state the result is of.
    if (typeof rendered.json === 'string' && rendered.json.length <= maxCachedLength && version() === before)
      results.set(params, { version: before, result: rawJson(copyText(rendered.json)) });
    return rendered;
  };
}
