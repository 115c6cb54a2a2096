import type { OffsetFile, OpenFile } from './offset-file.ts';
import { readFrames, readWalHeader, walHeaderSize } from './wal-frames.ts';

/**
 * Removes what follows the last commit in the write-ahead log of a database that no other process has open. After a power cut, frames behind a
 * missing one can be on disk; SQLite ignores them and overwrites them one after the other. Until then they would look like committed pages
 * to `readWalChecksums`, which compares no checksums of frames; and if the missing frame is written again as it was, also to SQLite.
 */
export function truncateWal(open: OpenFile, database: string): void {
  const existing = open(`${database}-wal`, 'read');
  if (existing === undefined) return;
  let [size, end] = [0, 0];
  try {
    size = existing.size();
    end = findWalEnd(existing);
  } finally {
    existing.close();
  }
  if (end === size) return;
  const wal = open(`${database}-wal`, 'write');
  try {
    wal.truncate(end);
    wal.sync();
  } finally {
    wal.close();
  }
}

/** Returns the offset after the last frame that SQLite accepts as committed; 0 if it accepts none. */
export function findWalEnd(wal: OffsetFile): number {
  const log = readWalHeader(wal);
  if (log.length < walHeaderSize) return 0;
  const sum = createSum((log.readUInt32BE(0) & 1) === 0);
  sum.add(log.subarray(0, 24));
  if (!sum.isStoredIn(log.subarray(24))) return 0;
  let end = 0;
  for (const frame of readFrames(wal)) {
    sum.add(frame.header.subarray(0, 8));
    sum.add(frame.page);
    if (!sum.isStoredIn(frame.header.subarray(16))) return end;
    if (frame.isCommit) end = frame.end;
  }
  return end;
}

/** The checksum of everything that was added so far. Format: https://www.sqlite.org/fileformat2.html, "Checksum Algorithm". */
function createSum(isLittleEndian: boolean) {
  let [first, second] = [0, 0];
  return {
    add: (bytes: Uint8Array): void => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      let [a, b] = [first, second];
      for (let at = 0; at < bytes.length; at += 8) {
        a = (a + view.getUint32(at, isLittleEndian) + b) | 0;
        b = (b + view.getUint32(at + 4, isLittleEndian) + a) | 0;
      }
      [first, second] = [a, b];
    },
    isStoredIn: (bytes: Buffer): boolean => bytes.readInt32BE(0) === first && bytes.readInt32BE(4) === second,
  };
}
