import { toHex } from '../../base/bytes/hex.ts';
import { crc32 } from '../../base/bytes/runtime-modules.ts';
import type { DiskFailure } from './fault.ts';
import { type ChecksumJoiner, createChecksumJoiner } from './joined-checksum.ts';
import type { OffsetFile, OpenFile } from './offset-file.ts';
import { findWalEnd } from './wal-end.ts';
import { pageChecksum, readWalChecksums, readWalHeader } from './wal-frames.ts';

/**
 * Checksums of the pages of a SQLite file, stored in a second file. SQLite keeps no checksums in the main file, so a changed byte there
 * would give a wrong result instead of an error.
 *
 * Pages reach the main file only from the write-ahead log. So their checksums are computed from the log before every checkpoint and before
 * closing, and are on disk before the checkpoint begins. However the process ends, a page can differ from its checksum only while the log
 * still contains the page. That is not damage: SQLite reads the page from the log, and the log has checksums of its own. The log itself is
 * synced first (`syncLog`), since not every commit waits for the disk (`Durability`).
 */
export type PageChecksums = {
  /**
   * Returns when the write-ahead log is on disk. A checkpoint before that could leave a main file that is changed in part and a log that cannot
   * complete it. After a sync that failed, Linux does not write what it had not written by then: the log is written again, as it is.
   */
  readonly syncLog: () => void;
  /** Syncs the write-ahead log and stores the checksums of all its pages; after `distrustLog` discards all checksums. */
  readonly record: () => void;
  /**
   * To be called after a write failed because of the disk. SQLite has rolled back and will not move the commit to the main file. After an error of a
   * sync the log holds the whole commit all the same, and nothing in it says so: which pages will be moved cannot be read from it any more.
   * On a full disk a part of the commit is missing, which can still look like all of it if older bytes are in its place.
   */
  readonly distrustLog: (failure: DiskFailure) => void;
  /** Invalidates all checksums; the next start rebuilds them. Used when `record` failed and the pages will change anyway. */
  readonly discard: () => void;
  /**
   * Compares all pages, or a sample of them, with their checksums. Returns the numbers of the pages that differ, at most `maxListedPages`.
   * Must not run while SQLite has the file open in this process: closing any handle of the file would release SQLite's locks on it.
   */
  readonly verify: (sample?: PageSample) => Generator<PageProgress, readonly number[]>;
  /** Compares the pages of a copy of the main file. A node may write meanwhile, if a read transaction has been open since before the copy was begun. */
  readonly verifyCopy: (path: string) => Generator<PageProgress, readonly number[]>;
  /** Stores the checksums of all pages of the main file. Must not run while SQLite has the file open in this process. */
  readonly rebuild: () => Generator<PageProgress, void>;
};

/** The part of a large file to compare: the first block of 1,024 pages and random other blocks, `maxBlocks` in total. */
type PageSample = { readonly maxBlocks: number; readonly random: (below: number) => number };

export type PageProgress = { readonly done: number; readonly total: number };

/** The largest number of damaged pages that is listed. */
export const maxListedPages = 100;

/** Differing pages that are looked up in the log together. */
const maxCandidates = 10_000;

const header = Buffer.from('serac page sums\n');
const sumSize = 4;

/** Pages per block. The checksums of a block are read and written together. */
const pagesPerBlock = 1024;

/** Pages that are read and compared together, a part of a block: 256 KiB, which stay in the processor's cache from the one to the other. */
const pagesPerRead = 64;

/** Offset of SQLite's lock bytes. SQLite never writes the page that contains them. */
const lockByte = 2 ** 30;

export const checksumsPath = (database: string): string => `${database}-sums`;

/**
 * Records the checksums before the database is closed. If that fails, discards them: outdated checksums would be reported as damage. Returns
 * whether one of both succeeded, and the log is on disk.
 */
export function recordOrDiscard({ syncLog, record, discard }: Pick<PageChecksums, 'syncLog' | 'record' | 'discard'>): boolean {
  return succeeds(syncLog) && (succeeds(record) || succeeds(discard));
}

function succeeds(run: () => void): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

/** Returns whether there is a complete checksum file for the database. */
export function hasPageChecksums(open: OpenFile, database: string): boolean {
  return withFile(open(checksumsPath(database), 'read'), (sums) => sums !== undefined && hasValidHeader(sums));
}

