import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idFromBytes } from '../../base/bytes/id.ts';
import { equal } from '../../base/bytes/octets.ts';
import { mapInSteps } from '../../base/timing/long-work.ts';
import { amountFromBytes, ownPart, partFromBytes } from '../state/balance.ts';
import { tablesOf } from '../state/schema.ts';
import type { SqlValue, Statement } from '../store/database.ts';
import { SnapshotError } from './fault.ts';
import { columnsOf, type RevertedTable } from './reverted-tables.ts';
import { type UndoLog, undoTableOf } from './undo-log.ts';

/** What differs between two states of a chain: `added` is only in the second one, `removed` only in the first one. */
type SnapshotDiff = {
  readonly blocks: Changes<{ readonly height: number; readonly id: Id }>;
  readonly txs: Changes<Id>;
  /** Changes of the unspent amount, locked or not: `change` of single-owner outputs, `sharedChange` of multi-owner outputs. */
  readonly balances: readonly BalanceChange[];
};

type BalanceChange = { readonly address: Address; readonly assetID: Id; readonly change: bigint; readonly sharedChange: bigint };

type Changes<T> = { readonly added: readonly T[]; readonly removed: readonly T[] };

/** The most changed rows of a table that a diff reads. */
const maxRows = 100_000;

/** Rows that one step of a diff reads or compares: some milliseconds. */
export const rowsPerStep = 256;

type DiffDeps = {
  /** Prepares each SQL text once. */
  readonly prepare: (sql: string) => Statement<unknown>;
  readonly undoLog: UndoLog;
  /** The chain's number in the database. */
  readonly chain: number;
  /** The segments from one on, in their order. */
  readonly segmentsFrom: (first: number) => number[];
  /** The segment that records what changes while a diff runs; undefined: nothing can change yet, since no step has paused. */
  readonly liveSegment: () => number | undefined;
};

/**
 * Compares two states of a chain: the beginnings of two segments; undefined is the current state. Blocks may be accepted between two steps, if what
 * they change is recorded in the live segment: the result is of the states at the first step. Snapshots must stay as they are meanwhile.
 */
export function* diffStates(deps: DiffDeps, from: number | undefined, to: number | undefined): Generator<void, SnapshotDiff> {
  const t = tablesOf(deps.chain);
  const blocks = splitChanges(yield* readChanges(deps, t.block, from, to));
  const txs = splitChanges(yield* readChanges(deps, t.tx, from, to));
  const balances = yield* balanceChanges(deps, t.balance, yield* readChanges(deps, t.balance, from, to));
  return { blocks: yield* mapChanges(blocks, toBlock), txs: yield* mapChanges(txs, toID), balances };
}

const toID = (row: Row): Id => idFromBytes(row.id as Uint8Array);
const toBlock = (row: Row) => ({ height: row.height as number, id: toID(row) });

type Row = Readonly<Record<string, unknown>>;
/** The row with one key in both states; undefined: it does not exist there. */
type RowChange = { readonly before: Row | undefined; readonly after: Row | undefined };

/** The rows of a table that were recorded since the first of the two states, one change per key. Rows that exist in neither state are left out. */
function* readChanges(deps: DiffDeps, name: string, from: number | undefined, to: number | undefined): Generator<void, RowChange[]> {
  const first = Math.min(from ?? Infinity, to ?? Infinity);
  const table = deps.undoLog.tables.find((one) => one.name === name);
  if (table === undefined || first === Infinity) return [];
  const byKey = yield* readRecorded(deps, table, first);
  const rowAt = createStateReader(deps, table);
  const changes: RowChange[] = [];
  for (const [number, recorded] of [...byKey.values()].entries()) {
    if (number % rowsPerStep === 0) yield;
    const change = { before: rowAt(recorded, from), after: rowAt(recorded, to) };
    if (change.before !== undefined || change.after !== undefined) changes.push(change);
  }
  return changes;
}

