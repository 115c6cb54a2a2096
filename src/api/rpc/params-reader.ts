import { createCache } from '../../base/cache/cache.ts';
import { copyText } from '../../base/cache/copy-text.ts';
import { type RpcParam, readRpcParams } from './params.ts';

/** Longer texts are not cached. One address or ID has about 100 characters. */
const maxCachedLength = 256;

/** Bytes of an entry beside its text. */
const entrySize = 600;

/**
 * Creates a function that reads the parameters of a method and caches them by their text: clients poll with the same parameters. Errors are
 * not cached. The text is copied before it is read, so that no parameter holds the body of a request.
 */
export function createParamsReader<T extends NonNullable<unknown>>(param: RpcParam<T>): (raw: string | null) => T {
  const cache = createCache<string, T>('params', { size: (raw) => 2 * raw.length + entrySize });
  return (raw) => {
    if (raw === null || raw.length > maxCachedLength) return readRpcParams(param, raw);
    const cached = cache.get(raw);
    if (cached !== undefined) return cached;
    const params = readRpcParams(param, copyText(raw));
    cache.set(raw, params);
    return params;
  };
}
