import type { SqlValue } from './sql.ts';
import type { Column } from './tables.ts';

/*
 * Rows in the binary format of PostgreSQL's COPY: a header, per row the number of its columns and each value with its length, and an end. For
 * the server a row takes half the time of one that comes as parameters of an INSERT.
 */

/** The numbers of rows in the order in which they are written. */
export type RowOrder = Uint32Array;

/** Encoded rows: `ends` has the end of each in `bytes`. */
type EncodedRows = { readonly bytes: Buffer; readonly ends: Uint32Array };

/**
 * Encodes rows of columns of these types. The values of all rows are in one flat list, row after row. That is done before they are put in order: the
 * values of a row are close to each other in memory as long as they are read in the order in which they were made.
 */
export function encodeRows(types: readonly Column['type'][], values: readonly SqlValue[]): EncodedRows {
  const width = types.length;
  const bytes = Buffer.allocUnsafeSlow(sizeOf(width, values));
  const view = new DataView(bytes.buffer);
  const ends = new Uint32Array(values.length / width);
  let at = 0;
  // Each value is written here and not by functions of its own: there are some sixty for every transaction.
  for (let row = 0, i = 0; row < ends.length; row++) {
    view.setInt16(at, width);
    at += 2;
    for (let column = 0; column < width; column++, i++) {
      const value = values[i] as SqlValue;
      if (value === null) {
        view.setInt32(at, lengthOfNull);
        at += 4;
      } else if (typeof value === 'number') {
        view.setInt32(at, 8);
        if (types[column] === 'real') view.setFloat64(at + 4, value);
        else {
          // A safe integer as int8, without a bigint.
          const high = Math.floor(value / 2 ** 32);
          view.setInt32(at + 4, high);
          view.setUint32(at + 8, value - high * 2 ** 32);
        }
        at += 12;
      } else {
        const raw = typeof value === 'string' ? utf8.encode(value) : value;
        const { length } = raw;
        view.setInt32(at, length);
        at += 4;
        // Keys are short, and copied in less time than a call of `set` takes.
        if (length > longestCopied) bytes.set(raw, at);
        else for (let j = 0; j < length; j++) bytes[at + j] = raw[j] as number;
        at += length;
      }
    }
    ends[row] = at;
  }
  return { bytes, ends };
}

/** The data of a COPY with some of the rows: those of `order`, or of the rows as they are, from a place up to before another. */
export function copyOfRows({ bytes, ends }: EncodedRows, order: RowOrder | undefined, from: number, to: number): Uint8Array {
  const startOf = (row: number): number => (row === 0 ? 0 : (ends[row - 1] as number));
  let size = header.length + trailerLength;
  if (order === undefined) size += startOf(to) - startOf(from);
  else for (let i = from; i < to; i++) size += (ends[order[i] as number] as number) - startOf(order[i] as number);
  const copy = Buffer.allocUnsafeSlow(size);
  copy.set(header);
  let at = header.length;
  if (order === undefined) bytes.copy(copy, at, startOf(from), startOf(to));
  else for (let i = from; i < to; i++) at += bytes.copy(copy, at, startOf(order[i] as number), ends[order[i] as number]);
  copy.writeInt16BE(endOfRows, size - trailerLength);
  return copy;
}

/** A signature, then flags and the length of an extension, which are 0. */
const header = Buffer.from('PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const endOfRows = -1;
const trailerLength = 2;
const lengthOfNull = -1;
const longestCopied = 64;
const utf8 = new TextEncoder();

function sizeOf(columns: number, values: readonly SqlValue[]): number {
  let size = 2 * (values.length / columns) + 4 * values.length;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as SqlValue;
    if (typeof value === 'number') size += 8;
    else if (value !== null) size += typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  }
  return size;
}