/** The rows that a table's undo log had from a segment on when the comparison began, by key, in the order of their segments. */
function* readRecorded(
  { prepare, segmentsFrom, liveSegment }: DiffDeps,
  table: RevertedTable,
  first: number,
): Generator<void, Map<string, Row[]>> {
  const { name } = table;
  const keys = table.key.join(', ');
  const next = prepare(
    `SELECT segment, existed, ${columnsOf(table)} FROM ${undoTableOf(name)}
     WHERE segment = ? AND (${keys}) > (${table.key.map(() => '?').join(', ')}) ORDER BY ${keys} LIMIT ${rowsPerStep}`,
  );
  const begin = prepare(
    `SELECT segment, existed, ${columnsOf(table)} FROM ${undoTableOf(name)} WHERE segment = ? ORDER BY ${keys} LIMIT ${rowsPerStep}`,
  );
  const batches: Row[][] = [];
  let count = 0;
  // From the newest segment on: a state of `--reorg-depth` that is dropped meanwhile adds its rows to the segment before, which is read after it.
  for (const segment of segmentsFrom(first).toReversed()) {
    // What changed since the comparison began.
    if (segment >= (liveSegment() ?? Infinity)) continue;
    const ofSegment: Row[][] = [];
    for (let rows = begin.all(segment) as Row[]; rows.length > 0; ) {
      ofSegment.push(rows);
      count += rows.length;
      if (count > maxRows)
        throw new SnapshotError(`more than ${maxRows} rows of ${name} differ; compare snapshots that are closer together`, {
          code: 'SNAPSHOT_DIFF_TOO_LARGE',
          max: maxRows,
        });
      yield;
      const last = rows.at(-1) as Row;
      rows = rows.length < rowsPerStep ? [] : (next.all(segment, ...keyOf(table, last)) as Row[]);
    }
    batches.unshift(...ofSegment);
  }
  const byKey = new Map<string, Row[]>();
  for (const rows of batches) {
    for (const row of rows) {
      const key = keyText(table, row);
      const recorded = byKey.get(key);
      if (recorded === undefined) byKey.set(key, [row]);
      else recorded.push(row);
    }
    yield;
  }
  return byKey;
}

/** Creates a function that returns what a row was at the beginning of a segment, of what is recorded of its key; undefined: it did not exist. */
function createStateReader({ prepare, segmentsFrom, liveSegment }: DiffDeps, table: RevertedTable) {
  const sameKey = table.key.map((column) => `${column} = ?`).join(' AND ');
  const current = prepare(`SELECT ${columnsOf(table)} FROM ${table.name} WHERE ${sameKey}`);
  const live = prepare(`SELECT existed, ${columnsOf(table)} FROM ${undoTableOf(table.name)} WHERE segment = ? AND ${sameKey}`);
  return (recorded: readonly Row[], segment: number | undefined): Row | undefined => {
    const found = segment === undefined ? undefined : recorded.find((row) => (row.segment as number) >= segment);
    if (found !== undefined) return ifExisted(found);
    const key = keyOf(table, recorded[0] as Row);
    const since = liveSegment();
    for (const later of since === undefined ? [] : segmentsFrom(since)) {
      const changed = live.get(later, ...key) as Row | undefined;
      if (changed !== undefined) return ifExisted(changed);
    }
    return current.get(...key) as Row | undefined;
  };
}

const ifExisted = (row: Row): Row | undefined => (row.existed === 1 ? row : undefined);

const keyOf = ({ key }: RevertedTable, row: Row): SqlValue[] => key.map((column) => row[column] as SqlValue);

const keyText = (table: RevertedTable, row: Row): string =>
  keyOf(table, row)
    .map((value) => (value instanceof Uint8Array ? toHex(value) : String(value)))
    .join(' ');

/** A row that has another content in the second state, such as another block at the same height, is removed and added. */
function splitChanges(changes: readonly RowChange[]): Changes<Row> {
  const changed = changes.filter(({ before, after }) => before === undefined || after === undefined || !hasSameID(before, after));
  return {
    added: changed.flatMap(({ after }): Row[] => (after === undefined ? [] : [after])),
    removed: changed.flatMap(({ before }): Row[] => (before === undefined ? [] : [before])),
  };
}

const hasSameID = (one: Row, other: Row): boolean => equal(one.id as Uint8Array, other.id as Uint8Array);

