import { Fault } from '../fault.ts';

/** What processes share for a while: answers, counts, page secrets. In one process's memory, or in Redis for many. */
export type Cache = {
  /** undefined: nothing is kept, or what is kept cannot be reached. Never rejects, as little as `set`: whoever must know asks `look`. */
  readonly get: (key: string) => Promise<Uint8Array | undefined>;
  readonly set: (key: string, value: Uint8Array, seconds: number) => Promise<void>;
  /** Keeps the value if there is none yet, and tells which one is kept: so many processes agree on one. Rejects if it cannot. */
  readonly claim: (key: string, value: Uint8Array, seconds: number) => Promise<Uint8Array>;
  /** Really writes and reads a key; rejects if it cannot. */
  readonly touch: () => Promise<void>;
  /** Really reads; rejects if it cannot. */
  readonly look: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type CacheFault = { code: 'ACCESS_CACHE_FAILED' };
export class CacheError extends Fault<CacheFault> {}

export const notReadBack = (): CacheError => new CacheError('cache: a key written was not read back', { code: 'ACCESS_CACHE_FAILED' });
