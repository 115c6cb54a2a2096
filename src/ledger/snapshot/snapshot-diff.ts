import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idFromBytes } from '../../base/bytes/id.ts';
import { amountFromBytes, ownPart, partFromBytes } from '../state/balance.ts';
import { tablesOf } from '../state/schema.ts';
import type { Statement } from '../store/database.ts';
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

/** Compares two states of a chain: the beginnings of two segments; undefined is the current state. */
export function diffStates({ prepare, undoLog, chain }: DiffDeps, from: number | undefined, to: number | undefined): SnapshotDiff {
  const t = tablesOf(chain);
  const changesOf = (name: string) => readChanges(prepare, undoLog, name, from, to);
  return {
    blocks: splitChanges(changesOf(t.block), (row) => ({ height: row.height as number, id: idFromBytes(row.id as Uint8Array) })),
    txs: splitChanges(changesOf(t.tx), (row) => idFromBytes(row.id as Uint8Array)),
    balances: balanceChanges(
      prepare,
      t.balance,
      changesOf(t.balance).filter(({ before, after }) => before !== undefined || after !== undefined),
    ),
  };
}

type DiffDeps = {
  /** Prepares each SQL text once. */
  readonly prepare: (sql: string) => Statement<unknown>;
  readonly undoLog: UndoLog;
  /** The chain's number in the database. */
  readonly chain: number;
};

type Row = Readonly<Record<string, unknown>>;
/** The row with one key in both states; undefined: it does not exist there. */
type RowChange = { readonly before: Row | undefined; readonly after: Row | undefined };

function readChanges(
  prepare: DiffDeps['prepare'],
  undoLog: UndoLog,
  name: string,
  from: number | undefined,
  to: number | undefined,
): RowChange[] {
  const table = undoLog.tables.find((one) => one.name === name);
  const first = Math.min(from ?? Infinity, to ?? Infinity);
  if (table === undefined || first === Infinity) return [];
  const rows = prepare(
    `SELECT segment, existed, ${columnsOf(table)} FROM ${undoTableOf(name)} WHERE segment >= ? ORDER BY segment LIMIT ?`,
  ).all(first, maxRows + 1) as Row[];
  if (rows.length > maxRows)
    throw new SnapshotError(`more than ${maxRows} rows of ${name} differ; compare snapshots that are closer together`, {
      code: 'SNAPSHOT_DIFF_TOO_LARGE',
      max: maxRows,
    });
  const byKey = Map.groupBy(rows, (row) => keyText(table, row));
  const current = prepare(`SELECT ${columnsOf(table)} FROM ${name} WHERE ${table.key.map((column) => `${column} = ?`).join(' AND ')}`);
  // The rows of a key are in the order of their segments: the first one at or after a segment is the row at its beginning.
  const rowAt = (recorded: readonly Row[], segment: number | undefined): Row | undefined => {
    const found = segment === undefined ? undefined : recorded.find((row) => (row.segment as number) >= segment);
    if (found !== undefined) return found.existed === 1 ? found : undefined;
    return current.get(...table.key.map((column) => recorded[0]?.[column] as Uint8Array)) as Row | undefined;
  };
  return [...byKey.values()].map((recorded) => ({ before: rowAt(recorded, from), after: rowAt(recorded, to) }));
}

const keyText = ({ key }: RevertedTable, row: Row): string =>
  key.map((column) => (row[column] instanceof Uint8Array ? toHex(row[column] as Uint8Array) : String(row[column]))).join(' ');

/** A row that has another content in the second state, such as another block at the same height, is removed and added. */
function splitChanges<T>(changes: readonly RowChange[], toItem: (row: Row) => T): Changes<T> {
  const changed = changes.filter(({ before, after }) => idText(before) !== idText(after));
  return {
    added: changed.flatMap(({ after }) => (after === undefined ? [] : [toItem(after)])),
    removed: changed.flatMap(({ before }) => (before === undefined ? [] : [toItem(before)])),
  };
}

const idText = (row: Row | undefined): string | undefined => row && toHex(row.id as Uint8Array);

/**
 * Compares balances: of each, the newest row in either state. No row that is the same in both states is above one that differs, so if a state
 * has none of the rows that differ, its newest row is the one below them.
 */
function balanceChanges(prepare: DiffDeps['prepare'], name: string, changes: readonly RowChange[]): SnapshotDiff['balances'] {
  const rowBelow = prepare(
    `SELECT amount FROM ${name} WHERE address = ? AND asset = ? AND part = ? AND height < ? ORDER BY height DESC LIMIT 1`,
  );
  const byBalance = Map.groupBy(changes, (change) =>
    ['address', 'asset', 'part'].map((column) => toHex(rowOf(change)[column] as Uint8Array)).join(' '),
  );
  const sums = new Map<string, BalanceChange>();
  for (const rows of byBalance.values()) {
    const { address, asset, part } = rowOf(rows[0] as RowChange) as { address: Uint8Array; asset: Uint8Array; part: Uint8Array };
    const balancePart = partFromBytes(part);
    // Rows of lock times add up outputs that `ownPart` adds up too.
    if (balancePart > ownPart) continue;
    const lowest = Math.min(...rows.map((change) => rowOf(change).height as number));
    const below = rowBelow.get(address, asset, part, lowest) as Row | undefined;
    const change = amountOf(newest(rows, 'after') ?? below) - amountOf(newest(rows, 'before') ?? below);
    const key = toHex(address) + toHex(asset);
    const sum = sums.get(key) ?? { address: addressFromBytes(address), assetID: idFromBytes(asset), change: 0n, sharedChange: 0n };
    sums.set(key, balancePart === ownPart ? { ...sum, change } : { ...sum, sharedChange: change });
  }
  return [...sums.values()].filter(({ change, sharedChange }) => change !== 0n || sharedChange !== 0n);
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