function* mapChanges<T>({ added, removed }: Changes<Row>, toItem: (row: Row) => T): Generator<void, Changes<T>> {
  return { added: yield* mapInSteps(added, toItem), removed: yield* mapInSteps(removed, toItem) };
}

/**
 * Compares balances: of each, the newest row in either state. No row that is the same in both states is above one that differs, so if a state
 * has none of the rows that differ, its newest row is the one below them.
 */
function* balanceChanges(deps: DiffDeps, name: string, changes: readonly RowChange[]): Generator<void, SnapshotDiff['balances']> {
  const rowBelow = createBelowReader(deps, name);
  const byBalance = new Map<string, RowChange[]>();
  for (const [number, change] of changes.entries()) {
    if (number % rowsPerStep === 0) yield;
    const key = ['address', 'asset', 'part'].map((column) => toHex(rowOf(change)[column] as Uint8Array)).join(' ');
    const rows = byBalance.get(key);
    if (rows === undefined) byBalance.set(key, [change]);
    else rows.push(change);
  }
  const sums = new Map<string, BalanceChange>();
  for (const [number, rows] of [...byBalance.values()].entries()) {
    if (number % rowsPerStep === 0) yield;
    const { address, asset, part } = rowOf(rows[0] as RowChange) as { address: Uint8Array; asset: Uint8Array; part: Uint8Array };
    const balancePart = partFromBytes(part);
    // Rows of lock times add up outputs that `ownPart` adds up too.
    if (balancePart > ownPart) continue;
    const lowest = rows.reduce((least, change) => Math.min(least, rowOf(change).height as number), Infinity);
    const below = rowBelow(address, asset, part, lowest);
    const change = amountOf(newest(rows, 'after') ?? below) - amountOf(newest(rows, 'before') ?? below);
    const key = toHex(address) + toHex(asset);
    const sum = sums.get(key) ?? { address: addressFromBytes(address), assetID: idFromBytes(asset), change: 0n, sharedChange: 0n };
    sums.set(key, balancePart === ownPart ? { ...sum, change } : { ...sum, sharedChange: change });
  }
  return [...sums.values()].filter(({ change, sharedChange }) => change !== 0n || sharedChange !== 0n);
}

/** Creates a function that returns the newest row of a balance below a height, as it was when the comparison began. */
function createBelowReader(deps: DiffDeps, name: string) {
  const { prepare, segmentsFrom, liveSegment } = deps;
  const table = deps.undoLog.tables.find((one) => one.name === name) as RevertedTable;
  const rowAt = createStateReader(deps, table);
  const sameBalance = 'address = ? AND asset = ? AND part = ? AND height < ?';
  const current = prepare(`SELECT max(height) AS height FROM ${name} WHERE ${sameBalance}`);
  const live = prepare(`SELECT max(height) AS height FROM ${undoTableOf(name)} WHERE segment = ? AND ${sameBalance}`);
  return (address: Uint8Array, asset: Uint8Array, part: Uint8Array, below: number): Row | undefined => {
    const since = liveSegment();
    const changed = since === undefined ? [] : segmentsFrom(since);
    for (let height = below; ; ) {
      const found = [
        current.get(address, asset, part, height),
        ...changed.map((segment) => live.get(segment, address, asset, part, height)),
      ];
      height = Math.max(...found.map((row) => (row as { height: number | null }).height ?? -1));
      if (height < 0) return undefined;
      // Undefined: a row that was added since.
      const row = rowAt([{ address, asset, part, height }], undefined);
      if (row !== undefined) return row;
    }
  };
}

const rowOf = ({ before, after }: RowChange): Row => (before ?? after) as Row;

const newest = (rows: readonly RowChange[], state: 'before' | 'after'): Row | undefined =>
  rows
    .flatMap((change): Row[] => (change[state] === undefined ? [] : [change[state]]))
    .reduce<Row | undefined>(
      (found, row) => (found === undefined || (row.height as number) > (found.height as number) ? row : found),
      undefined,
    );

const amountOf = (row: Row | undefined): bigint => (row === undefined ? 0n : amountFromBytes(row.amount as Uint8Array));
