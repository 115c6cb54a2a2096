import { attempt } from '../../base/fault.ts';
import { listStoredChains } from '../state/chain-number.ts';
import { tablesOf } from '../state/schema.ts';
import type { Database } from '../store/database.ts';
import { storeErrorFromDriver } from '../store/fault.ts';
import { columnsOf, type RevertedTable, readRevertedTables } from './reverted-tables.ts';
import { damagedError, StateFileError } from './state-file.ts';

/*
 * Copies the tables of the chains to another database file, and back. The numbers of chains that this node does not run, such as P and C,
 * depend on the order of their first use, so the copy holds the `chain` table, and loading translates the numbers.
 */

/** Rows that are copied per step. */
const rowsInStep = 5000;

/**
 * Copies the chains' tables to a new file, in one transaction of `db`. Between two steps other work may run, if it does not use `db`.
 * Tables without the rows of a revert are copied as they are.
 */
export function* copyTables(db: Database, path: string): Generator<void> {
  db.exec(`ATTACH DATABASE ${db.fileToAttach(path)} AS copied; PRAGMA copied.journal_mode = OFF; PRAGMA copied.synchronous = OFF`);
  try {
    db.exec('BEGIN');
    try {
      const schema = db.prepare<{ sql: string }>(`SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?`);
      for (const table of [chainTable, ...readRevertedTables(db)]) {
        const { sql } = schema.get(table.name) as { sql: string };
        db.exec(sql.replace(/^CREATE TABLE /, 'CREATE TABLE copied.'));
        yield* copyRows(db, table);
      }
      db.exec('COMMIT');
    } catch (error) {
      // On a full disk SQLite has rolled back by itself, and ROLLBACK fails.
      attempt(() => db.exec('ROLLBACK'));
      throw error;
    }
  } finally {
    db.exec('DETACH DATABASE copied');
  }
}

const chainTable: RevertedTable = { name: 'chain', key: ['number'], values: ['id', 'genesis'] };

/** Copies rows in the order of their key. */
function* copyRows(db: Database, table: RevertedTable): Generator<void> {
  const { name, key } = table;
  const [columns, keys] = [columnsOf(table), key.join(', ')];
  const last = db.prepare<Record<string, number>>(
    `SELECT ${keys} FROM copied.${name} ORDER BY ${key.map((one) => `${one} DESC`).join(', ')} LIMIT 1`,
  );
  const insert = `INSERT INTO copied.${name}(${columns}) SELECT ${columns} FROM main.${name}`;
  const first = db.prepare(`${insert} ORDER BY ${keys} LIMIT ${rowsInStep}`);
  const next = db.prepare(`${insert} WHERE (${keys}) > (${key.map(() => '?').join(', ')}) ORDER BY ${keys} LIMIT ${rowsInStep}`);
  const copied = db.prepare<{ rows: number }>('SELECT changes() AS rows');
  first.run();
  for (;;) {
    if ((copied.get()?.rows ?? 0) < rowsInStep) return;
    yield;
    const after = last.get() as Record<string, number>;
    next.run(...key.map((one) => after[one] as number));
  }
}

/** Attaches a copy, to be loaded by `loadTables`; returns a function that detaches it. Must run outside a transaction. */
export function attachCopy(db: Database, path: string): () => void {
  orDamaged(() => db.exec(`PRAGMA cell_size_check = ON; ATTACH DATABASE ${db.fileToAttach(path)} AS loaded`));
  return () => db.exec('DETACH DATABASE loaded; PRAGMA cell_size_check = OFF');
}

/**
 * The root pages of the tables of an attached copy. Throws if it holds anything else than the tables of this node, such as a view, a trigger
 * or a condition on a column: SQLite would run what they say.
 */
export function readCopyRoots(db: Database): number[] {
  const select = `SELECT type, name, tbl_name, sql, rootpage FROM`;
  const found = orDamaged(() => db.prepare<SchemaRow>(`${select} loaded.sqlite_schema LIMIT ${maxObjects + 1}`).all());
  if (found.length > maxObjects || found.some(({ type }) => type === 'view' || type === 'trigger'))
    throw damagedError('it holds other things than tables');
  const wanted = new Set([chainTable.name, ...readRevertedTables(db).map(({ name }) => name)]);
  const own = db
    .prepare<SchemaRow>(`${select} main.sqlite_schema WHERE type = 'table' OR (type = 'index' AND sql IS NULL)`)
    .all()
    .filter(({ tbl_name }) => wanted.has(tbl_name));
  const namesIn = (rows: readonly SchemaRow[]) => rows.map(({ type, name, tbl_name }) => `${type} ${name} ${tbl_name}`).sort();
  if (namesIn(found).join('\n') !== namesIn(own).join('\n')) throw otherChainsError();
  const sqlOf = new Map(own.map(({ type, name, sql }) => [`${type} ${name}`, normalizeSql(sql)]));
  for (const { type, name, sql } of found)
    if (normalizeSql(sql) !== sqlOf.get(`${type} ${name}`)) throw damagedError(`its ${type} ${name} is not defined as in this node`);
  return found.map(({ rootpage }) => rootpage);
}

