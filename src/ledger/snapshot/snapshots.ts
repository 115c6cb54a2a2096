import type { Store } from '../store/store.ts';
import { SnapshotError } from './fault.ts';
import { createUndoLog, type UndoLog } from './undo-log.ts';

/** A part of the node outside the tables of the chains that a snapshot saves and a revert restores, such as the mempool or the clock. */
export type RevertiblePart = {
  readonly name: string;
  readonly save: () => string;
  /** Restores what the part has in the database, in the transaction of the revert. */
  readonly restoreRows?: (text: string) => void;
  /** Sets what the part has in the database to that of a fresh chain, in the transaction of a reset. */
  readonly resetRows?: () => void;
  /** Restores what the part has in memory, after the transaction. */
  readonly restore?: (text: string) => void;
};

type SnapshotInfo = {
  readonly name: string;
  /** Height and time (Unix seconds) of the first chain's last block. */
  readonly height: number;
  readonly time: number;
};

/** Named states of the node's database. They are stored in it, so they survive a restart if it is on disk. */
export type Snapshots = {
  /** Saves the current state. A snapshot with this name is replaced; without a name, the next free number is the name. */
  readonly save: (name?: string) => SnapshotInfo;
  /** Restores a state in one transaction; the snapshot and all others stay. `shown`: its name in the event log. */
  readonly revert: (name: string, shown?: string) => SnapshotInfo;
  /** In the order in which they were saved. */
  readonly list: () => SnapshotInfo[];
  readonly delete: (name: string) => void;
  /** The segment at whose beginning the snapshot was saved; see undo-log.ts. */
  readonly segmentOf: (name: string) => number;
  /** Adds bytes to the snapshot that `save` creates next: what is too much to be saved at once is added in chunks before. */
  readonly addChunk: (bytes: Uint8Array) => void;
  /** Deletes the chunks of a snapshot that was not saved. */
  readonly discardChunks: () => void;
  /** The chunks of a snapshot, read one at a time. */
  readonly readChunks: (name: string) => Iterable<Uint8Array>;
  readonly undoLog: UndoLog;
  readonly points: BlockPoints;
};

/** States after blocks of the first chain, to go back by some blocks. They are snapshots without parts that no list shows. */
type BlockPoints = {
  /** Saves the state after the last block; only the newest `max` points are kept. */
  readonly save: (max: number) => void;
  /** The name of the point of a height, for `revert`; undefined if there is none. */
  readonly nameAt: (height: number) => string | undefined;
  /** The lowest height that has one. */
  readonly lowest: () => number | undefined;
  /** Deletes the points above a height. */
  readonly deleteAbove: (height: number) => void;
};

type SnapshotDeps = {
  readonly store: Store;
  readonly parts: readonly RevertiblePart[];
  /** Called after a revert is committed, before the parts are restored. */
  readonly onReverted?: () => void;
  /** Height and time of the first chain's last block. */
  readonly tip: () => Omit<SnapshotInfo, 'name'>;
};

const maxSnapshots = 1000;
const maxNameLength = 100;
/** Begins the name of a point; a control character, which no one types. */
const pointPrefix = '\u0001block ';
/** Points have no chunks and come before all snapshots. */
const pointSeq = 0;
const isPoint = ({ name }: SnapshotInfo): boolean => name.startsWith(pointPrefix);

