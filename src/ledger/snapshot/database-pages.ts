import type { OffsetFile } from '../store/offset-file.ts';
import { damagedError } from './state-file.ts';

/*
 * Checks the pages of a SQLite file before SQLite reads it. A tree whose pages refer to each other, or to the same page many times, would
 * keep SQLite busy for ever, and nothing can interrupt it. After this check every page is in at most one place, so any scan ends.
 * The layout is described in https://www.sqlite.org/fileformat2.html.
 */

type DatabasePages = {
  /** Visits the pages of the tree with this root page; yields after each one. Throws a fault if a page is in two places or not valid. */
  readonly checkTree: (root: number) => Generator<void>;
};

const headerSize = 100;
const magic = 'SQLite format 3\0';
/** Levels of a tree. SQLite's own limit is 20. */
const maxDepth = 20;

/** What may stand at these offsets of the header; our own copies have these values. */
const headerRules: readonly (readonly [offset: number, size: 1 | 4, value: number, meaning: string])[] = [
  [18, 1, 1, 'its format is not the one of a state file'],
  [19, 1, 1, 'its format is not the one of a state file'],
  [20, 1, 0, 'its pages have a reserved part'],
  [52, 4, 0, 'it has an automatic vacuum'],
  [56, 4, 1, 'its texts are not UTF-8'],
];

/** Throws a fault if the file is not a SQLite database. */
export function openDatabasePages(file: Pick<OffsetFile, 'size' | 'read'>): DatabasePages {
  const size = file.size();
  const header = Buffer.alloc(headerSize);
  if (file.read(0, header) < headerSize || header.toString('latin1', 0, magic.length) !== magic)
    throw damagedError('what it holds is not a SQLite database');
  const given = header.readUInt16BE(16);
  const pageSize = given === 1 ? 65_536 : given;
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) throw damagedError(`its pages have ${pageSize} bytes`);
  for (const [offset, length, value, meaning] of headerRules) if (header.readUIntBE(offset, length) !== value) throw damagedError(meaning);
  const count = size / pageSize;
  if (header.readUInt32BE(28) !== count) throw damagedError('its number of pages is wrong');

  const isVisited = new Uint8Array(count + 1);
  const readPage = (page: number): Buffer => {
    if (page < 1 || page > count) throw damagedError(`there is no page ${page}`);
    if (isVisited[page] === 1) throw damagedError(`page ${page} is in two places`);
    isVisited[page] = 1;
    const bytes = Buffer.alloc(pageSize);
    file.read((page - 1) * pageSize, bytes);
    return bytes;
  };

  function* checkOverflow(first: number, payload: number, local: number): Generator<void> {
    const bytesPerPage = pageSize - 4;
    let page = first;
    for (let left = payload - local; left > 0; left -= bytesPerPage) {
      page = readPage(page).readUInt32BE(0);
      yield;
    }
  }

  function* checkPage(page: number, depth: number, isIndex: boolean | undefined): Generator<void> {
    if (depth > maxDepth) throw damagedError(`a tree has more than ${maxDepth} levels`);
    const bytes = readPage(page);
    const start = page === 1 ? headerSize : 0;
    const kind = pageKinds.get(bytes[start] as number);
    if (kind === undefined || (isIndex ?? kind.isIndex) !== kind.isIndex) throw damagedError(`page ${page} has a wrong type`);
    yield;
    const cells = bytes.readUInt16BE(start + 3);
    const pointers = start + (kind.isLeaf ? 8 : 12);
    if (pointers + 2 * cells > pageSize) throw damagedError(`page ${page} has too many cells`);
    for (let i = 0; i < cells; i++) {
      const cell = readCell(bytes, bytes.readUInt16BE(pointers + 2 * i), kind, page);
      if (cell.child !== undefined) yield* checkPage(cell.child, depth + 1, kind.isIndex);
      if (cell.overflow !== undefined) yield* checkOverflow(cell.overflow, cell.payload, cell.local);
    }
    if (!kind.isLeaf) yield* checkPage(bytes.readUInt32BE(start + 8), depth + 1, kind.isIndex);
  }

  /** The parts of a cell that refer to other pages. */
  const readCell = (bytes: Buffer, offset: number, { isLeaf, isIndex }: PageKind, page: number): Cell => {
    try {
      const child = isLeaf ? undefined : bytes.readUInt32BE(offset);
      if (!isLeaf && !isIndex) return { child, overflow: undefined, payload: 0, local: 0 };
      const [payload, afterPayload] = readVarint(bytes, isLeaf ? offset : offset + 4);
      const content = isIndex ? afterPayload : readVarint(bytes, afterPayload)[1];
      const local = localSize(payload, isIndex);
      if (payload > size) throw new RangeError();
      return { child, payload, local, overflow: local < payload ? bytes.readUInt32BE(content + local) : undefined };
    } catch (error) {
      if (error instanceof RangeError) throw damagedError(`a cell of page ${page} does not end in it`);
      throw error;
    }
  };

  /** How many bytes of a payload are in the page of its cell; the others are in overflow pages. */
  const localSize = (payload: number, isIndex: boolean): number => {
    const max = isIndex ? Math.floor(((pageSize - 12) * 64) / 255) - 23 : pageSize - 35;
    if (payload <= max) return payload;
    const min = Math.floor(((pageSize - 12) * 32) / 255) - 23;
    const size = min + ((payload - min) % (pageSize - 4));
    return size <= max ? size : min;
  };

  return { checkTree: (root) => checkPage(root, 0, undefined) };
}

type PageKind = { readonly isLeaf: boolean; readonly isIndex: boolean };
type Cell = { readonly child: number | undefined; readonly overflow: number | undefined; readonly payload: number; readonly local: number };

const pageKinds: ReadonlyMap<number, PageKind> = new Map([
  [2, { isLeaf: false, isIndex: true }],
  [5, { isLeaf: false, isIndex: false }],
  [10, { isLeaf: true, isIndex: true }],
  [13, { isLeaf: true, isIndex: false }],
]);

/** An integer of 1 to 9 bytes, and the offset after it. Above 2^53 it is rounded; such a size is refused anyway. */
function readVarint(bytes: Buffer, offset: number): [value: number, end: number] {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes.readUInt8(offset + i);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, offset + i + 1];
  }
  return [value * 256 + bytes.readUInt8(offset + 8), offset + 9];
}
