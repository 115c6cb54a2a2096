import { createCache } from '../../base/cache/cache.ts';
import type { LogEntry } from './event-log.ts';
import type { EntryEvents } from './render-entry.ts';

/** The entries that were read last, so that one reading and one rendering serve all clients. An entry is rendered when the first client needs it. */
type EntryCache = {
  readonly get: (seq: number) => EntryEvents | undefined;
  readonly add: (entry: LogEntry) => void;
  /**
   * Adds an entry and returns its events. The last one that the cache has no room for is kept beside it: clients get the events of a large
   * block in slices, and it is not read and rendered again for each.
   */
  readonly eventsOf: (entry: LogEntry) => EntryEvents;
  /** How often the cache was cleared. */
  readonly clearings: () => number;
  readonly clear: () => void;
};

/** The events of a block are some ten times as long as its bytes. */
const eventsPerByte = 10;
/** Bytes of an entry beside the texts of its block. */
const entryOverhead = 500;

export function createEntryCache(render: (entry: LogEntry) => EntryEvents): EntryCache {
  let clearings = 0;
  let lastUncached: EntryEvents | undefined;
  const cached = createCache<number, { readonly entry: LogEntry; events: EntryEvents | undefined }>('events', {
    size: (_, { entry }) => sizeOf(entry),
    version: () => clearings,
  });
  const get = (seq: number): EntryEvents | undefined => {
    const found = cached.get(seq);
    if (found === undefined) return lastUncached?.seq === seq ? lastUncached : undefined;
    found.events ??= render(found.entry);
    return found.events;
  };
  const add = (entry: LogEntry): void => {
    if (cached.get(entry.seq) === undefined) cached.set(entry.seq, { entry, events: undefined });
  };
  return {
    get,
    add,
    eventsOf: (entry) => {
      add(entry);
      const found = get(entry.seq);
      if (found !== undefined) return found;
      lastUncached = render(entry);
      return lastUncached;
    },
    clearings: () => clearings,
    clear: () => {
      clearings++;
      lastUncached = undefined;
    },
  };
}

const sizeOf = (entry: LogEntry): number => entryOverhead + (entry.kind === 'block' ? entry.block.bytes.length * eventsPerByte : 0);
