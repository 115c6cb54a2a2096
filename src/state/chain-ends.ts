import { sha256Hex } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import type { OffsetFile } from '../store/file.ts';
import type { Store } from '../store/store.ts';
import { StateError } from './fault.ts';
import type { Accepted } from './history.ts';
import { tablesOf } from './schema.ts';

/**
 * The last accepted block of every chain in a small file of its own, beside the database. A database that ends before it has lost blocks:
 * its write-ahead log was removed or damaged, or an older copy stands in its place.
 *
 * The file is written after the commit is on disk and is not synchronized itself. So it may name an older block than the database (after a
 * power cut), never a newer one.
 */
export type ChainEnds = {
  /** One small write, without waiting for the disk. */
  readonly note: (number: number, chainID: Id, last: ChainEnd) => void;
  readonly close: () => void;
};

export type ChainEnd = Pick<Accepted, 'id' | 'height'>;

/** Lines all have the same length, so that each chain's is written in place: chain, height, block, the first digits of their sha256. */
const heightDigits = 20;
const sumDigits = 16;
const lineLength = 64 + 1 + heightDigits + 1 + 64 + 1 + sumDigits + 1;

export function chainEndsIn(file: OffsetFile): ChainEnds {
  return {
    note: (number, chainID, { id, height }) => file.write((number - 1) * lineLength, Buffer.from(lineOf(chainID, height, id))),
    close: file.close,
  };
}

/** What the file names. A line that does not match its checksum is passed over: it says nothing about the database. */
export function readEnds(file: OffsetFile): ReadonlyMap<Id, ChainEnd> {
  const bytes = Buffer.alloc(Math.min(file.size(), maxBytes));
  file.read(0, bytes);
  const ends = new Map<Id, ChainEnd>();
  for (let at = 0; at + lineLength <= bytes.length; at += lineLength) {
    const line = bytes.toString('latin1', at, at + lineLength);
    const [chainID, height, id] = line.split(' ') as [Id, string, Id];
    if (/^\d+$/.test(height ?? '') && line === lineOf(chainID, BigInt(height), id)) ends.set(chainID, { id, height: BigInt(height) });
  }
  return ends;
}

/** More than the chains of one node need. */
const maxBytes = 1 << 20;

function lineOf(chainID: Id, height: bigint, id: Id): string {
  const facts = `${chainID} ${String(height).padStart(heightDigits, '0')} ${id}`;
  return `${facts} ${sha256Hex(Buffer.from(facts)).slice(0, sumDigits)}\n`;
}

/** Throws if a chain ends before its noted block or has another one at its height. `path` is the file's, for the message. */
export function checkEnds({ db }: Pick<Store, 'db'>, ends: ReadonlyMap<Id, ChainEnd>, path: string): void {
  const hasTable = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
  const numberOf = (chainID: Id): number | undefined =>
    hasTable.get('chain') === undefined
      ? undefined
      : db.prepare<{ number: number }>('SELECT number FROM chain WHERE id = ?').get(idToBytes(chainID))?.number;
  for (const [chainID, end] of ends) {
    const table = tablesOf(numberOf(chainID) ?? 0).block;
    const stored =
      hasTable.get(table) === undefined
        ? undefined
        : {
            height: db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${table}`).get()?.height ?? -1,
            id: db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${table} WHERE height = ?`).get(Number(end.height))?.id,
          };
    if (!stored?.id || toHex(stored.id) !== end.id) throw behind(chainID, stored?.height ?? -1, end, path);
  }
}

function behind(chainID: Id, height: number, end: ChainEnd, path: string): StateError {
  const found = height < 0 ? 'has no block' : height < end.height ? `ends at block ${height}` : `has another block ${end.height}`;
  return new StateError(
    `the database ${found} of chain ${idText(chainID)}, but block ${end.height} had been accepted: the database or its write-ahead log was ` +
      `removed, damaged or replaced; restore the whole data directory from a backup, or delete ${path} to go on with the blocks that are left`,
    { code: 'STATE_BEHIND', chainID: idText(chainID), height, accepted: Number(end.height) },
  );
}
