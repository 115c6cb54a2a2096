import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { attempt } from '../../base/fault.ts';
import type { OffsetFile } from '../store/offset-file.ts';
import type { Store } from '../store/store.ts';
import { listStoredChains } from './chain-number.ts';
import { StateError } from './fault.ts';
import type { AcceptedBlock } from './history.ts';
import { tablesOf } from './schema.ts';

/**
 * A small file next to the database with the last accepted block of every chain. A database that does not contain that block has lost
 * blocks: its write-ahead log was removed or damaged, or the database was replaced by an older copy.
 *
 * The file is written when the commit is on disk, without fsync: after each commit, or after each checkpoint if commits do not wait for the
 * disk. So after a power cut it may name an older block than the database has, but never a newer one.
 */
export type ChainEnds = {
  /** Writes the last accepted block of a chain, without fsync. `number`: the chain's number in the database. */
  readonly record: (number: number, chainID: Id, last: ChainEnd) => void;
  /** Removes the record of a chain. */
  readonly forget: (number: number) => void;
  /** Returns when all records are on disk (fsync). */
  readonly sync: () => void;
  readonly close: () => void;
};

export type ChainEnd = Pick<AcceptedBlock, 'id' | 'height'>;

/** All lines have the same length, so that a chain's line is overwritten in place: chain, height, block, first digits of their SHA-256. */
const heightDigits = 20;
const sumDigits = 16;
const lineLength = 64 + 1 + heightDigits + 1 + 64 + 1 + sumDigits + 1;

export function openChainEnds(file: OffsetFile): ChainEnds {
  return {
    record: (number, chainID, { id, height }) => file.write((number - 1) * lineLength, Buffer.from(formatLine(chainID, height, id))),
    // A line without a checksum is skipped.
    forget: (number) => file.write((number - 1) * lineLength, Buffer.alloc(lineLength, '\n')),
    sync: file.sync,
    close: file.close,
  };
}

/** Chain ends that are written by `flush`, when the commits before it are on disk. If the disk fails, the file names older blocks, which is true too. */
export function deferChainEnds(ends: ChainEnds): ChainEnds & { readonly flush: () => void } {
  const pending = new Map<number, () => void>();
  const writePending = (): void => {
    for (const write of pending.values()) write();
    pending.clear();
  };
  return {
    record: (number, chainID, { id, height }) => void pending.set(number, () => ends.record(number, chainID, { id, height })),
    forget: (number) => void pending.set(number, () => ends.forget(number)),
    flush: () => attempt(writePending),
    sync: () => {
      writePending();
      ends.sync();
    },
    close: ends.close,
  };
}

/** Reads the last accepted blocks from the file. A line with a wrong checksum is skipped: it proves nothing about the database. */
export function readChainEnds(file: OffsetFile): ReadonlyMap<Id, ChainEnd> {
  const bytes = Buffer.alloc(Math.min(file.size(), maxBytes));
  file.read(0, bytes);
  const ends = new Map<Id, ChainEnd>();
  for (let at = 0; at + lineLength <= bytes.length; at += lineLength) {
    const line = bytes.toString('latin1', at, at + lineLength);
    const [chainID, height, id] = line.split(' ') as [Id, string, Id];
    if (/^\d+$/.test(height ?? '') && line === formatLine(chainID, BigInt(height), id)) ends.set(chainID, { id, height: BigInt(height) });
  }
  return ends;
}

/** Upper limit for reading; the chains of one node need less. */
const maxBytes = 1 << 20;

function formatLine(chainID: Id, height: bigint, id: Id): string {
  const facts = `${chainID} ${String(height).padStart(heightDigits, '0')} ${id}`;
  return `${facts} ${sha256Hex(Buffer.from(facts)).slice(0, sumDigits)}\n`;
}

/** Throws if a chain does not contain its recorded last block. `path`: the path of the chain-ends file, for the message. */
export function checkChainEnds({ db }: Pick<Store, 'db'>, ends: ReadonlyMap<Id, ChainEnd>, path: string): void {
  const hasTable = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
  const numbers = new Map(listStoredChains({ db }).map(({ id, number }) => [id, number]));
  for (const [chainID, end] of ends) {
    const table = tablesOf(numbers.get(chainID) ?? 0).block;
    const stored =
      hasTable.get(table) === undefined
        ? undefined
        : {
            height: db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${table}`).get()?.height ?? -1,
            id: db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${table} WHERE height = ?`).get(Number(end.height))?.id,
          };
    if (!stored?.id || toHex(stored.id) !== end.id) throw chainBehindError(chainID, stored?.height ?? -1, end, path);
  }
}

function chainBehindError(chainID: Id, height: number, end: ChainEnd, path: string): StateError {
  const found = height < 0 ? 'has no block' : height < end.height ? `ends at block ${height}` : `has another block ${end.height}`;
  return new StateError(
    `the database ${found} of chain ${idText(chainID)}, but block ${end.height} had been accepted: the database or its write-ahead log was ` +
      `removed, damaged or replaced; restore the whole data directory from a backup, or delete ${path} to continue with the remaining blocks`,
    { code: 'STATE_BEHIND', chainID: idText(chainID), height, accepted: Number(end.height) },
  );
}
