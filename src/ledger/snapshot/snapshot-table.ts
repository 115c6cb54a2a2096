import type { Store } from '../store/store.ts';
import type { UndoLog } from './undo-log.ts';

export type SnapshotInfo = {
  readonly name: string;
  /** Height and time (Unix seconds) of the first chain's last block. */
  readonly height: number;
  readonly time: number;
};

/** `seq` orders snapshots as they were saved. `segment`: the one at whose beginning the snapshot was saved; see undo-log.ts. */
export type SnapshotRow = SnapshotInfo & { readonly seq: number; readonly segment: number };

export type SnapshotTable = ReturnType<typeof openSnapshotTable>;

/** Opens the rows of snapshots and their chunks. Tables that were created since get their triggers here, so all chains must be open. */
export function openSnapshotTable({ db, write }: Store, undoLog: UndoLog) {
  write(() => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS snapshot(
         name TEXT PRIMARY KEY, seq INTEGER NOT NULL, segment INTEGER NOT NULL UNIQUE, height INTEGER NOT NULL, time INTEGER NOT NULL,
         parts TEXT NOT NULL) WITHOUT ROWID, STRICT;
       CREATE TABLE IF NOT EXISTS snapshot_chunk(
         seq INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (seq, number)) WITHOUT ROWID, STRICT;
       DELETE FROM snapshot_chunk WHERE seq NOT IN (SELECT seq FROM snapshot)`,
    );
    if (db.prepare('SELECT 1 FROM snapshot').get() !== undefined) undoLog.install();
    else if (undoLog.isInstalled()) undoLog.uninstall();
  });
  const allRows = db.prepare<SnapshotRow>('SELECT name, seq, segment, height, time FROM snapshot ORDER BY seq');
  const byName = db.prepare<SnapshotRow & { parts: string }>('SELECT * FROM snapshot WHERE name = ?');
  const insert = db.prepare('INSERT INTO snapshot VALUES (?, ?, ?, ?, ?, ?)');
  const setSegment = db.prepare('UPDATE snapshot SET segment = ? WHERE name = ?');
  const remove = db.prepare('DELETE FROM snapshot WHERE name = ?');

  const addChunk = db.prepare(
    'INSERT INTO snapshot_chunk VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM snapshot_chunk WHERE seq = ?), ?)',
  );
  const nextChunk = db.prepare<{ number: number; bytes: Uint8Array }>(
    'SELECT number, bytes FROM snapshot_chunk WHERE seq = ? AND number > ? ORDER BY number LIMIT 1',
  );
  const removeChunks = db.prepare('DELETE FROM snapshot_chunk WHERE seq = ?');
  const nextSeq = (): number => (allRows.all().at(-1)?.seq ?? 0) + 1;

  const segments = (): number[] =>
    allRows
      .all()
      .map(({ segment }) => segment)
      .sort((a, b) => a - b);
  const newSegment = (): number => (segments().at(-1) ?? 0) + 1;
  const segmentBefore = (segment: number): number | undefined => segments().findLast((other) => other < segment);

  /** Deletes a snapshot; its segment becomes part of the one before it. */
  const drop = ({ name, segment, seq }: SnapshotRow): void => {
    remove.run(name);
    removeChunks.run(seq);
    undoLog.merge(segment, segmentBefore(segment));
    undoLog.begin(segments().at(-1));
  };

  return {
    all: () => allRows.all(),
    find: (name: string) => byName.get(name),
    nextSeq,
    /** Segments from one on, in their order. */
    segmentsFrom: (first: number) => segments().filter((segment) => segment >= first),
    /** Adds a snapshot of the current state and deletes others. Must run inside a write transaction. */
    add: ({ name, seq, height, time }: Omit<SnapshotRow, 'segment'>, parts: string, replaced: readonly SnapshotRow[]): void => {
      if (!undoLog.isInstalled()) undoLog.install();
      const segment = newSegment();
      replaced.forEach(drop);
      insert.run(name, seq, segment, height, time, parts);
      undoLog.begin(segment);
    },
    /** Moves a snapshot that is the current state to a new segment: the next revert to it undoes only what follows. */
    moveToNewSegment: ({ name, segment: old }: SnapshotRow): void => {
      const segment = newSegment();
      setSegment.run(segment, name);
      undoLog.merge(old, segmentBefore(old));
      undoLog.begin(segment);
    },
    /** After the last one the triggers stay until the next start: creating them takes some milliseconds, and another snapshot is likely. */
    deleteAll: (rows: readonly SnapshotRow[]): void => {
      if (rows.length > 0) write(() => rows.forEach(drop));
    },
    addChunk: (bytes: Uint8Array): void => {
      const seq = nextSeq();
      write(() => addChunk.run(seq, seq, bytes));
    },
    discardChunks: (): void => {
      const seq = nextSeq();
      if (nextChunk.get(seq, 0) !== undefined) write(() => removeChunks.run(seq));
    },
    readChunks: function* ({ seq }: SnapshotRow): Generator<Uint8Array> {
      for (let number = 0; ; ) {
        const chunk = nextChunk.get(seq, number);
        if (chunk === undefined) return;
        yield chunk.bytes;
        number = chunk.number;
      }
    },
  };
}