/** Opens the snapshots of a database. Tables that were created since get their triggers here, so all chains must be open. */
export function openSnapshots({ store, parts, onReverted, tip }: SnapshotDeps): Snapshots {
  const { db } = store;
  const undoLog = createUndoLog(db);
  store.write(() => {
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
  const all = db.prepare<SnapshotRow>('SELECT name, seq, segment, height, time FROM snapshot ORDER BY seq');
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
  const nextSeq = (): number => (all.all().at(-1)?.seq ?? 0) + 1;

  function* readChunks(seq: number): Generator<Uint8Array> {
    for (let number = 0; ; ) {
      const chunk = nextChunk.get(seq, number);
      if (chunk === undefined) return;
      yield chunk.bytes;
      number = chunk.number;
    }
  }

  const find = (name: string) => {
    const row = byName.get(name);
    if (row === undefined)
      throw new SnapshotError(`there is no snapshot ${JSON.stringify(name)}; dev.listSnapshots lists them`, {
        code: 'SNAPSHOT_UNKNOWN',
        name,
      });
    return row;
  };
  const segments = (): number[] =>
    all
      .all()
      .map(({ segment }) => segment)
      .sort((a, b) => a - b);
  const currentSegment = (): number => segments().at(-1) ?? 0;
  const segmentBefore = (segment: number): number | undefined => segments().findLast((other) => other < segment);

  /** Deletes a snapshot; its segment becomes part of the one before it. */
  const drop = ({ name, segment, seq }: SnapshotRow): void => {
    remove.run(name);
    removeChunks.run(seq);
    undoLog.merge(segment, segmentBefore(segment));
    undoLog.begin(segments().at(-1));
  };

  const listPoints = (): SnapshotRow[] =>
    all
      .all()
      .filter(isPoint)
      .sort((a, b) => a.height - b.height);
  const dropAll = (rows: readonly SnapshotRow[]): void => {
    if (rows.length > 0) store.write(() => rows.forEach(drop));
  };
  const points: BlockPoints = {
    save: (max) =>
      store.write(() => {
        if (!undoLog.isInstalled()) undoLog.install();
        const { height, time } = tip();
        const segment = currentSegment() + 1;
        const before = listPoints();
        for (const [i, row] of before.entries()) if (row.height === height || i + max <= before.length) drop(row);
        insert.run(`${pointPrefix}${height}`, pointSeq, segment, height, time, '{}');
        undoLog.begin(segment);
      }),
    nameAt: (height) => byName.get(`${pointPrefix}${height}`)?.name,
    lowest: () => listPoints()[0]?.height,
    deleteAbove: (height) => dropAll(listPoints().filter((row) => row.height > height)),
  };

  const nextFreeName = (count: number): string => {
    for (let number = count + 1; ; number++) if (byName.get(String(number)) === undefined) return String(number);
  };

  return {
    undoLog,
    points,
    segmentOf: (name) => find(name).segment,
    addChunk: (bytes) => {
      const seq = nextSeq();
      store.write(() => addChunk.run(seq, seq, bytes));
    },
    discardChunks: () => {
      const seq = nextSeq();
      if (nextChunk.get(seq, 0) !== undefined) store.write(() => removeChunks.run(seq));
    },
    readChunks: (name) => readChunks(find(name).seq),
    list: () =>
      all
        .all()
        .filter((row) => !isPoint(row))
        .map(toInfo),
    save: (wanted) => {
      if (wanted !== undefined) checkName(wanted);
      const before = all.all().filter((row) => !isPoint(row));
      const name = wanted ?? nextFreeName(before.length);
      const replaced = before.find((row) => row.name === name);
      if (replaced === undefined && before.length >= maxSnapshots)
        throw new SnapshotError(`there are ${maxSnapshots} snapshots, which is the most; delete some with dev.deleteSnapshot`, {
          code: 'SNAPSHOT_LIMIT',
          max: maxSnapshots,
        });
      const saved = JSON.stringify(Object.fromEntries(parts.map((part) => [part.name, part.save()])));
      return store.write(() => {
        if (!undoLog.isInstalled()) undoLog.install();
        const segment = currentSegment() + 1;
        if (replaced !== undefined) drop(replaced);
        const { height, time } = tip();
        insert.run(name, (before.at(-1)?.seq ?? 0) + 1, segment, height, time, saved);
        undoLog.begin(segment);
        return { name, height, time };
      });
    },
    revert: (name, shown = name) => {
      const row = find(name);
      const passed = segments().filter((segment) => segment >= row.segment);
      const isNewest = passed.length === 1;
      const saved = JSON.parse(row.parts) as Record<string, string>;
      const restoreParts = (step: 'restoreRows' | 'restore'): void => {
        for (const part of parts) if (saved[part.name] !== undefined) part[step]?.(saved[part.name] as string);
      };
      store.revert(() => {
        undoLog.restore(passed, !isNewest);
        restoreParts('restoreRows');
        if (isNewest) {
          // No other snapshot needs the rows of this segment.
          undoLog.merge(row.segment, undefined);
          undoLog.begin(row.segment);
          return;
        }
        // The state is that of the snapshot, so the snapshot moves to a new segment: the next revert to it undoes only what follows.
        const segment = currentSegment() + 1;
        setSegment.run(segment, name);
        undoLog.merge(row.segment, segmentBefore(row.segment));
        undoLog.begin(segment);
      }, shown);
      onReverted?.();
      restoreParts('restore');
      return toInfo(row);
    },
    delete: (name) => {
      const row = find(name);
      store.write(() => {
        // After the last one the triggers stay until the next start: creating them takes some milliseconds, and another snapshot is likely.
        drop(row);
      });
    },
  };
}

/** The number of snapshots in a database, also one that no node has opened. */
export function countSnapshots({ db }: Store): number {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'snapshot'`).get() === undefined) return 0;
  return db.prepare<{ count: number }>('SELECT count(*) AS count FROM snapshot').get()?.count ?? 0;
}

/** Deletes all snapshots and the undo log. */
export function deleteAllSnapshots(store: Store): void {
  if (countSnapshots(store) === 0) return;
  store.write(() => {
    store.db.exec('DELETE FROM snapshot; DROP TABLE IF EXISTS snapshot_chunk');
    createUndoLog(store.db).uninstall();
  });
}

type SnapshotRow = SnapshotInfo & { readonly seq: number; readonly segment: number };

const toInfo = ({ name, height, time }: SnapshotInfo): SnapshotInfo => ({ name, height, time });

function checkName(name: string): void {
  if (name.length > 0 && name.length <= maxNameLength) return;
  throw new SnapshotError(`the name of a snapshot has 1 to ${maxNameLength} characters`, { code: 'SNAPSHOT_BAD_NAME', max: maxNameLength });
}
