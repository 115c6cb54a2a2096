import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { compare } from '../bytes/octets.ts';
import { lookup } from '../index/batch.ts';
import type { SqlValue } from '../index/sql.ts';
import { ask, type Query, type Steps } from '../index/steps.ts';
import type { Tables } from '../state/schema.ts';
import { storedTx } from '../state/stored-tx.ts';
import { restored, type StoredUtxo } from '../state/stored-utxo.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { OutputEntry, Pin, Spent } from './index-reads.ts';

/** An output of the chain as its tables have it. */
export type OwnRow = {
  readonly seq: number;
  readonly height: number;
  readonly time: number;
  readonly bytes: StoredUtxo;
  /** Number of the transaction that consumed it. */
  readonly spent: number | null;
};

/** One that went to another chain, or came from there. */
export type MovedRow = {
  /** Below zero, as in lists. */
  readonly seq: number;
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly bytes: StoredUtxo;
  readonly seen: number;
  readonly put_height: number | null;
  readonly taken_by: Uint8Array | null;
  readonly taken_height: number | null;
  readonly taken_time: number | null;
  /** Number of the transaction that took it, if this chain did. */
  readonly taken_tx: number | null;
};

/** An output as of a pin. What consumed it is a transaction of this chain, by its number, or one of another chain. */
export type Found = {
  readonly seq: number;
  readonly utxo: Utxo;
  readonly time: number;
  readonly createdOn: Id;
  readonly consumedOn: Id;
  readonly spent: { readonly tx: number } | TakenElsewhere | undefined;
};

/** `txID` is undefined if nobody here knows which transaction it was. */
type TakenElsewhere = { readonly txID: Id | undefined; readonly time: number };

export type OutputReads = {
  readonly byId: (ids: readonly SqlValue[]) => Query[];
  /** The same for those whose consumer the caller knows. */
  readonly consumedById: (ids: readonly SqlValue[]) => Query[];
  /** By its number in lists. */
  readonly bySeq: (seq: number) => Query;
  /** Of outputs that the caller has already: their number, and what consumed them. */
  readonly places: (ids: readonly SqlValue[]) => Query[];
  readonly movedById: (ids: readonly SqlValue[]) => Query[];
  /** Those that other chains took after a moment, as far as this server knows, oldest first. */
  readonly takenAfter: (time: number, seq: number, limit: number) => Query;
  /** Whether it was made and not yet consumed. */
  readonly isThere: (row: OwnRow | MovedRow, pin: Pin) => boolean;
  /** Undefined: it was not made yet. */
  readonly found: (row: OwnRow | MovedRow, pin: Pin) => Found | undefined;
  readonly entries: (found: readonly Found[]) => Steps<OutputEntry[]>;
};

export const ownColumns = 'u.height, b.time, u.bytes, s.tx AS spent';
export const ownJoins = (t: Tables): string => `JOIN ${t.block} b ON b.height = u.height LEFT JOIN ${t.spend} s ON s.utxo = u.seq`;
export const movedColumns =
  'm.source, m.destination, m.bytes, m.seen, m.put_height, m.taken_by, m.taken_height, m.taken_time, x.seq AS taken_tx';
export const movedJoins = (t: Tables): string => `LEFT JOIN ${t.tx} x ON x.id = m.taken_by`;

