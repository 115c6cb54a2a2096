import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import type { Store } from '../store/store.ts';
import { createSharedTables, openChainNumbers } from './chain-number.ts';
import { StateError } from './fault.ts';
import { decodeStoredUtxo, encodeStoredUtxo, ownerRowBytes, type StoredUtxo, storedOwners } from './stored-utxo.ts';
import { type OwnedRow, type OwnedUtxoPage, type OwnedUtxoQuery, type PagingRules, pagingRules, readUtxoPage } from './utxo-page.ts';

/** Outputs that a chain exported and another chain may import, for all pairs of chains. AvalancheGo: chains/atomic. */
export type SharedMemory = {
  /** An output that `destination` may import from `source`. */
  readonly get: (destination: Id, source: Id, utxoID: Id) => Utxo | undefined;
  /** Whether `destination` has imported an output, from any chain. */
  readonly wasRemoved: (destination: Id, utxoID: Id) => boolean;
  readonly page: (destination: Id, source: Id, query: OwnedUtxoQuery, strict: boolean) => OwnedUtxoPage;
  /** All outputs that `source` has put for `destination`, imported or not, oldest first. */
  readonly listPut: (destination: Id, source: Id) => readonly Utxo[];
  /** At most `limit` of the outputs that can be imported, between any two chains, oldest first. */
  readonly list: (limit: number) => readonly SharedOutput[];
  /** Adds outputs; the last one is the newest. Must run inside a write transaction. */
  readonly put: (destination: Id, source: Id, utxos: readonly Utxo[]) => void;
  /** Removes outputs. Removing one that is not there yet is stored and cancels a later put. Must run inside a write transaction. */
  readonly remove: (destination: Id, source: Id, utxoIDs: readonly Id[]) => void;
};

/** An output that `source` exported and `destination` has not imported. */
export type SharedOutput = { readonly destination: Id; readonly source: Id; readonly utxo: Utxo };

