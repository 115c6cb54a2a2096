import { Fault } from '../../base/fault.ts';

/** A cache with expiry that processes share, in Redis: responses. */
export type SharedCache = {
  /** Returns undefined if there is no value, or the cache is unreachable. `get` and `set` never reject; use `probeRead` to find out. */
  readonly get: (key: string) => Promise<Uint8Array | undefined>;
  readonly set: (key: string, value: Uint8Array, seconds: number) => Promise<void>;
  /** Writes a key and reads it back. Rejects if that fails. */
  readonly probeWrite: () => Promise<void>;
  /** Reads a key. Rejects if that fails. */
  readonly probeRead: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type CacheFault = { code: 'ACCESS_CACHE_FAILED' };
class CacheError extends Fault<CacheFault> {}

export const notReadBack = (): CacheError =>
  new CacheError('cache: a value that was just written could not be read back', { code: 'ACCESS_CACHE_FAILED' });

/** For a server without Redis: holds nothing. Each process has its own response cache anyway. */
export const noSharedCache: SharedCache = {
  get: async () => undefined,
  set: async () => {},
  probeWrite: async () => {},
  probeRead: async () => {},
  close: async () => {},
};
