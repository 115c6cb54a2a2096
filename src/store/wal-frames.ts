import { zlib } from '../bytes/runtime-modules.ts';
import type { OffsetFile } from './offset-file.ts';

/*
 * SQLite's write-ahead log (WAL): a header of 32 bytes, then frames. A frame is a header of 24 bytes and one page.
 * Format: https://www.sqlite.org/fileformat2.html, "The Write-Ahead Log".
 * Valid frames have the same salts as the header; frames after them are left over from before the last restart of the log.
 */
const headerSize = 32;
const frameHeaderSize = 24;
const magic = 0x377f0682;

/** Bytes per read while scanning the frame headers. */
const chunkSize = 1 << 20;

/**
 * Reads the checksum of the newest committed version of each page in the log, by page number.
 * Frames after the last commit are ignored: their transaction was rolled back.
 */
export function readWalChecksums(wal: OffsetFile): Map<number, number> {
  const header = Buffer.alloc(headerSize);
  // The lowest bit of the magic number is the byte order of SQLite's own checksums, which are not used here.
  if (wal.read(0, header) < headerSize || (header.readUInt32BE(0) & ~1) >>> 0 !== magic) return new Map();
  const page = Buffer.alloc(header.readUInt32BE(8));
  const checksums = new Map<number, number>();
  for (const [pageNumber, offset] of findNewestFrames(wal, header)) {
    wal.read(offset + frameHeaderSize, page);
    checksums.set(pageNumber, pageChecksum(page));
  }
  return checksums;
}

/**
 * The offset of the newest committed frame of each page, by page number. Most pages appear in several frames, so the pages themselves are
 * read only after the newest frames are known.
 */
function findNewestFrames(wal: OffsetFile, header: Buffer): Map<number, number> {
  const frameSize = frameHeaderSize + header.readUInt32BE(8);
  const [salt1, salt2] = [header.readUInt32BE(16), header.readUInt32BE(20)];
  const chunk = Buffer.alloc(Math.max(1, Math.floor(chunkSize / frameSize)) * frameSize);
  const committed = new Map<number, number>();
  let pending: number[] = [];
  for (let start = headerSize; ; start += chunk.length) {
    const count = wal.read(start, chunk);
    for (let at = 0; at + frameSize <= count; at += frameSize) {
      if (chunk.readUInt32BE(at + 8) !== salt1 || chunk.readUInt32BE(at + 12) !== salt2) return committed;
      pending.push(chunk.readUInt32BE(at), start + at);
      if (chunk.readUInt32BE(at + 4) === 0) continue;
      for (let i = 0; i < pending.length; i += 2) committed.set(pending[i] as number, pending[i + 1] as number);
      pending = [];
    }
    if (count < chunk.length) return committed;
  }
}

/** CRC-32 of a page. 0 means "not recorded", so a CRC of 0 is replaced by 1. */
export const pageChecksum = (page: Uint8Array): number => zlib().crc32(page) || 1;
