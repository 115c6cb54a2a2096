import { crc32 } from 'node:zlib';
import type { OffsetFile } from './file.ts';

/*
 * SQLite's write-ahead log: a header of 32 bytes, then frames of a 24-byte header and a page each. Format: https://www.sqlite.org/fileformat2.html,
 * "The Write-Ahead Log". Frames of the current generation carry the header's salts; what follows them was left by an earlier one.
 */
const headerSize = 32;
const frameHeaderSize = 24;
const magic = 0x377f0682;

/** Bytes read at once while the frame headers are looked at. */
const chunkSize = 1 << 20;

/**
 * Checksum of the newest committed version of every page that the log holds. Frames after the last commit are left out: their transaction
 * was rolled back.
 */
export function walChecksums(log: OffsetFile): Map<number, number> {
  const header = Buffer.alloc(headerSize);
  // The lowest bit of the magic number says in which byte order the log's own checksums are; nothing here depends on it.
  if (log.read(0, header) < headerSize || (header.readUInt32BE(0) & ~1) >>> 0 !== magic) return new Map();
  const page = Buffer.alloc(header.readUInt32BE(8));
  const sums = new Map<number, number>();
  for (const [number, offset] of newestFrames(log, header)) {
    log.read(offset + frameHeaderSize, page);
    sums.set(number, pageChecksum(page));
  }
  return sums;
}

/** Where the newest committed frame of each page begins. Most frames hold a page that a later one holds again, so pages are read afterwards. */
function newestFrames(log: OffsetFile, header: Buffer): Map<number, number> {
  const frameSize = frameHeaderSize + header.readUInt32BE(8);
  const [salt1, salt2] = [header.readUInt32BE(16), header.readUInt32BE(20)];
  const chunk = Buffer.alloc(Math.max(1, Math.floor(chunkSize / frameSize)) * frameSize);
  const committed = new Map<number, number>();
  let pending: number[] = [];
  for (let start = headerSize; ; start += chunk.length) {
    const count = log.read(start, chunk);
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

/** CRC-32 of a page; 0 stands for "not recorded", so a page with that checksum has 1. */
export const pageChecksum = (page: Uint8Array): number => crc32(page) || 1;
