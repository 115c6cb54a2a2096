import type { Id } from '../../base/bytes/id.ts';
import { createEntryCache } from './entry-cache.ts';
import type { EventLog, KnownBlocks, LogEntry } from './event-log.ts';
import { type ChainText, type EntryEvents, renderEntry } from './render-entry.ts';

/** How far a process has read the log of events, and the entries that it has read last, rendered. */
export type LogReader = {
  readonly id: () => string;
  /** The last entry that was sent. */
  readonly head: () => number;
  readonly setHead: (seq: number) => void;
  /** Goes to the end of the log. */
  readonly skipToEnd: () => Promise<void>;
  /** The number of the last entry in the log, which may be ahead of `head`. */
  readonly last: () => number | Promise<number>;
  /** The entries after `head`; undefined if some of them are lost. */
  readonly readNew: () => ReturnType<EventLog['read']>;
  readonly eventsOf: (entry: LogEntry) => EntryEvents;
  /** Reads a past entry; undefined if it is no longer stored. */
  readonly load: (seq: number) => EntryEvents | undefined | Promise<EntryEvents | undefined>;
  /** Drops the rendered entries. */
  readonly clear: () => void;
};

export function createLogReader(log: EventLog, textOf: (chainID: Id) => ChainText, known: KnownBlocks | undefined): LogReader {
  let logID = '';
  let head = 0;
  const render = (entry: LogEntry): EntryEvents => renderEntry(logID, entry, textOf);
  const cache = createEntryCache(render);
  return {
    id: () => logID,
    head: () => head,
    setHead: (seq) => {
      head = seq;
    },
    skipToEnd: async () => {
      [logID, head] = [await log.id(), await log.last()];
    },
    last: log.last,
    readNew: () => log.read(head, known),
    eventsOf: cache.eventsOf,
    load: (seq) => {
      const cached = cache.get(seq);
      if (cached !== undefined) return cached;
      const clearings = cache.clearings();
      const store = ([wanted, ...later]: readonly LogEntry[] = []): EntryEvents | undefined => {
        if (wanted === undefined) return undefined;
        if (cache.clearings() !== clearings) return render(wanted);
        for (const entry of later) cache.add(entry);
        // Added last: the later ones may fill the cache.
        return cache.eventsOf(wanted);
      };
      const entries = log.read(seq - 1, known);
      return entries instanceof Promise ? entries.then(store) : store(entries);
    },
    clear: cache.clear,
  };
}
