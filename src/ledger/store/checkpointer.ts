import type { Database } from './database.ts';
import type { PageChecksums } from './page-checksums.ts';

/**
 * Pages in the write-ahead log at which a checkpoint starts: 24 MB, which are read again after a crash in tens of milliseconds. A checkpoint
 * waits for the disk three times and writes each changed page once, however often it is in the log: the fewer, the cheaper.
 */
const defaultPagesPerCheckpoint = 6000;

/** Pages that a write adds to the log, as estimated before the first checkpoint: some for the transaction itself, and a share per row. */
const estimate = { perWrite: 12, perRow: 0.25 } as const;

/**
 * Runs checkpoints after writes. Readers can prevent SQLite's automatic checkpoints from completing, and the log would grow without limit.
 * So the writer starts a checkpoint that waits briefly for readers (RESTART). If one still holds the log, it is a long one, such as a backup:
 * later attempts do not wait (PASSIVE) until one finds that all of the log could be moved to the file.
 *
 * SQLite does not tell how long the log is: its file keeps its size when the log starts again. So the length is estimated, with a factor
 * that each checkpoint corrects; and whenever the file grows, its size is the length.
 */
export function createCheckpointer(
  db: Pick<Database, 'prepare' | 'walBytes'>,
  pageChecksums: Pick<PageChecksums, 'record'> | undefined,
  onCheckpoint: () => void = () => {},
  pagesPerCheckpoint = defaultPagesPerCheckpoint,
): { readonly afterWrite: () => void } {
  /** Pages that are added before a checkpoint is retried: a reader still uses the log. */
  const pagesPerRetry = pagesPerCheckpoint / 4;
  /** The size that the log may reach if the estimate is wrong, in bytes. */
  const maxLogBytes = 1.5 * pagesPerCheckpoint * 4096;
  const changes = db.prepare<{ rows: number }>('SELECT total_changes() AS rows');
  const checkpoint = db.prepare<CheckpointResult>('PRAGMA wal_checkpoint(RESTART)');
  const checkpointWithoutWaiting = db.prepare<CheckpointResult>('PRAGMA wal_checkpoint(PASSIVE)');
  let factor = 1;
  /** Whether a reader held the log at the last attempt. */
  let isHeld = false;
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
      if (isHeld) {
        const moved = checkpointWithoutWaiting.get();
        if (moved === undefined || moved.checkpointed < moved.log) return false;
      }
      const result = checkpoint.get();
      if (result !== undefined && result.log > 0) factor = Math.min(Math.max(result.log / estimated, minFactor), maxFactor);
      isHeld = result?.busy === 1;
      if (isHeld) return false;
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

/** Pages in the log, and how many of them are in the file. */
type CheckpointResult = { readonly busy: number; readonly log: number; readonly checkpointed: number };

/** Bounds of the correction: one unusual block must not postpone checkpoints for long. */
const [minFactor, maxFactor] = [0.25, 64];
