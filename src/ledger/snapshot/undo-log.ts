import type { Database } from '../store/database.ts';
import { createStatementCache } from '../store/statement-cache.ts';
import { columnsOf, type RevertedTable, readRevertedTables } from './reverted-tables.ts';

/**
 * Records how to restore earlier states. Time is divided into segments; a snapshot is the state at the beginning of a segment. For each
 * table there is an undo table, `undo_NAME`: the first time that a row changes in a segment, a trigger stores what the row was before (or
 * that it did not exist). Going back to the beginning of a segment applies these rows, from the newest segment to that one.
 *
 * Triggers also record a revert, in the segment that was current, so the states left behind stay reachable. Its cost is that of the rows
 * changed since the beginning of the segment, whatever the size of the database. All functions must run inside a write transaction.
 */
export type UndoLog = {
  /**
   * Creates the undo tables and triggers that are missing. Rows of index tables that a chain got after the last snapshot are recorded as new,
   * so a revert removes them; the chain must be indexed again after it. A chain that came after the last snapshot stays as it is now.
   */
  readonly install: () => void;
  /** Drops them all, so that commits cost what they did before. */
  readonly uninstall: () => void;
  /** Makes a segment current: later changes are recorded in it. With undefined, no change is recorded. */
  readonly begin: (segment: number | undefined) => void;
  /** Restores the state at the beginning of the first of the segments. They are given in ascending order and include the current one. */
  readonly restore: (segments: readonly number[], isRecorded: boolean) => void;
  /** Adds a segment to the one before it; without one before it, deletes it. */
  readonly merge: (segment: number, into: number | undefined) => void;
  /** Deletes all rows of the tables, so that a revert brings them back: like triggers, but each table in one statement. */
  readonly clearTables: () => void;
  /** The tables that a revert restores. */
  readonly tables: readonly RevertedTable[];
  /** Whether the undo tables exist. */
  readonly isInstalled: () => boolean;
};

export const undoTableOf = (name: string): string => `undo_${name}`;

/** The table with the current segment. It exists if and only if the undo tables do. */
const segmentTable = 'undo_segment';