export function openSharedMemory(store: Store): SharedMemory {
  createSharedTables(store);
  const { db } = store;
  const numbers = openChainNumbers(store);
  const entryById = db.prepare<AtomicEntry>('SELECT seq, bytes, removed FROM atomic WHERE reader = ? AND id = ? AND peer = ?');
  const bytesBySeq = db.prepare<{ bytes: StoredUtxo }>('SELECT bytes FROM atomic WHERE seq = ?');
  const removedEntry = db.prepare('SELECT 1 FROM atomic WHERE reader = ? AND id = ? AND removed = 1');
  const insertEntry = db.prepare<{ seq: number }>(
    'INSERT INTO atomic(reader, id, peer, bytes, removed) VALUES (?, ?, ?, ?, ?) RETURNING seq',
  );
  const markRemoved = db.prepare('UPDATE atomic SET bytes = ?, removed = 1 WHERE seq = ?');
  const deleteEntry = db.prepare('DELETE FROM atomic WHERE seq = ?');
  const addOwner = db.prepare('INSERT OR IGNORE INTO atomic_owner VALUES (?, ?, ?, ?, ?)');
  const removeOwner = db.prepare('DELETE FROM atomic_owner WHERE reader = ? AND peer = ? AND address = ? AND seq = ?');
  const unspentEntries = db.prepare<{ destination: Uint8Array; source: Uint8Array; bytes: StoredUtxo }>(
    // Only outputs that can be imported have owner rows, so imported ones are not read over.
    `SELECT d.id AS destination, s.id AS source, a.bytes FROM (SELECT DISTINCT seq FROM atomic_owner LIMIT ?) o
     JOIN atomic a ON a.seq = o.seq JOIN chain d ON d.number = a.reader JOIN chain s ON s.number = a.peer ORDER BY a.seq`,
  );
  const putEntries = db.prepare<{ bytes: StoredUtxo }>(
    'SELECT bytes FROM atomic WHERE reader = ? AND peer = ? AND bytes IS NOT NULL ORDER BY seq',
  );
  const ownerRows = db.prepare<OwnedRow>(
    'SELECT seq, bytes FROM atomic_owner WHERE reader = ? AND peer = ? AND address = ? AND seq < ? ORDER BY seq DESC LIMIT ? + 0',
  );

  const findEntry = (destination: Id, source: Id, utxoID: Id): AtomicEntry | undefined => {
    const [destinationNumber, sourceNumber] = [numbers.find(destination), numbers.find(source)];
    return destinationNumber === undefined || sourceNumber === undefined
      ? undefined
      : entryById.get(destinationNumber, idToBytes(utxoID), sourceNumber);
  };

  const putOne = (destination: number, source: number, utxo: Utxo): void => {
    const before = entryById.get(destination, idToBytes(utxo.id), source);
    if (before?.removed === 0) throw duplicatePutError(utxo);
    if (before !== undefined) deleteEntry.run(before.seq);
    if (before?.bytes === null) return;
    const bytes = encodeStoredUtxo(utxo);
    const { seq } = insertEntry.get(destination, idToBytes(utxo.id), source, bytes, 0) as { seq: number };
    for (const address of storedOwners(bytes)) addOwner.run(destination, source, addressToBytes(address), seq, ownerRowBytes(bytes));
  };

  const removeOne = (destination: number, source: number, utxoID: Id): void => {
    const before = entryById.get(destination, idToBytes(utxoID), source);
    if (before === undefined) return void insertEntry.get(destination, idToBytes(utxoID), source, null, 1);
    if (before.bytes === null) throw duplicateRemoveError(utxoID);
    markRemoved.run(before.removed === 1 ? null : before.bytes, before.seq);
    for (const address of storedOwners(before.bytes)) removeOwner.run(destination, source, addressToBytes(address), before.seq);
  };

  return {
    get: (destination, source, utxoID) => {
      const entry = findEntry(destination, source, utxoID);
      return entry === undefined || entry.bytes === null || entry.removed === 1 ? undefined : decodeStoredUtxo(entry.bytes);
    },
    wasRemoved: (destination, utxoID) => {
      const destinationNumber = numbers.find(destination);
      return destinationNumber !== undefined && removedEntry.get(destinationNumber, idToBytes(utxoID)) !== undefined;
    },
    page: (destination, source, query, strict) =>
      store.read(() => {
        const [destinationNumber, sourceNumber] = [numbers.find(destination), numbers.find(source)];
        const rows = (address: Address, below: number, limit: number) =>
          destinationNumber === undefined || sourceNumber === undefined
            ? []
            : ownerRows.all(destinationNumber, sourceNumber, addressToBytes(address), below, limit);
        const findPosition = (utxoID: Id) => {
          const entry = findEntry(destination, source, utxoID);
          return entry === undefined || entry.bytes === null
            ? undefined
            : { seq: entry.seq, bytes: entry.bytes, isSpent: entry.removed === 1 };
        };
        const bytesOf = ({ seq, bytes }: OwnedRow) => bytes ?? (bytesBySeq.get(seq) as { bytes: StoredUtxo }).bytes;
        const rules: PagingRules = pagingRules[strict ? 'strict' : 'lenient'].atomic;
        return readUtxoPage({ rows, bytesOf, findPosition }, query, rules);
      }),
    listPut: (destination, source) => {
      const [destinationNumber, sourceNumber] = [numbers.find(destination), numbers.find(source)];
      if (destinationNumber === undefined || sourceNumber === undefined) return [];
      return putEntries.all(destinationNumber, sourceNumber).map(({ bytes }) => decodeStoredUtxo(bytes));
    },
    list: (limit) =>
      unspentEntries.all(limit).map(({ destination, source, bytes }) => ({
        destination: idFromBytes(destination),
        source: idFromBytes(source),
        utxo: decodeStoredUtxo(bytes),
      })),
    put: (destination, source, utxos) => {
      const [destinationNumber, sourceNumber] = [numbers.ensure(destination), numbers.ensure(source)];
      for (const utxo of utxos) putOne(destinationNumber, sourceNumber, utxo);
    },
    remove: (destination, source, utxoIDs) => {
      const [destinationNumber, sourceNumber] = [numbers.ensure(destination), numbers.ensure(source)];
      for (const utxoID of utxoIDs) removeOne(destinationNumber, sourceNumber, utxoID);
    },
  };
}

/** A row of the `atomic` table, see schema.ts. */
type AtomicEntry = { readonly seq: number; readonly bytes: StoredUtxo | null; readonly removed: 0 | 1 };

export const duplicatePutError = ({ id, bytes }: Utxo) =>
  new StateError(`duplicate put: Key=0x${id} Value=0x${toHex(bytes)}`, { code: 'STATE_DUPLICATE_PUT', utxoID: idText(id) });

const duplicateRemoveError = (id: Id) =>
  new StateError(`duplicate remove: Key=0x${id}`, { code: 'STATE_DUPLICATE_REMOVE', utxoID: idText(id) });
