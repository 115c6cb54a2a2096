import { createLruMap } from '../../base/bytes/lru-map.ts';
import { type Cache, notReadBack } from './cache.ts';

export type MemoryCacheOptions = {
  readonly maxBytes: number;
  /** Seconds, of a monotonic clock. */
  readonly now: () => number;
};

/** A cache in the memory of one process. Evicts the least recently used entry when it is full. */
export function createMemoryCache({ maxBytes, now }: MemoryCacheOptions): Cache {
  const entries = createLruMap<{ readonly value: Uint8Array; readonly until: number }>();
  let bytes = 0;

  const drop = (key: string): void => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= sizeOf(key, entry.value);
  };

  const read = (key: string): Uint8Array | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || entry.until > now()) return entry?.value;
    drop(key);
    return undefined;
  };

  const write = (key: string, value: Uint8Array, seconds: number): void => {
    drop(key);
    if (seconds <= 0 || sizeOf(key, value) > maxBytes) return;
    entries.set(key, { value, until: now() + seconds });
    bytes += sizeOf(key, value);
    for (let oldest = entries.oldest(); bytes > maxBytes && oldest !== undefined; oldest = entries.oldest()) drop(oldest.key);
  };

  return {
    get: async (key) => read(key),
    set: async (key, value, seconds) => write(key, value, seconds),
    setIfAbsent: async (key, value, seconds) => {
      const existing = read(key);
      if (existing === undefined) write(key, value, seconds);
      return existing ?? value;
    },
    probeWrite: async () => {
      const value = new Uint8Array(1);
      write(probeKey, value, 1);
      const back = read(probeKey);
      drop(probeKey);
      if (back !== value) throw notReadBack();
    },
    probeRead: async () => void read(probeKey),
    close: async () => {
      for (let oldest = entries.oldest(); oldest !== undefined; oldest = entries.oldest()) drop(oldest.key);
    },
  };
}

const probeKey = 'touch';

/** Bytes of an entry, including an estimated overhead of 200. */
const sizeOf = (key: string, value: Uint8Array): number => value.length + 2 * key.length + 200;