export function outputReads(t: Tables, chainID: Id): OutputReads {
  const own = `SELECT u.seq, u.id, ${ownColumns} FROM ${t.utxo} u ${ownJoins(t)}`;
  const moved = `SELECT -m.seq AS seq, m.id, ${movedColumns} FROM moved m ${movedJoins(t)}`;
  const self = idToBytes(chainID);
  const consumers = lookup(
    (keys) => `SELECT x.seq, x.id, x.bytes, b.time FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height WHERE x.seq IN (${keys})`,
  );

  const made = ({ seq, height, time, bytes, spent }: OwnRow, pin: Pin): Found | undefined =>
    height > pin.height
      ? undefined
      : { seq, utxo: restored(bytes), time, createdOn: chainID, consumedOn: chainID, spent: spentBy(spent, pin) };

  const exported = (row: MovedRow, pin: Pin): Found | undefined =>
    !isPut(row, pin)
      ? undefined
      : {
          seq: row.seq,
          utxo: restored(row.bytes),
          time: row.seen,
          createdOn: toHex(row.source) as Id,
          consumedOn: toHex(row.destination) as Id,
          spent: takenBy(row, pin),
        };

  /** Made on another chain: this one knows it since its import spent it. */
  const isImported = ({ destination }: MovedRow): boolean => compare(destination, self) === 0;
  const imported = ({ seq, bytes, seen, source, taken_height, taken_tx }: MovedRow, pin: Pin): Found | undefined =>
    taken_tx === null || taken_height === null || taken_height > pin.height
      ? undefined
      : { seq, utxo: restored(bytes), time: seen, createdOn: toHex(source) as Id, consumedOn: chainID, spent: { tx: taken_tx } };

  return {
    byId: lookup((keys) => `${own} WHERE u.id IN (${keys})`),
    consumedById: lookup(
      (keys) => `SELECT u.seq, u.id, b.time, u.bytes FROM ${t.utxo} u JOIN ${t.block} b ON b.height = u.height WHERE u.id IN (${keys})`,
    ),
    bySeq: (seq) => (seq < 0 ? { text: `${moved} WHERE m.seq = ?`, values: [-seq] } : { text: `${own} WHERE u.seq = ?`, values: [seq] }),
    places: lookup(
      (keys) => `SELECT u.seq, u.id, s.tx AS spent FROM ${t.utxo} u LEFT JOIN ${t.spend} s ON s.utxo = u.seq WHERE u.id IN (${keys})`,
    ),
    movedById: lookup((keys) => `${moved} WHERE m.id IN (${keys})`),
    takenAfter: (time, seq, limit) => ({
      text: `${moved} WHERE (m.taken_time, m.seq) > (?, ?) ORDER BY m.taken_time, m.seq LIMIT ? + 0`,
      values: [time, seq, limit],
    }),
    isThere: (row, pin) =>
      'source' in row
        ? !isImported(row) && isPut(row, pin) && takenBy(row, pin) === undefined
        : row.height <= pin.height && spentBy(row.spent, pin) === undefined,
    found: (row, pin) => ('source' in row ? (isImported(row) ? imported(row, pin) : exported(row, pin)) : made(row, pin)),
    entries: function* (found) {
      const numbers = new Set<number>();
      for (const { spent } of found) if (spent !== undefined && 'tx' in spent) numbers.add(spent.tx);
      const rows = yield* ask<{ seq: number; id: Uint8Array; bytes: Uint8Array; time: number }>(consumers([...numbers]));
      const known = new Map(rows.map((row) => [row.seq, spentIn(storedTx(row), row.time)]));
      return found.map(({ spent, ...output }) => ({
        ...output,
        spent: spent === undefined ? undefined : 'tx' in spent ? known.get(spent.tx) : { ...spent, tx: undefined },
      }));
    },
  };
}

export const spentIn = (tx: Tx, time: number): Spent => ({ txID: tx.id, time, tx });

export const spentBy = (tx: number | null, pin: Pin): { readonly tx: number } | undefined =>
  tx === null || tx > pin.lastTx ? undefined : { tx };

const isPut = ({ put_height }: MovedRow, pin: Pin): boolean => (put_height ?? 0) <= pin.height;

/** Another chain's heights say nothing about when, its times do. */
export const takenBy = ({ taken_by, taken_time }: MovedRow, pin: Pin): TakenElsewhere | undefined =>
  taken_time === null || taken_time > pin.time
    ? undefined
    : { txID: taken_by === null ? undefined : (toHex(taken_by) as Id), time: taken_time };
