import type { LogEntry } from './event-log.ts';
import type { EntryEvents } from './render-entry.ts';

/** The entries that were read last, so that one reading and one rendering serve all clients. An entry is rendered when the first client needs it. */
export type EntryCache = {
  readonly get: (seq: number) => EntryEvents | undefined;
  readonly add: (entry: LogEntry) => void;
  readonly clear: () => void;
};

/** Limits of the cache: bytes of blocks, and entries. The JSON of a block is some ten times as long. */
const maxCachedBytes = 2 * 1024 * 1024;
const maxCachedEntries = 1024;

export function createEntryCache(render: (entry: LogEntry) => EntryEvents): EntryCache {
  const cached = new Map<number, { readonly entry: LogEntry; events: EntryEvents | undefined }>();
  let bytes = 0;
  return {
    get: (seq) => {
      const found = cached.get(seq);
      if (found !== undefined) found.events ??= render(found.entry);
      return found?.events;
    },
    add: (entry) => {
      if (cached.has(entry.seq)) return;
      cached.set(entry.seq, { entry, events: undefined });
      bytes += sizeOf(entry);
      for (const [seq, oldest] of cached) {
        if ((bytes <= maxCachedBytes && cached.size <= maxCachedEntries) || seq === entry.seq) break;
        cached.delete(seq);
        bytes -= sizeOf(oldest.entry);
      }
    },
    clear: () => {
      cached.clear();
      bytes = 0;
    },
  };
}

const sizeOf = (entry: LogEntry): number => (entry.kind === 'block' ? entry.block.bytes.length : 0);
