import { createLruMap } from '../bytes/lru-map.ts';
import type { Eventual } from './eventual.ts';
import type { KeyStore } from './key-store.ts';
import { type ApiKey, hashOf, isKeyShaped } from './keys.ts';

/** Finds stored keys by their text. Rejects if the store does not answer. */
export type KeyFinder = { readonly find: (text: string) => Eventual<ApiKey | undefined> };

export type KeyFinderOptions = {
  readonly store: KeyStore;
  /** Milliseconds. */
  readonly now: () => number;
  /** How long an answer of the store is believed: so long a revoked key may still pass, and a new one not. */
  readonly life?: number;
  readonly maxKept?: number;
};

/** Asks the store once for many requests: those that come together wait for the same answer, and for a while it is kept. */
export function createKeyFinder({ store, now, life = 500, maxKept = 10_000 }: KeyFinderOptions): KeyFinder {
  const kept = createLruMap<{ readonly found: Eventual<ApiKey | undefined>; readonly until: number }>();

  const ask = (hash: string, time: number): Eventual<ApiKey | undefined> => {
    const found = store.find(hash);
    const entry = { found, until: time + life };
    kept.set(hash, entry);
    const oldest = kept.oldest();
    if (oldest !== undefined && kept.size() > maxKept) kept.delete(oldest.key);
    if (found instanceof Promise)
      found.then(
        (key) => replace(hash, entry, { ...entry, found: key }),
        () => replace(hash, entry, undefined),
      );
    return found;
  };

  /** What was waited for is known now, or must be asked for again. */
  const replace = (hash: string, entry: object, by: { found: ApiKey | undefined; until: number } | undefined): void => {
    if (kept.get(hash) !== entry) return;
    if (by === undefined) kept.delete(hash);
    else kept.set(hash, by);
  };

  return {
    find: (text) => {
      if (!isKeyShaped(text)) return undefined;
      const hash = hashOf(text);
      const time = now();
      const entry = kept.get(hash);
      return entry !== undefined && time < entry.until ? entry.found : ask(hash, time);
    },
  };
}
