import type { Id } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import type { EventLog, KnownBlocks, LogEntry } from './event-log.ts';
import { type ChainText, type EntryEvents, renderEntry } from './render-entry.ts';

export type LogReader = ReturnType<typeof createLogReader>;

/** How far a process has read the log of events, and the entries that it has read last, rendered. `known`: see `EventLog`. */
export function createLogReader(log: EventLog, textOf: (chainID: Id) => ChainText, known: KnownBlocks | undefined) {
  let logID = '';
  let head = 0;
  const render = (entry: LogEntry): EntryEvents => renderEntry(logID, entry, textOf);
  const cache = createEntryCache(render);
  return {
    id: (): string => logID,
    /** The number of the last entry that was sent. */
    head: (): number => head,
    setHead: (entry: number): void => {
      head = entry;
    },
    /** Goes to the end of the log. */
    skipToEnd: async (): Promise<void> => {
      [logID, head] = [await log.id(), await log.last()];
    },
    /** The number of the last entry in the log, which may be ahead of `head`. */
    last: log.last,
    /** The entries after `head`; undefined if some of them are lost. */
    readNew: (): ReturnType<EventLog['read']> => log.read(head, known),
    eventsOf: cache.eventsOf,
    /** Reads a past entry by its number; undefined if it is no longer stored. */
    load: async (number: number): Promise<EntryEvents | undefined> => {
      const cached = cache.get(number);
      if (cached !== undefined) return cached;
      const clearings = cache.clearings();
      const [wanted, ...later] = (await log.read(number - 1, known)) ?? [];
      if (wanted === undefined) return undefined;
      if (cache.clearings() !== clearings) return render(wanted);
      for (const entry of later) cache.add(entry);
      // Added last: the later ones may fill the cache.
      return cache.eventsOf(wanted);
    },
    /** Drops the rendered entries. */
    clear: cache.clear,
  };
}

/** The events of a block are some ten times as long as its bytes. */
const eventsPerByte = 10;
/** Bytes of an entry beside the texts of its block. */
const entryOverhead = 500;

/** The entries that were read last, so that one reading and one rendering serve all clients. An entry is rendered when the first client needs it. */
function createEntryCache(render: (entry: LogEntry) => EntryEvents) {
  let clearings = 0;
  let lastUncached: EntryEvents | undefined;
  const cached = createCache<number, { readonly entry: LogEntry; events: EntryEvents | undefined }>('events', {
    size: (_, { entry }) => entryOverhead + (entry.kind === 'block' ? entry.block.bytes.length * eventsPerByte : 0),
    version: () => clearings,
  });
  const get = (number: number): EntryEvents | undefined => {
    const found = cached.get(number);
    if (found === undefined) return lastUncached?.number === number ? lastUncached : undefined;
    found.events ??= render(found.entry);
    return found.events;
  };
  const add = (entry: LogEntry): void => {
    if (cached.get(entry.number) === undefined) cached.set(entry.number, { entry, events: undefined });
  };
  return {
    get,
    add,
    /**
     * Adds an entry and returns its events. The last one that the cache has no room for is kept beside it: clients get the events of a large
     * block in slices, and it is not read and rendered again for each.
     */
    eventsOf: (entry: LogEntry): EntryEvents => {
      add(entry);
      const found = get(entry.number);
      if (found !== undefined) return found;
      lastUncached = render(entry);
      return lastUncached;
    },
    /** How often the cache was cleared. */
    clearings: (): number => clearings,
    clear: (): void => {
      clearings++;
      lastUncached = undefined;
    },
  };
}
