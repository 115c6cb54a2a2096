import type { OffsetFile, OpenFile } from './file.ts';
import { pageChecksum, walChecksums } from './wal-frames.ts';

/**
 * Checksums of the pages of a SQLite file, in a file beside it. SQLite has none in the main file: a changed byte there would give another
 * answer instead of an error.
 *
 * Pages get into the main file only from the write-ahead log, so their checksums are taken from the log, before every checkpoint and before
 * closing, and are on disk before the checkpoint begins. Whenever the process ends, a page differs from its checksum only while the log
 * still holds it. That is no damage: SQLite reads the page from the log, and the log has checksums of its own.
 */
export type PageSums = {
  /** Takes over the checksums of all pages in the write-ahead log. */
  readonly record: () => void;
  /** Gives the checksums up: the next start records them again. For when recording failed and the pages will change nonetheless. */
  readonly discard: () => void;
  /**
   * Compares every page with its checksum, or those of a sample. Returns the numbers of those that differ, at most `maxListed`. Never while SQLite has the file open
   * in this process: closing any handle of the file would release SQLite's locks on it.
   */
  readonly verify: (sample?: PageSample) => Generator<PagesRead, readonly number[]>;
  /** Records all pages as they are; never while SQLite has the file open in this process. */
  readonly rebuild: () => Generator<PagesRead, void>;
};

/** Which part of a large file is compared: the first block of 1,024 pages, and others chosen at random up to `maxBlocks`. */
export type PageSample = { readonly maxBlocks: number; readonly random: (below: number) => number };

export type PagesRead = { readonly done: number; readonly total: number };

/** More damaged pages than this are not listed. */
export const maxListed = 100;

const header = Buffer.from('serac page sums\n');
const sumSize = 4;

/** Pages whose checksums fill one block of the sums file; such a block is read and written at once. */
const pagesPerBlock = 1024;

/** The page that holds SQLite's lock bytes is never written. */
const lockByte = 2 ** 30;

export const sumsPath = (database: string): string => `${database}-sums`;

/** Whether there are checksums to compare with. */
export function hasSums(open: OpenFile, database: string): boolean {
  return within(open(sumsPath(database), 'read'), (sums) => sums !== undefined && startsWell(sums));
}

export function pageSums(open: OpenFile, database: string): PageSums {
  const readLog = (): Map<number, number> =>
    within(open(`${database}-wal`, 'read'), (log) => (log === undefined ? new Map() : walChecksums(log)));

  return {
    record: () => {
      const fresh = readLog();
      if (fresh.size > 0) within(open(sumsPath(database), 'write'), (sums) => writeSums(sums, fresh));
    },
    discard: () => within(open(sumsPath(database), 'write'), (sums) => sums.write(0, Buffer.alloc(header.length))),
    verify: function* (sample) {
      const [file, sums] = [open(database, 'read'), open(sumsPath(database), 'read')];
      try {
        if (file === undefined || sums === undefined) return [];
        return yield* differing(file, sums, readLog, sample);
      } finally {
        file?.close();
        sums?.close();
      }
    },
    rebuild: function* () {
      const [file, sums] = [open(database, 'read'), open(sumsPath(database), 'write')];
      try {
        // Without its header an unfinished file is not taken for a finished one.
        sums.truncate(0);
        for (const { first, pages, done, total } of pagesOf(file)) {
          writeBlock(sums, first, new Map(pages.map((page, i) => [first + i, pageChecksum(page)])));
          yield { done, total };
        }
        sums.sync();
        sums.write(0, header);
        sums.sync();
      } finally {
        file?.close();
        sums.close();
      }
    },
  };
}

function within<F extends OffsetFile | undefined, T>(file: F, work: (file: F) => T): T {
  try {
    return work(file);
  } finally {
    file?.close();
  }
}

function startsWell(sums: OffsetFile): boolean {
  const start = Buffer.alloc(header.length);
  return sums.read(0, start) === header.length && start.equals(header);
}

const blockOf = (page: number): number => Math.floor((page - 1) / pagesPerBlock);
const blockOffset = (block: number): number => header.length + block * pagesPerBlock * sumSize;

