import { Fault } from '../../base/fault.ts';

/** A cache with expiry that processes share: responses, page token secrets. In one process's memory, or in Redis for many processes. */
export type Cache = {
  /** Returns undefined if there is no value, or the cache is unreachable. `get` and `set` never reject; use `probeRead` to find out. */
  readonly get: (key: string) => Promise<Uint8Array | undefined>;
  readonly set: (key: string, value: Uint8Array, seconds: number) => Promise<void>;
  /**
   * Stores the value if the key has none, and returns the stored value: so many processes agree on one. Rejects if the cache is
   * unreachable.
   */
  readonly setIfAbsent: (key: string, value: Uint8Array, seconds: number) => Promise<Uint8Array>;
  /** Writes a key and reads it back. Rejects if that fails. */
  readonly probeWrite: () => Promise<void>;
  /** Reads a key. Rejects if that fails. */
  readonly probeRead: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type CacheFault = { code: 'ACCESS_CACHE_FAILED' };
export class CacheError extends Fault<CacheFault> {}

export const notReadBack = (): CacheError =>
  new CacheError('cache: a value that was just written could not be read back', { code: 'ACCESS_CACHE_FAILED' });