/** More tables and indexes than any node has: each chain has some forty. */
const maxObjects = 100_000;

type SchemaRow = {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
  readonly rootpage: number;
};

/**
 * The definition of a table without what may differ between two nodes of one version: white space, and a column that a migration has added at
 * the end, with a default value.
 */
function normalizeSql(sql: string | null): string | undefined {
  const [, head, body, tail] = /^(CREATE TABLE [^(]*)\(([\s\S]*)\)([^)]*)$/.exec(sql ?? '') ?? [];
  if (body === undefined) return sql ?? undefined;
  const parts = body.split(/,(?![^(]*\))/).map((part) =>
    part
      .trim()
      .replaceAll(/\s+/g, ' ')
      .replace(/ DEFAULT 0$/, ''),
  );
  return [head?.trim(), ...parts.sort(), tail?.trim()].join('\n');
}

/** Throws if the attached copy, whose tables were checked by `readCopyRoots`, has damaged rows, other chains than this node, or not all of their blocks. */
export function checkCopy(db: Database): void {
  const [result] = orDamaged(() => db.prepare<{ quick_check: string }>('PRAGMA loaded.quick_check(1)').all());
  if (result?.quick_check !== 'ok') throw damagedError(result?.quick_check ?? 'it holds no database');
  const chainsIn = (schema: string): string =>
    db
      .prepare<{ text: string }>(
        `SELECT number || ' ' || hex(id) || ' ' || hex(genesis) AS text FROM ${schema}.chain WHERE genesis IS NOT NULL`,
      )
      .all()
      .map(({ text }) => text)
      .sort()
      .join(', ');
  if (chainsIn('loaded') !== chainsIn('main')) throw otherChainsError();
  for (const { number } of listStoredChains({ db })) checkBlocks(db, tablesOf(number).block);
}

/** Throws unless the heights of the blocks in a table of the copy are 0, 1, 2 and so on, and block 0 is that of this node, if it has one. */
function checkBlocks(db: Database, table: string): void {
  const { blocks, lowest, highest } = db
    .prepare<{ blocks: number; lowest: number; highest: number }>(
      `SELECT count(*) AS blocks, min(height) AS lowest, max(height) AS highest FROM loaded.${table}`,
    )
    .get() as { blocks: number; lowest: number; highest: number };
  const otherBlock0 = db.prepare(
    `SELECT 1 FROM main.${table} WHERE height = 0 AND id IS NOT (SELECT id FROM loaded.${table} WHERE height = 0)`,
  );
  if (otherBlock0.get() !== undefined) throw damagedError(`its table ${table} does not begin with block 0 of this chain`);
  if (blocks > 0 && (lowest !== 0 || highest !== blocks - 1)) throw damagedError(`blocks are missing in its table ${table}`);
}

const otherChainsError = () =>
  new StateFileError('the state file has other chains than this node; use the --chains file and the API flags of the node that saved it', {
    code: 'STATE_FILE_OTHER_CHAINS',
  });

/** Runs work on a copy; an error of SQLite, which then cannot read the copy, becomes a fault. */
function orDamaged<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = storeErrorFromDriver(error)?.message;
    throw reason === undefined ? error : damagedError(reason);
  }
}

/** Replaces the rows of all chains by those of the attached copy. Must run inside a write transaction. */
export function loadTables(db: Database): void {
  db.exec('INSERT OR IGNORE INTO main.chain(id) SELECT id FROM loaded.chain WHERE genesis IS NULL');
  for (const table of readRevertedTables(db)) {
    const source = [...table.key, ...table.values].map((column) => (isChainNumber(table.name, column) ? translate(column) : `l.${column}`));
    db.exec(`DELETE FROM main.${table.name}`);
    db.exec(`INSERT INTO main.${table.name}(${columnsOf(table)}) SELECT ${source.join(', ')} FROM loaded.${table.name} l`);
  }
}

/** See `sharedSchema` in state/schema.ts. */
const isChainNumber = (table: string, column: string): boolean => table.startsWith('atomic') && (column === 'reader' || column === 'peer');

const translate = (column: string): string =>
  `(SELECT o.number FROM main.chain o JOIN loaded.chain c ON c.id = o.id WHERE c.number = l.${column})`;