export function openPageChecksums(open: OpenFile, database: string): PageChecksums {
  const headerOf = (wal: OffsetFile): string => toHex(readWalHeader(wal));
  const readWalState = () => withFile(open(`${database}-wal`, 'read'), (wal) => wal && headerOf(wal));
  /**
   * The header of a log that an earlier process has left, or to which a commit could not be written. What follows its last commit can look committed,
   * until `truncateWal` or the next commit has removed it; so the end of such a log is found as SQLite finds it. A log that was begun since has another header.
   */
  let doubtful = readWalState();
  const doubtLog = (): void => {
    doubtful = readWalState();
  };
  /** The part of the log whose checksums are stored: while a long read keeps the log, only what was added since is read. */
  let stored: { readonly header: string; readonly end: number } | undefined;
  const readWal = (wal: OffsetFile, header: string, from?: number) =>
    readWalChecksums(wal, { from, limit: header === doubtful ? findWalEnd(wal) : undefined });
  const readWholeWal = (): ReadonlyMap<number, number> =>
    withFile(open(`${database}-wal`, 'read'), (wal) => (wal === undefined ? new Map() : readWal(wal, headerOf(wal)).checksums));
  let isLogTrusted = true;
  // The last sync of an earlier process may have failed: what is read from its log is then not on the disk.
  let isLogWritten = doubtful === undefined;
  const syncLog = (): void =>
    withFile(open(`${database}-wal`, 'read'), (wal) => {
      if (wal === undefined) return;
      if (!isLogWritten) withFile(open(`${database}-wal`, 'write'), (again) => rewrite(wal, again));
      isLogWritten = false;
      wal.sync();
      isLogWritten = true;
    });
  const compare = function* (path: string, sample?: PageSample): Generator<PageProgress, readonly number[]> {
    const [file, sums] = [open(path, 'read'), open(checksumsPath(database), 'read')];
    try {
      if (file === undefined || sums === undefined) return [];
      return yield* findDifferingPages(file, sums, readWholeWal, sample);
    } finally {
      file?.close();
      sums?.close();
    }
  };
  const discard = (): void =>
    withFile(open(checksumsPath(database), 'write'), (sums) => {
      sums.write(0, Buffer.alloc(header.length));
      sums.sync();
    });

  return {
    syncLog,
    distrustLog: (failure) => {
      if (failure === 'full' && succeeds(doubtLog)) return;
      isLogTrusted = false;
      isLogWritten = false;
    },
    record: () => {
      syncLog();
      if (!isLogTrusted) return discard();
      withFile(open(`${database}-wal`, 'read'), (wal) => {
        if (wal === undefined) return;
        const header = headerOf(wal);
        const { checksums, end } = readWal(wal, header, header === stored?.header ? stored.end : undefined);
        if (checksums.size > 0) withFile(open(checksumsPath(database), 'write'), (sums) => writeSums(sums, checksums));
        stored = { header, end };
      });
    },
    discard,
    verify: (sample) => compare(database, sample),
    verifyCopy: (path) => compare(path),
    rebuild: function* () {
      const [file, sums] = [open(database, 'read'), open(checksumsPath(database), 'write')];
      try {
        // The header is written last: a file without it counts as incomplete.
        sums.truncate(0);
        stored = undefined;
        for (const { first, bytes, pageSize, done, total } of readPages(file)) {
          writeBlock(sums, blockOf(first), new Map(splitPages(bytes, pageSize).map((page, i) => [first + i, pageChecksum(page)])));
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

/** Writes the bytes of a file to the same places again. */
function rewrite(file: OffsetFile, again: OffsetFile): void {
  const chunk = Buffer.alloc(1 << 20);
  const size = file.size();
  for (let at = 0; at < size; at += chunk.length) again.write(at, chunk.subarray(0, file.read(at, chunk)));
}

function withFile<F extends OffsetFile | undefined, T>(file: F, work: (file: F) => T): T {
  try {
    return work(file);
  } finally {
    file?.close();
  }
}

function hasValidHeader(sums: OffsetFile): boolean {
  const start = Buffer.alloc(header.length);
  return sums.read(0, start) === header.length && start.equals(header);
}

const blockOf = (page: number): number => Math.floor((page - 1) / pagesPerBlock);
const blockOffset = (block: number): number => header.length + block * pagesPerBlock * sumSize;
/** The offset of the checksum of a page among those of its block. */
const offsetInBlock = (page: number): number => ((page - 1) % pagesPerBlock) * sumSize;

function writeSums(sums: OffsetFile, changed: ReadonlyMap<number, number>): void {
  const blocks = new Map<number, Map<number, number>>();
  for (const [page, sum] of changed) {
    const block = blocks.get(blockOf(page)) ?? new Map<number, number>();
    blocks.set(blockOf(page), block.set(page, sum));
  }
  for (const [block, pages] of blocks) writeBlock(sums, block, pages);
  sums.sync();
}

/** Writes the checksums of some pages of one block. */
function writeBlock(sums: OffsetFile, block: number, pages: ReadonlyMap<number, number>): void {
  const bytes = Buffer.alloc(pagesPerBlock * sumSize);
  const before = sums.read(blockOffset(block), bytes);
  let size = before - (before % sumSize);
  for (const [page, sum] of pages) {
    const at = offsetInBlock(page);
    bytes.writeUInt32LE(sum, at);
    size = Math.max(size, at + sumSize);
  }
  sums.write(blockOffset(block), bytes.subarray(0, size));
}

function* findDifferingPages(
  file: OffsetFile,
  sums: OffsetFile,
  readWal: () => ReadonlyMap<number, number>,
  sample: PageSample | undefined,
): Generator<PageProgress, readonly number[]> {
  const differing: number[] = [];
  const recorded = Math.max(0, Math.floor((sums.size() - header.length) / sumSize));
  const block = Buffer.alloc(pagesPerBlock * sumSize);
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  let candidates: number[] = [];
  /** The log is read after the checksums: those that a node writes meanwhile are of pages that the log has. */
  const settle = (): void => {
    if (candidates.length === 0) return;
    const inWal = readWal();
    differing.push(...candidates.filter((page) => !inWal.has(page)));
    candidates = [];
  };
  const addUnlessInWal = (page: number): void => {
    candidates.push(page);
    if (candidates.length >= maxCandidates) settle();
  };
  const join = createChecksumJoiner(readPageSize(file));
  for (const { first, bytes, pageSize, done, total } of readPages(file, sample)) {
    const start = offsetInBlock(first);
    if (start === 0) {
      block.fill(0);
      sums.read(blockOffset(blockOf(first)), block);
    }
    if (!isEqualAtOnce(bytes, pageSize, view, start, join))
      for (const [i, page] of splitPages(bytes, pageSize).entries()) {
        const isLockPage = first + i === lockByte / pageSize + 1;
        if (block.readUInt32LE(start + i * sumSize) !== pageChecksum(page) && !isLockPage) addUnlessInWal(first + i);
      }
    if (differing.length >= maxListedPages) break;
    yield { done, total };
  }
  // Pages that have a checksum but are missing at the end of the file.
  for (let page = Math.ceil(file.size() / readPageSize(file)) + 1; page <= recorded && differing.length < maxListedPages; page++)
    addUnlessInWal(page);
  settle();
  return differing.slice(0, maxListedPages);
}

/**
 * Whether all pages have their checksums, which are in `sums` from `start` on. If not, they must be compared one by one. One damaged page is noticed as surely
 * as when it is compared alone, several with the certainty of a CRC-32.
 */
function isEqualAtOnce(bytes: Uint8Array, pageSize: number, sums: DataView, start: number, join: ChecksumJoiner): boolean {
  const count = bytes.length / pageSize;
  return Number.isInteger(count) && join(sums, start, start + count * sumSize) === crc32(bytes);
}

type PageRun = PageProgress & { readonly first: number; readonly pageSize: number; readonly bytes: Uint8Array };

const splitPages = (bytes: Uint8Array, pageSize: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / pageSize) }, (_, i) => bytes.subarray(i * pageSize, (i + 1) * pageSize));

/** Reads the pages of a database file, `pagesPerRead` at a time. The buffer is reused: the bytes are valid until the next ones are read. */
function* readPages(file: OffsetFile | undefined, sample?: PageSample): Generator<PageRun> {
  const size = file?.size() ?? 0;
  if (file === undefined || size === 0) return;
  const pageSize = readPageSize(file);
  const total = Math.ceil(size / pageSize);
  const buffer = Buffer.alloc(pagesPerRead * pageSize);
  for (const block of chooseBlocks(Math.ceil(total / pagesPerBlock), sample)) {
    const end = Math.min((block + 1) * pagesPerBlock, total);
    for (let before = block * pagesPerBlock; before < end; before += pagesPerRead) {
      const count = file.read(before * pageSize, buffer);
      yield { first: before + 1, bytes: buffer.subarray(0, count), pageSize, done: Math.min(before + pagesPerRead, total), total };
    }
  }
}

/** Returns the numbers of the blocks to read, ascending. */
function chooseBlocks(count: number, sample: PageSample | undefined): readonly number[] {
  if (sample === undefined || count <= sample.maxBlocks) return Array.from({ length: count }, (_, block) => block);
  const chosen = new Set([0]);
  while (chosen.size < sample.maxBlocks) chosen.add(sample.random(count));
  return [...chosen].sort((a, b) => a - b);
}

/**
 * Reads the page size from the header of the database. If the header is damaged it returns 4096, the page size of Serac's databases: the
 * first page then differs from its checksum in any case.
 */
function readPageSize(file: OffsetFile): number {
  const bytes = Buffer.alloc(2);
  file.read(16, bytes);
  const stated = bytes.readUInt16BE(0) === 1 ? 65_536 : bytes.readUInt16BE(0);
  return stated >= 512 && (stated & (stated - 1)) === 0 ? stated : 4096;
}
