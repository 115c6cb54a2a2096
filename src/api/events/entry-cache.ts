import { createCache } from '../../base/cache/cache.ts';
import type { LogEntry } from './event-log.ts';
import type { EntryEvents } from './render-entry.ts';

/** The entries that were read last, so that one reading and one rendering serve all clients. An entry is rendered when the first client needs it. */
type EntryCache = {
  readonly get: (seq: number) => EntryEvents | undefined;
  readonly add: (entry: LogEntry) => void;
  readonly clear: () => void;
};

/** The events of a block are some ten times as long as its bytes. */
const eventsPerByte = 10;
/** Bytes of an entry beside the texts of its block. */
const entryOverhead = 500;

export function createEntryCache(render: (entry: LogEntry) => EntryEvents): EntryCache {
  let clearings = 0;
  const cached = createCache<number, { readonly entry: LogEntry; events: EntryEvents | undefined }>('events', {
    size: (_, { entry }) => sizeOf(entry),
    version: () => clearings,
  });
  return {
    get: (seq) => {
      const found = cached.get(seq);
      if (found !== undefined) found.events ??= render(found.entry);
      return found?.events;
    },
    add: (entry) => {
      if (cached.get(entry.seq) === undefined) cached.set(entry.seq, { entry, events: undefined });
    },
    clear: () => {
      clearings++;
    },
  };
}

const sizeOf = (entry: LogEntry): number => entryOverhead + (entry.kind === 'block' ? entry.block.bytes.length * eventsPerByte : 0);
