import type { Store } from '../store/store.ts';
import { SnapshotError } from './fault.ts';
import { openSnapshotTable, type SnapshotInfo, type SnapshotRow, type SnapshotTable } from './snapshot-table.ts';
import { createUndoLog, type UndoLog } from './undo-log.ts';

/** A part of the node outside the tables of the chains that a snapshot saves and a revert restores, such as the mempool or the clock. */
export type RevertiblePart = {
  readonly name: string;
  /** A part without it stays as it is at a revert. */
  readonly save?: () => string;
  /** Restores what the part has in the database, in the transaction of the revert. */
  readonly restoreRows?: (text: string) => void;
  /** Sets what the part has in the database to that of a fresh chain, in the transaction of a reset. */
  readonly resetRows?: () => void;
  /** Restores what the part has in memory, after the transaction. */
  readonly restore?: (text: string) => void;
};

/** Named states of the node's database. They are stored in it, so they survive a restart if it is on disk. */
export type Snapshots = {
  /** Saves the current state. A snapshot with this name is replaced; without a name, the next free number is the name. */
  readonly save: (name?: string) => SnapshotInfo;
  /**
   * Restores a state in one transaction; the snapshot and all others stay. `shown`: its name in the event log. `addRows` runs in the same
   * transaction, after the state is restored: what it writes is undone by the next revert to the same state. `onReverted` runs after the commit,
   * before the parts are restored.
   */
  readonly revert: (
    name: string,
    options?: { readonly shown?: string; readonly addRows?: () => void; readonly onReverted?: () => void },
  ) => SnapshotInfo;
  /** In the order in which they were saved. */
  readonly list: () => SnapshotInfo[];
  readonly delete: (name: string) => void;
  /** The segment at whose beginning the snapshot was saved; see undo-log.ts. */
  readonly segmentOf: (name: string) => number;
  /** Segments from one on, in their order. */
  readonly segmentsFrom: (first: number) => number[];
  /**
   * Begins a segment, so that what was recorded before it stays as it is while blocks are accepted. There must be a snapshot. `release` adds the
   * segment to the one before it. One at a time.
   */
  readonly holdSegments: () => { readonly segment: number; readonly release: () => void };
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
  /** Height and time of the first chain's last block. */
  readonly tip: () => Omit<SnapshotInfo, 'name'>;
};

const maxSnapshots = 1000;
const maxNameLength = 100;
/** Begins a name that no list shows; a control character, which no one types. */
const hiddenPrefix = '\u0001';
const pointPrefix = `${hiddenPrefix}block `;
const heldName = `${hiddenPrefix}held`;
/** Points have no chunks and come before all snapshots. */
const pointSeq = 0;
const pointName = (height: number): string => `${pointPrefix}${height}`;
const isHidden = ({ name }: Pick<SnapshotInfo, 'name'>): boolean => name.startsWith(hiddenPrefix);
const isPoint = ({ name }: Pick<SnapshotInfo, 'name'>): boolean => name.startsWith(pointPrefix);

/** Opens the snapshots of a database. All chains must be open; see `openSnapshotTable`. */
export function openSnapshots({ store, parts, tip }: SnapshotDeps): Snapshots {
  const undoLog = createUndoLog(store.db);
  const table = openSnapshotTable(store, undoLog);
  const find = (name: string) => {
    const row = table.find(name);
    if (row === undefined)
      throw new SnapshotError(`there is no snapshot ${JSON.stringify(name)}; dev.listSnapshots lists them`, {
        code: 'SNAPSHOT_UNKNOWN',
        name,
      });
    return row;
  };
  const listRows = (): SnapshotRow[] => table.all().filter((row) => !isHidden(row));
  const nextFreeName = (count: number): string => {
    for (let number = count + 1; ; number++) if (table.find(String(number)) === undefined) return String(number);
  };

  const release = (): void => table.deleteAll(table.all().filter(({ name }) => name === heldName));
  // Of a process that was killed.
  release();

  return {
    undoLog,
    points: createBlockPoints(store, table, tip),
    segmentOf: (name) => find(name).segment,
    segmentsFrom: table.segmentsFrom,
    holdSegments: () => {
      store.write(() => table.add({ name: heldName, seq: pointSeq, ...tip() }, '{}', []));
      return { segment: find(heldName).segment, release };
    },
    addChunk: table.addChunk,
    discardChunks: table.discardChunks,
    readChunks: (name) => table.readChunks(find(name)),
    list: () => listRows().map(toInfo),
    save: (wanted) => {
      if (wanted !== undefined) checkName(wanted);
      const before = listRows();
      const name = wanted ?? nextFreeName(before.length);
      const replaced = before.filter((row) => row.name === name);
      if (replaced.length === 0 && before.length >= maxSnapshots)
        throw new SnapshotError(`there are ${maxSnapshots} snapshots, which is the most; delete some with dev.deleteSnapshot`, {
          code: 'SNAPSHOT_LIMIT',
          max: maxSnapshots,
        });
      const saved = JSON.stringify(
        Object.fromEntries(parts.flatMap((part) => (part.save === undefined ? [] : [[part.name, part.save()]]))),
      );
      return store.write(() => {
        const info = { name, ...tip() };
        table.add({ ...info, seq: table.nextSeq() }, saved, replaced);
        return toInfo(info);
      });
    },
    revert: (name, { shown = name, addRows, onReverted } = {}) => {
      const row = find(name);
      const passed = table.segmentsFrom(row.segment);
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
        } else table.moveToNewSegment(row);
        addRows?.();
      }, shown);
      onReverted?.();
      restoreParts('restore');
      return toInfo(row);
    },
    delete: (name) => table.deleteAll([find(name)]),
  };
}

function createBlockPoints(store: Store, table: SnapshotTable, tip: SnapshotDeps['tip']): BlockPoints {
  const listPoints = (): SnapshotRow[] =>
    table
      .all()
      .filter(isPoint)
      .sort((a, b) => a.height - b.height);
  return {
    save: (max) =>
      store.write(() => {
        const { height, time } = tip();
        const before = listPoints();
        const replaced = before.filter((row, i) => row.height === height || i + max <= before.length);
        table.add({ name: pointName(height), seq: pointSeq, height, time }, '{}', replaced);
      }),
    nameAt: (height) => table.find(pointName(height))?.name,
    lowest: () => listPoints()[0]?.height,
    deleteAbove: (height) => table.deleteAll(listPoints().filter((row) => row.height > height)),
  };
}

/** The number of snapshots in a database, also one that no node has opened. Points are not counted: a start deletes them in any case. */
export const countSnapshots = ({ db }: Store): number => readNames(db).filter((row) => !isHidden(row)).length;

function readNames(db: Store['db']): readonly Pick<SnapshotInfo, 'name'>[] {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'snapshot'`).get() === undefined) return [];
  return db.prepare<{ name: string }>('SELECT name FROM snapshot').all();
}

/** Deletes all snapshots, points too, and the undo log. */
export function deleteAllSnapshots(store: Store): void {
  if (readNames(store.db).length === 0) return;
  store.write(() => {
    store.db.exec('DELETE FROM snapshot; DROP TABLE IF EXISTS snapshot_chunk');
    createUndoLog(store.db).uninstall();
  });
}

const toInfo = ({ name, height, time }: SnapshotInfo): SnapshotInfo => ({ name, height, time });

function checkName(name: string): void {
  if (name.length > 0 && name.length <= maxNameLength) return;
  throw new SnapshotError(`the name of a snapshot has 1 to ${maxNameLength} characters`, { code: 'SNAPSHOT_BAD_NAME', max: maxNameLength });
}
