import { crc32 } from '../../base/bytes/runtime-modules.ts';
import type { OffsetFile } from './offset-file.ts';

/*
 * SQLite's write-ahead log (WAL): a header of 32 bytes, then frames. A frame is a header of 24 bytes and one page.
 * Format: https://www.sqlite.org/fileformat2.html, "The Write-Ahead Log".
 * Valid frames have the same salts as the header; frames after them are left over from before the last restart of the log.
 */
export const walHeaderSize = 32;
const frameHeaderSize = 24;
/** The lowest bit of the magic number is the byte order of SQLite's own checksums. */
const magic = 0x377f0682;

/** Bytes per read. */
const chunkSize = 1 << 20;

/** One version of a page in a log, at `start`. Its bytes are read from `chunk` when they are asked for; they are valid until the next frame is read. */
class WalFrame {
  readonly start: number;
  readonly #chunk: Buffer;
  readonly #at: number;
  readonly #size: number;

  constructor(chunk: Buffer, at: number, size: number, start: number) {
    this.start = start;
    this.#chunk = chunk;
    this.#at = at;
    this.#size = size;
  }

  get end(): number {
    return this.start + this.#size;
  }

  get header(): Buffer {
    return this.#chunk.subarray(this.#at, this.#at + frameHeaderSize);
  }

  get page(): Buffer {
    return this.#chunk.subarray(this.#at + frameHeaderSize, this.#at + this.#size);
  }

  get number(): number {
    return this.#chunk.readUInt32BE(this.#at);
  }

  /** Only the last frame of a commit has the size of the database. */
  get isCommit(): boolean {
    return this.#chunk.readUInt32BE(this.#at + 4) !== 0;
  }
}

/** The header of a log, with the salts that change when the log starts again; shorter if the log is empty. */
export function readWalHeader(wal: Pick<OffsetFile, 'read'>): Buffer {
  const header = Buffer.alloc(walHeaderSize);
  return header.subarray(0, wal.read(0, header));
}

/** The part of a log to read: frames that begin at `from` or later, and before `limit`. `from` is the end of an earlier frame. */
type WalRange = { readonly from?: number | undefined; readonly limit?: number | undefined };

/** Reads frames up to the first one with other salts than the header. None if the header is not that of a log. */
export function* readFrames(
  wal: OffsetFile,
  { from = walHeaderSize, limit = Number.POSITIVE_INFINITY }: WalRange = {},
): Generator<WalFrame> {
  const header = readWalHeader(wal);
  if (header.length < walHeaderSize || (header.readUInt32BE(0) & ~1) >>> 0 !== magic) return;
  const pageSize = header.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return;
  const frameSize = frameHeaderSize + pageSize;
  const chunk = Buffer.alloc(Math.max(1, Math.floor(chunkSize / frameSize)) * frameSize);
  for (let offset = from; ; offset += chunk.length) {
    const count = wal.read(offset, chunk);
    for (let at = 0; at + frameSize <= count; at += frameSize) {
      const start = offset + at;
      if (start >= limit || chunk.compare(header, 16, 24, at + 8, at + 16) !== 0) return;
      yield new WalFrame(chunk, at, frameSize, start);
    }
    if (count < chunk.length) return;
  }
}

/**
 * Reads the checksum of the newest committed version of each page in a part of the log, by page number, and the end of its last commit.
 * Frames after the last commit are ignored: their transaction was rolled back.
 */
export function readWalChecksums(wal: OffsetFile, range: WalRange): WalChecksums {
  const newest = new Map<number, number>();
  let uncommitted: number[] = [];
  let committed = range.from ?? walHeaderSize;
  for (const frame of readFrames(wal, range)) {
    uncommitted.push(frame.number, frame.start);
    if (!frame.isCommit) continue;
    for (let i = 0; i < uncommitted.length; i += 2) newest.set(uncommitted[i] as number, uncommitted[i + 1] as number);
    uncommitted = [];
    committed = frame.end;
  }
  const checksums = new Map<number, number>();
  // Most pages appear in several frames, so their checksums are computed only now. Reading whole chunks again costs less than a call for each page.
  for (const frame of readFrames(wal, { from: range.from, limit: committed }))
    if (newest.get(frame.number) === frame.start) checksums.set(frame.number, pageChecksum(frame.page));
  return { checksums, end: committed };
}

type WalChecksums = { readonly checksums: ReadonlyMap<number, number>; readonly end: number };

/** CRC-32 of a page. 0 means "not recorded", so a CRC of 0 is replaced by 1. */
export const pageChecksum = (page: Uint8Array): number => crc32(page) || 1;
