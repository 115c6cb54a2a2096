import type { SqlValue } from './sql.ts';
import type { Column } from './tables.ts';

/*
 * Rows in the binary format of PostgreSQL's COPY: a header, per row the number of its columns and each value with its length, and an end. For
 * the server a row takes half the time of one that comes as parameters of an INSERT.
 */

/** Encodes rows of columns of these types. The values of all rows are in one flat list, row after row. */
export function encodeCopyRows(types: readonly Column['type'][], values: readonly SqlValue[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(sizeOf(types.length, values));
  bytes.set(header);
  let at = header.length;
  for (let row = 0; row < values.length; row += types.length) {
    at = bytes.writeInt16BE(types.length, at);
    for (const [column, type] of types.entries()) at = writeValue(bytes, at, type, values[row + column] as SqlValue);
  }
  bytes.writeInt16BE(endOfRows, at);
  return bytes;
}

/** A signature, then flags and the length of an extension, which are 0. */
const header = Buffer.from('PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const endOfRows = -1;
const lengthOfNull = -1;

function sizeOf(columns: number, values: readonly SqlValue[]): number {
  let size = header.length + 2 * (values.length / columns) + 2;
  for (const value of values) size += 4 + lengthOf(value);
  return size;
}

function lengthOf(value: SqlValue): number {
  if (value === null) return 0;
  if (typeof value === 'number') return 8;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}

/** Writes a value after its length; returns where the next one begins. */
function writeValue(bytes: Buffer, at: number, type: Column['type'], value: SqlValue): number {
  if (value === null) return bytes.writeInt32BE(lengthOfNull, at);
  if (typeof value === 'number') {
    const start = bytes.writeInt32BE(8, at);
    return type === 'real' ? bytes.writeDoubleBE(value, start) : writeInteger(bytes, start, value);
  }
  const raw = typeof value === 'string' ? Buffer.from(value) : value;
  const start = bytes.writeInt32BE(raw.length, at);
  bytes.set(raw, start);
  return start + raw.length;
}

/** Writes a safe integer as int8, without a bigint: there are several in every row. */
function writeInteger(bytes: Buffer, at: number, value: number): number {
  const high = Math.floor(value / 2 ** 32);
  return bytes.writeUInt32BE(value - high * 2 ** 32, bytes.writeInt32BE(high, at));
}
