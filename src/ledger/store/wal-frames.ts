import { crc32 } from '../../base/bytes/runtime-modules.ts';
import type { OffsetFile } from './offset-file.ts';

/*
 * SQLite's write-ahead log (WAL): a header of 32 bytes, then frames. A frame is a header of 24 bytes and one page.
 * Format: https://www.sqlite.org/fileformat2.html, "The Write-Ahead Log".
 * Valid frames have the same salts as the header; frames after them are left over from before the last restart of the log.
 */
const headerSize = 32;
const frameHeaderSize = 24;
const magic = 0x377f0682;

/** Bytes per read. */
const chunkSize = 1 << 20;

/** The header of a log, with the salts that change when the log starts again; shorter if the log is empty. */
export function readWalHeader(wal: Pick<OffsetFile, 'read'>): Uint8Array {
  const header = Buffer.alloc(headerSize);
  return header.subarray(0, wal.read(0, header));
}

/**
 * Reads the checksum of the newest committed version of each page in the log, by page number.
 * Frames after the last commit are ignored: their transaction was rolled back. Frames from `limit` on are ignored too.
 */
export function readWalChecksums(wal: OffsetFile, limit = Number.POSITIVE_INFINITY): Map<number, number> {
  const header = Buffer.alloc(headerSize);
  // The lowest bit of the magic number is the byte order of SQLite's own checksums, which are not used here.
  if (wal.read(0, header) < headerSize || (header.readUInt32BE(0) & ~1) >>> 0 !== magic) return new Map();
  const frameSize = frameHeaderSize + header.readUInt32BE(8);
  const chunk = Buffer.alloc(Math.max(1, Math.floor(chunkSize / frameSize)) * frameSize);
  const { newest, end } = findNewestFrames(wal, header, chunk, limit);
  const checksums = new Map<number, number>();
  // Most pages appear in several frames, so their checksums are computed only now. Reading whole chunks again costs less than a call for each page.
  for (let start = headerSize; start < end; start += chunk.length) {
    const count = wal.read(start, chunk);
    for (let at = 0; at + frameSize <= count && start + at < end; at += frameSize) {
      const page = chunk.readUInt32BE(at);
      if (newest.get(page) === start + at) checksums.set(page, pageChecksum(chunk.subarray(at + frameHeaderSize, at + frameSize)));
    }
  }
  return checksums;
}

/** The offset of the newest committed frame of each page, by page number, and the end of the last committed frame. `chunk` is a buffer for whole frames. */
function findNewestFrames(
  wal: OffsetFile,
  header: Buffer,
  chunk: Buffer,
  limit: number,
): { readonly newest: ReadonlyMap<number, number>; readonly end: number } {
  const frameSize = frameHeaderSize + header.readUInt32BE(8);
  const [salt1, salt2] = [header.readUInt32BE(16), header.readUInt32BE(20)];
  const newest = new Map<number, number>();
  let end = headerSize;
  let pending: number[] = [];
  for (let start = headerSize; ; start += chunk.length) {
    const count = wal.read(start, chunk);
    for (let at = 0; at + frameSize <= count; at += frameSize) {
      if (start + at >= limit) return { newest, end };
      if (chunk.readUInt32BE(at + 8) !== salt1 || chunk.readUInt32BE(at + 12) !== salt2) return { newest, end };
      pending.push(chunk.readUInt32BE(at), start + at);
      if (chunk.readUInt32BE(at + 4) === 0) continue;
      for (let i = 0; i < pending.length; i += 2) newest.set(pending[i] as number, pending[i + 1] as number);
      pending = [];
      end = start + at + frameSize;
    }
    if (count < chunk.length) return { newest, end };
  }
}

/** CRC-32 of a page. 0 means "not recorded", so a CRC of 0 is replaced by 1. */
export const pageChecksum = (page: Uint8Array): number => crc32(page) || 1;
