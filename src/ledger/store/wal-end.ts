import type { OffsetFile, OpenFile } from './offset-file.ts';

const headerSize = 32;
const frameHeaderSize = 24;
/** The magic number of a log whose checksums read words in little-endian order; with the lowest bit set, in big-endian order. */
const magic = 0x377f0682;
const chunkSize = 1 << 20;

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
  const header = Buffer.alloc(headerSize);
  if (wal.read(0, header) < headerSize || (header.readUInt32BE(0) & ~1) >>> 0 !== magic) return 0;
  const pageSize = header.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return 0;
  const sum: Sum = [0, 0];
  const isLittleEndian = (header.readUInt32BE(0) & 1) === 0;
  addToSum(sum, header, 0, 24, isLittleEndian);
  if (!isStoredAt(sum, header, 24)) return 0;
  const frameSize = frameHeaderSize + pageSize;
  const chunk = Buffer.alloc(Math.max(1, Math.floor(chunkSize / frameSize)) * frameSize);
  let end = 0;
  for (let start = headerSize; ; start += chunk.length) {
    const count = wal.read(start, chunk);
    for (let at = 0; at + frameSize <= count; at += frameSize) {
      if (chunk.compare(header, 16, 24, at + 8, at + 16) !== 0) return end;
      addToSum(sum, chunk, at, at + 8, isLittleEndian);
      addToSum(sum, chunk, at + frameHeaderSize, at + frameSize, isLittleEndian);
      if (!isStoredAt(sum, chunk, at + 16)) return end;
      // Only the last frame of a commit has the size of the database.
      if (chunk.readUInt32BE(at + 4) !== 0) end = start + at + frameSize;
    }
    if (count < chunk.length) return end;
  }
}

type Sum = [number, number];

/** Adds bytes to a checksum. Format: https://www.sqlite.org/fileformat2.html, "Checksum Algorithm". */
function addToSum(sum: Sum, bytes: Buffer, from: number, to: number, isLittleEndian: boolean): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [first, second] = sum;
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, isLittleEndian) + second) | 0;
    second = (second + view.getUint32(at + 4, isLittleEndian) + first) | 0;
  }
  sum[0] = first;
  sum[1] = second;
}

const isStoredAt = ([first, second]: Sum, bytes: Buffer, at: number): boolean =>
  bytes.readInt32BE(at) === first && bytes.readInt32BE(at + 4) === second;
