import type { Database } from './database.ts';
import type { PageChecksums } from './page-checksums.ts';

/**
 * Pages in the write-ahead log at which a checkpoint starts: 24 MB, which are read again after a crash in tens of milliseconds. A checkpoint
 * waits for the disk three times and writes each changed page once, however often it is in the log: the fewer, the cheaper.
 */
const pagesPerCheckpoint = 6000;

/** Pages that are added before a checkpoint is retried: it may have waited for a reader until the busy timeout. */
const pagesPerRetry = pagesPerCheckpoint / 4;

/** Pages that a write adds to the log, as estimated before the first checkpoint: some for the transaction itself, and a share per row. */
const estimate = { perWrite: 12, perRow: 0.25 } as const;

/** The size that the log may reach if the estimate is wrong, in bytes. */
const maxLogBytes = 1.5 * pagesPerCheckpoint * 4096;

/**
 * Runs checkpoints after writes. Readers can prevent SQLite's automatic checkpoints from completing, and the log would grow without limit.
 * So the writer starts a checkpoint that waits briefly for readers (RESTART); if a reader still holds the log, it retries some commits later.
 *
 * SQLite does not tell how long the log is: its file keeps its size when the log starts again. So the length is estimated, with a factor
 * that each checkpoint corrects; and whenever the file grows, its size is the length.
 */
export function createCheckpointer(
  db: Pick<Database, 'prepare' | 'walBytes'>,
  pageChecksums: Pick<PageChecksums, 'record'> | undefined,
  onCheckpoint: () => void = () => {},
): { readonly afterWrite: () => void } {
  const changes = db.prepare<{ rows: number }>('SELECT total_changes() AS rows');
  const checkpoint = db.prepare<{ busy: number; log: number }>('PRAGMA wal_checkpoint(RESTART)');
  let factor = 1;
  let writes = 0;
  /** The counts when the log started again. */
  let last = { writes: 0, rows: 0 };
  /** The next checkpoint starts at this estimated length, or when the file is larger than this. */
  let due = { pages: pagesPerCheckpoint, bytes: maxLogBytes };

  const estimatePages = (rows: number): number => (writes - last.writes) * estimate.perWrite + (rows - last.rows) * estimate.perRow;

  /** Returns whether the log starts again. Errors are ignored: the data is committed, and a failing disk also fails the next write. */
  const tryCheckpoint = (estimated: number): boolean => {
    try {
      pageChecksums?.record();
      const result = checkpoint.get();
      if (result !== undefined && result.log > 0) factor = Math.min(Math.max(result.log / estimated, minFactor), maxFactor);
      if (result?.busy === 1) return false;
      onCheckpoint();
      return true;
    } catch {
      return false;
    }
  };

  return {
    afterWrite: () => {
      // Counting takes some microseconds and a block changes at most a few thousand pages, so only every fourth write counts.
      if (++writes % 4 !== 0) return;
      const rows = changes.get()?.rows ?? 0;
      const estimated = estimatePages(rows);
      const bytes = db.walBytes();
      if (estimated * factor < due.pages && bytes <= due.bytes) return;
      if (tryCheckpoint(estimated)) {
        last = { writes, rows };
        due = { pages: pagesPerCheckpoint, bytes: Math.max(bytes, maxLogBytes) };
      } else due = { pages: estimated * factor + pagesPerRetry, bytes: bytes + pagesPerRetry * 4096 };
    },
  };
}

/** Bounds of the correction: one unusual block must not postpone checkpoints for long. */
const [minFactor, maxFactor] = [0.25, 64];
