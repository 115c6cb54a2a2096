import { createLruMap } from '../bytes/lru-map.ts';
import { type Cache, notReadBack } from './cache.ts';

export type MemoryCacheOptions = {
  readonly maxBytes: number;
  /** Seconds, of any clock that does not go back. */
  readonly now: () => number;
};

/** Of one process. When it is full, what was not asked for longest goes first. */
export function createMemoryCache({ maxBytes, now }: MemoryCacheOptions): Cache {
  const kept = createLruMap<{ readonly value: Uint8Array; readonly until: number }>();
  let bytes = 0;

  const drop = (key: string): void => {
    const entry = kept.get(key);
    if (entry === undefined) return;
    kept.delete(key);
    bytes -= sizeOf(key, entry.value);
  };

  const read = (key: string): Uint8Array | undefined => {
    const entry = kept.get(key);
    if (entry === undefined || entry.until > now()) return entry?.value;
    drop(key);
    return undefined;
  };

  const write = (key: string, value: Uint8Array, seconds: number): void => {
    drop(key);
    if (seconds <= 0 || sizeOf(key, value) > maxBytes) return;
    kept.set(key, { value, until: now() + seconds });
    bytes += sizeOf(key, value);
    for (let oldest = kept.oldest(); bytes > maxBytes && oldest !== undefined; oldest = kept.oldest()) drop(oldest.key);
  };

  return {
    get: async (key) => read(key),
    set: async (key, value, seconds) => write(key, value, seconds),
    claim: async (key, value, seconds) => {
      const known = read(key);
      if (known === undefined) write(key, value, seconds);
      return known ?? value;
    },
    touch: async () => {
      const value = new Uint8Array(1);
      write(touched, value, 1);
      const back = read(touched);
      drop(touched);
      if (back !== value) throw notReadBack();
    },
    look: async () => void read(touched),
    close: async () => {
      for (let oldest = kept.oldest(); oldest !== undefined; oldest = kept.oldest()) drop(oldest.key);
    },
  };
}

const touched = 'touch';

/** With what an entry costs beside its bytes. */
const sizeOf = (key: string, value: Uint8Array): number => value.length + 2 * key.length + 200;
