import { boundedMap } from '../../base/bytes/bounded-map.ts';
import { copyText } from '../../base/bytes/copy-text.ts';
import { type RpcParam, readRpcParams } from './params.ts';

/** Cached parameters of one method. */
const maxCached = 512;
/** Longer texts are not cached. One address or ID has about 100 characters; this bounds the cache of a method to about 400 kB. */
const maxCachedLength = 256;

/**
 * Creates a function that reads the parameters of a method and caches them by their text: clients poll with the same parameters. Errors are
 * not cached. The text is copied before it is read, so that no parameter holds the body of a request.
 */
export function createParamsReader<T extends NonNullable<unknown>>(param: RpcParam<T>): (raw: string | null) => T {
  const cache = boundedMap<string, T>(maxCached);
  return (raw) => {
    if (raw === null || raw.length > maxCachedLength) return readRpcParams(param, raw);
    const cached = cache.get(raw);
    if (cached !== undefined) return cached;
    const text = copyText(raw);
    const params = readRpcParams(param, text);
    cache.set(text, params);
    return params;
  };
}
