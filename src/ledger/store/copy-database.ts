import type { OpenDatabase } from './database.ts';
import type { OffsetFile, OpenFile } from './offset-file.ts';
import { hasPageChecksums, openPageChecksums } from './page-checksums.ts';
import { readWalHeader } from './wal-frames.ts';

/** Bytes that are copied, and bytes of both files. */
type CopyProgress = { readonly done: number; readonly total: number };

/** Bytes per step. */
const chunkSize = 4 << 20;

/**
 * Copies a SQLite database that other processes may read and write meanwhile, at the speed of the disk. Between two steps other work may run.
 *
 * A read transaction keeps what it sees in the files: a checkpoint moves only pages of commits up to the one it began at, and the log does not
 * start again. So the file together with the log holds the commits up to that one.
 * One case is different: if all of the log was in the file when the transaction began, the file does not change, but the log may start again.
 * A log that started again while it was copied is left out, because old frames in it would hide newer pages of the file.
 *
 * Returns the pages of the copied file that differ from their checksums, which are damaged; undefined if the database has no checksums.
 */
export function* copyDatabase(
  open: OpenDatabase,
  openFile: OpenFile,
  from: string,
  to: string,
): Generator<CopyProgress, readonly number[] | undefined> {
  const db = open(from, { readonly: true });
  // Closed only after the database: closing a file of it would release the locks of SQLite in this process.
  const opened: OffsetFile[] = [];
  const openExisting = (path: string): OffsetFile | undefined => {
    const file = openFile(path, 'read');
    if (file !== undefined) opened.push(file);
    return file;
  };
  try {
    db.exec(`PRAGMA busy_timeout = ${busyTimeout}; BEGIN`);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    const [main, wal] = [openExisting(from), openExisting(walOf(from))];
    if (main === undefined) return undefined;
    const header = wal && readWalHeader(wal);
    // What is added later is not needed, and could be added faster than it is copied.
    const [mainSize, walSize] = [main.size(), wal?.size() ?? 0];
    const total = mainSize + walSize;
    for (const done of copyFile(openFile, main, to, mainSize)) yield { done, total };
    if (wal !== undefined) {
      for (const done of copyFile(openFile, wal, walOf(to), walSize)) yield { done: mainSize + done, total };
      if (Buffer.compare(header as Uint8Array, readWalHeader(wal)) !== 0) truncateFile(openFile, walOf(to));
    }
    // The read transaction is still open: a page whose checksum changes meanwhile is in the log.
    return hasPageChecksums(openFile, from) ? yield* compareCopy(openFile, from, to, total) : undefined;
  } finally {
    db.close();
    for (const file of opened) file.close();
  }
}

function* compareCopy(openFile: OpenFile, from: string, to: string, total: number): Generator<CopyProgress, readonly number[]> {
  const steps = openPageChecksums(openFile, from).verifyCopy(to);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield { done: total, total };
  }
}

/** Copies the first bytes of a file; yields how many are copied. */
function* copyFile(openFile: OpenFile, from: OffsetFile, to: string, size: number): Generator<number, void> {
  const target = openFile(to, 'write');
  try {
    const chunk = Buffer.allocUnsafe(chunkSize);
    for (let at = 0; at < size; ) {
      const count = from.read(at, chunk.subarray(0, Math.min(chunk.length, size - at)));
      if (count === 0) break;
      target.write(at, chunk.subarray(0, count));
      at += count;
      yield at;
    }
    target.sync();
  } finally {
    target.close();
  }
}

function truncateFile(openFile: OpenFile, path: string): void {
  const file = openFile(path, 'write');
  file.truncate(0);
  file.sync();
  file.close();
}

const walOf = (database: string): string => `${database}-wal`;

/** Milliseconds to wait while a process that has just started recovers the log. */
const busyTimeout = 5000;