function writeSums(sums: OffsetFile, fresh: ReadonlyMap<number, number>): void {
  const blocks = new Map<number, Map<number, number>>();
  for (const [page, sum] of fresh) {
    const block = blocks.get(blockOf(page)) ?? new Map<number, number>();
    blocks.set(blockOf(page), block.set(page, sum));
  }
  for (const [block, pages] of blocks) writeBlock(sums, block * pagesPerBlock + 1, pages);
  sums.sync();
}

/** Changes the checksums of some pages of one block; `first` is the block's first page. */
function writeBlock(sums: OffsetFile, first: number, pages: ReadonlyMap<number, number>): void {
  const offset = blockOffset(blockOf(first));
  const block = Buffer.alloc(pagesPerBlock * sumSize);
  const before = sums.read(offset, block);
  let size = before - (before % sumSize);
  for (const [page, sum] of pages) {
    block.writeUInt32LE(sum, (page - first) * sumSize);
    size = Math.max(size, (page - first + 1) * sumSize);
  }
  sums.write(offset, block.subarray(0, size));
}

function* differing(
  file: OffsetFile,
  sums: OffsetFile,
  readLog: () => Map<number, number>,
  sample: PageSample | undefined,
): Generator<PagesRead, readonly number[]> {
  const differ: number[] = [];
  const recorded = Math.max(0, Math.floor((sums.size() - header.length) / sumSize));
  const block = Buffer.alloc(pagesPerBlock * sumSize);
  let inLog: Map<number, number> | undefined;
  const note = (page: number): void => {
    inLog ??= readLog();
    if (differ.length < maxListed && !inLog.has(page)) differ.push(page);
  };
  for (const { first, pages, pageSize, done, total } of pagesOf(file, sample)) {
    block.fill(0);
    sums.read(blockOffset(blockOf(first)), block);
    for (const [i, page] of pages.entries()) {
      const isLockPage = first + i === lockByte / pageSize + 1;
      if (block.readUInt32LE(i * sumSize) !== pageChecksum(page) && !isLockPage) note(first + i);
    }
    yield { done, total };
  }
  for (let page = Math.ceil(file.size() / pageSizeOf(file)) + 1; page <= recorded && differ.length < maxListed; page++) note(page);
  return differ;
}

type Pages = PagesRead & { readonly first: number; readonly pageSize: number; readonly pages: readonly Uint8Array[] };

/** The pages of a database file, a block of checksums at a time; they are valid until the next ones are asked for. */
function* pagesOf(file: OffsetFile | undefined, sample?: PageSample): Generator<Pages> {
  const size = file?.size() ?? 0;
  if (file === undefined || size === 0) return;
  const pageSize = pageSizeOf(file);
  const total = Math.ceil(size / pageSize);
  const buffer = Buffer.alloc(pagesPerBlock * pageSize);
  for (const block of blocksOf(Math.ceil(total / pagesPerBlock), sample)) {
    const first = block * pagesPerBlock + 1;
    const count = file.read((first - 1) * pageSize, buffer);
    const pages = Array.from({ length: Math.ceil(count / pageSize) }, (_, i) =>
      buffer.subarray(i * pageSize, Math.min((i + 1) * pageSize, count)),
    );
    yield { first, pages, pageSize, done: Math.min(first - 1 + pages.length, total), total };
  }
}

/** Numbers of the blocks to read, in order. */
function blocksOf(count: number, sample: PageSample | undefined): readonly number[] {
  if (sample === undefined || count <= sample.maxBlocks) return Array.from({ length: count }, (_, block) => block);
  const chosen = new Set([0]);
  while (chosen.size < sample.maxBlocks) chosen.add(sample.random(count));
  return [...chosen].sort((a, b) => a - b);
}

/** From the header of the database; the one Serac's databases have, if that is damaged: the first page then differs anyway. */
function pageSizeOf(file: OffsetFile): number {
  const bytes = Buffer.alloc(2);
  file.read(16, bytes);
  const stated = bytes.readUInt16BE(0) === 1 ? 65_536 : bytes.readUInt16BE(0);
  return stated >= 512 && (stated & (stated - 1)) === 0 ? stated : 4096;
}