/** Creates the undo log of a database whose tables exist already. */
export function createUndoLog(db: Database): UndoLog {
  const findTable = db.prepare<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?`);
  const exists = (name: string): boolean => findTable.get(name) !== undefined;
  const prepare = createStatementCache(db);
  // Read when there is a snapshot: that takes milliseconds of a start.
  let known: readonly RevertedTable[] | undefined;
  const reverted = (): readonly RevertedTable[] => {
    known ??= readRevertedTables(db);
    return known;
  };
  let cached: readonly InstalledTable[] | undefined;

  const installed = (): readonly InstalledTable[] => {
    cached ??= reverted()
      .filter(({ name }) => exists(undoTableOf(name)))
      .map((table) => prepareTable(prepare, table));
    return cached;
  };
  const setSegment = (segment: number | undefined): void => {
    db.exec('DELETE FROM undo_segment');
    if (segment !== undefined) db.exec(`INSERT INTO undo_segment VALUES (${segment})`);
  };

  return {
    install: () => {
      db.exec(`CREATE TABLE IF NOT EXISTS ${segmentTable}(current INTEGER NOT NULL) STRICT`);
      const missing = reverted().filter(({ name }) => !exists(undoTableOf(name)));
      const addedLater = missing.filter(({ name }) => exists(undoTableOf(blockTableOf(name))));
      if (missing.length > 0) db.exec([...missing.flatMap(installSql), ...addedLater.map(recordAsNewSql)].join(';'));
      if (exists(undoTableOf('progress'))) for (const { name } of missing) if (name === blockTableOf(name)) db.exec(keepProgressSql(name));
      cached = undefined;
    },
    uninstall: () => {
      db.exec([...installed().flatMap(({ table }) => uninstallSql(table.name)), `DROP TABLE IF EXISTS ${segmentTable}`].join(';'));
      cached = [];
    },
    begin: setSegment,
    restore: (segments, isRecorded) => {
      // Without a current segment the triggers record nothing.
      if (!isRecorded) setSegment(undefined);
      for (const segment of segments.toReversed())
        for (const { deleteRows, insertRows, hasRows } of installed()) {
          if (hasRows.get(segment) === undefined) continue;
          deleteRows.run(segment);
          insertRows.run(segment);
        }
    },
    merge: (segment, into) => {
      for (const { moveRows, discardRows, hasRows } of installed()) {
        if (hasRows.get(segment) === undefined) continue;
        if (into !== undefined) moveRows.run(into, segment);
        discardRows.run(segment);
      }
    },
    clearTables: () => {
      const recorded = new Set(installed().map(({ table }) => table.name));
      for (const table of reverted()) {
        const { name } = table;
        if (!recorded.has(name)) {
          db.exec(`DELETE FROM ${name}`);
          continue;
        }
        // SQLite deletes all rows of a table without a trigger at once.
        const restoreTriggers = installSql(table).filter((sql) => sql.startsWith('CREATE TRIGGER'));
        db.exec([...dropTriggersSql(name), recordAllSql(table), `DELETE FROM ${name}`, ...restoreTriggers].join(';'));
      }
    },
    get tables() {
      return reverted();
    },
    isInstalled: () => exists(segmentTable),
  };
}

type InstalledTable = ReturnType<typeof prepareTable>;

function prepareTable(prepare: ReturnType<typeof createStatementCache>, table: RevertedTable) {
  const { name, key } = table;
  const [undo, keys, columns] = [undoTableOf(name), key.join(', '), columnsOf(table)];
  // A row value for one column would not use the integer key.
  const keyed = key.length === 1 ? keys : `(${keys})`;
  return {
    table,
    hasRows: prepare(`SELECT 1 FROM ${undo} WHERE segment = ? LIMIT 1`),
    deleteRows: prepare(`DELETE FROM ${name} WHERE ${keyed} IN (SELECT ${keys} FROM ${undo} WHERE segment = ?)`),
    insertRows: prepare(`INSERT INTO ${name}(${columns}) SELECT ${columns} FROM ${undo} WHERE segment = ? AND existed = 1`),
    // The older segment's row wins: it was recorded first.
    moveRows: prepare(
      `INSERT INTO ${undo}(segment, existed, ${columns}) SELECT ?, existed, ${columns} FROM ${undo} WHERE segment = ? ON CONFLICT DO NOTHING`,
    ),
    discardRows: prepare(`DELETE FROM ${undo} WHERE segment = ?`),
  };
}

/** The table with the blocks of the chain that a table belongs to; for a shared table, of the first chain. */
const blockTableOf = (name: string): string => `c${/^c(\d+)_/.exec(name)?.[1] ?? 1}_block`;

const recordAsNewSql = ({ name, key }: RevertedTable): string => {
  const keys = key.join(', ');
  return `INSERT INTO ${undoTableOf(name)}(segment, existed, ${keys}) SELECT current, 0, ${keys} FROM undo_segment, ${name}`;
};

/** A chain that is newer than the last snapshot stays, so what its index has stays too. */
const keepProgressSql = (blockTable: string): string =>
  `DELETE FROM undo_progress WHERE existed = 0 AND chain = (SELECT id FROM chain WHERE number = ${/\d+/.exec(blockTable)?.[0]})`;

/** Records every row as it is; a row that was recorded before in this segment stays as it was then. */
const recordAllSql = (table: RevertedTable): string => {
  const columns = columnsOf(table);
  return `INSERT INTO ${undoTableOf(table.name)}(segment, existed, ${columns})
    SELECT current, 1, ${columns} FROM undo_segment, ${table.name} WHERE true ON CONFLICT DO NOTHING`;
};

const triggerKinds = ['insert', 'update', 'delete'] as const;

/**
 * `ON CONFLICT DO NOTHING` keeps the first row of a segment. `INSERT OR IGNORE` would not: inside a trigger SQLite replaces its conflict
 * rule by that of the statement that fired the trigger, such as REPLACE.
 */
function installSql(table: RevertedTable): string[] {
  const { name, key, values } = table;
  const undo = undoTableOf(name);
  const recordRow = (row: 'OLD' | 'NEW', columns: readonly string[], existed: 0 | 1, condition = 'true') =>
    `INSERT INTO ${undo}(segment, existed, ${columns.join(', ')})
       SELECT current, ${existed}, ${columns.map((column) => `${row}.${column}`).join(', ')} FROM undo_segment WHERE ${condition}
       ON CONFLICT DO NOTHING;`;
  const recordOld = recordRow('OLD', [...key, ...values], 1);
  const keyChanged = key.map((column) => `NEW.${column} IS NOT OLD.${column}`).join(' OR ');
  const bodies: { readonly [K in (typeof triggerKinds)[number]]: string } = {
    insert: recordRow('NEW', key, 0),
    update: `${recordOld} ${recordRow('NEW', key, 0, keyChanged)}`,
    delete: recordOld,
  };
  return [
    `CREATE TABLE ${undo}(segment INTEGER NOT NULL, existed INTEGER NOT NULL, ${columnsOf(table)},
       PRIMARY KEY (segment, ${key.join(', ')})) WITHOUT ROWID`,
    ...triggerKinds.map((kind) => `CREATE TRIGGER ${undo}_${kind} AFTER ${kind} ON ${name} BEGIN ${bodies[kind]} END`),
  ];
}

const dropTriggersSql = (name: string): string[] => triggerKinds.map((kind) => `DROP TRIGGER IF EXISTS ${undoTableOf(name)}_${kind}`);

const uninstallSql = (name: string): string[] => [...dropTriggersSql(name), `DROP TABLE ${undoTableOf(name)}`];
