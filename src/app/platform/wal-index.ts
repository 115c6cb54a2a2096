import { statSync } from 'node:fs';

/**
 * Watches the commits to a SQLite database that another process writes, without queries. In WAL mode SQLite keeps a header in the file
 * `<database>-shm` that changes with every commit, and looks at it before every read; here the same memory is mapped.
 *
 * Call it before this process opens the database: closing any descriptor of that file releases the locks of the whole process on it. Returns
 * undefined if there is no such file. `isInUse`: whether the file is still the one that SQLite uses, to be asked once the database is open.
 */
export function watchWalIndex(database: string): { readonly version: () => number; readonly isInUse: () => boolean } | undefined {
  const path = `${database}-shm`;
  const inode = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
  const before = statSync(path, { throwIfNoEntry: false });
  if (before === undefined || before.size < headerBytes) return undefined;
  const bytes = Bun.mmap(path);
  return {
    version: countChanges(new Uint32Array(bytes.buffer, bytes.byteOffset, headerBytes / 4)),
    isInUse: () => inode() === before.ino,
  };
}

/** The size of SQLite's `WalIndexHdr`. It contains a counter of the commits, the last frame of the log, and checksums. */
const headerBytes = 48;

/** A number that increases whenever the words have changed since the last call. */
function countChanges(words: Uint32Array): () => number {
  const seen = words.slice();
  let version = 0;
  return () => {
    for (let at = 0; at < words.length; at++)
      if (words[at] !== seen[at]) {
        seen.set(words);
        version++;
        break;
      }
    return version;
  };
}
