import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import type { Store } from '../store/store.ts';
import type { Utxo } from '../tx/utxo.ts';
import { chainNumbers, createShared } from './chain-number.ts';
import { StateError } from './fault.ts';
import { inOwnerRow, restored, type StoredUtxo, stored, storedOwners } from './stored-utxo.ts';
import { type OwnedRow, type PageQuery, type PagingRules, pagingRules, type UtxoPage, utxoPage } from './utxo-page.ts';

/** What chains of the network put where another one may import it; all pairs of chains are in it. Peer: chains/atomic. */
export type SharedMemory = {
  /** An output `reader` may import from `peer`. */
  readonly get: (reader: Id, peer: Id, utxoID: Id) => Utxo | undefined;
  /** Whether `reader` has taken an output out, whoever had put it there. */
  readonly wasRemoved: (reader: Id, utxoID: Id) => boolean;
  readonly page: (reader: Id, peer: Id, query: PageQuery, strict: boolean) => UtxoPage;
  /** Inside a write. The last one is the newest. */
  readonly put: (reader: Id, peer: Id, utxos: readonly Utxo[]) => void;
  /** Inside a write. What is not there yet is remembered, and cancels out when it is put. */
  readonly remove: (reader: Id, peer: Id, utxoIDs: readonly Id[]) => void;
};

export function openSharedMemory(store: Store): SharedMemory {
  createShared(store);
  const { db } = store;
  const numbers = chainNumbers(store);
  const find = db.prepare<Entry>('SELECT seq, bytes, removed FROM atomic WHERE reader = ? AND id = ? AND peer = ?');
  const whole = db.prepare<{ bytes: StoredUtxo }>('SELECT bytes FROM atomic WHERE seq = ?');
  const removed = db.prepare('SELECT 1 FROM atomic WHERE reader = ? AND id = ? AND removed = 1');
  const add = db.prepare<{ seq: number }>('INSERT INTO atomic(reader, id, peer, bytes, removed) VALUES (?, ?, ?, ?, ?) RETURNING seq');
  const update = db.prepare('UPDATE atomic SET bytes = ?, removed = 1 WHERE seq = ?');
  const forget = db.prepare('DELETE FROM atomic WHERE seq = ?');
  const addOwner = db.prepare('INSERT OR IGNORE INTO atomic_owner VALUES (?, ?, ?, ?, ?)');
  const removeOwner = db.prepare('DELETE FROM atomic_owner WHERE reader = ? AND peer = ? AND address = ? AND seq = ?');
  const owned = db.prepare<OwnedRow>(
    'SELECT seq, bytes FROM atomic_owner WHERE reader = ? AND peer = ? AND address = ? AND seq < ? ORDER BY seq DESC LIMIT ? + 0',
  );

  const entryOf = (reader: Id, peer: Id, utxoID: Id): Entry | undefined => {
    const [r, p] = [numbers.of(reader), numbers.of(peer)];
    return r === undefined || p === undefined ? undefined : find.get(r, idToBytes(utxoID), p);
  };

  const putOne = (reader: number, peer: number, utxo: Utxo): void => {
    const before = find.get(reader, idToBytes(utxo.id), peer);
    if (before?.removed === 0) throw duplicatePut(utxo);
    if (before !== undefined) forget.run(before.seq);
    if (before?.bytes === null) return;
    const bytes = stored(utxo);
    const { seq } = add.get(reader, idToBytes(utxo.id), peer, bytes, 0) as { seq: number };
    for (const address of storedOwners(bytes)) addOwner.run(reader, peer, addressToBytes(address), seq, inOwnerRow(bytes));
  };

  const removeOne = (reader: number, peer: number, utxoID: Id): void => {
    const before = find.get(reader, idToBytes(utxoID), peer);
    if (before === undefined) return void add.get(reader, idToBytes(utxoID), peer, null, 1);
    if (before.bytes === null) throw duplicateRemove(utxoID);
    update.run(before.removed === 1 ? null : before.bytes, before.seq);
    for (const address of storedOwners(before.bytes)) removeOwner.run(reader, peer, addressToBytes(address), before.seq);
  };

  return {
    get: (reader, peer, utxoID) => {
      const entry = entryOf(reader, peer, utxoID);
      return entry === undefined || entry.bytes === null || entry.removed === 1 ? undefined : restored(entry.bytes);
    },
    wasRemoved: (reader, utxoID) => {
      const r = numbers.of(reader);
      return r !== undefined && removed.get(r, idToBytes(utxoID)) !== undefined;
    },
    page: (reader, peer, query, strict) =>
      store.read(() => {
        const [r, p] = [numbers.of(reader), numbers.of(peer)];
        const rows = (address: Address, below: number, limit: number) =>
          r === undefined || p === undefined ? [] : owned.all(r, p, addressToBytes(address), below, limit);
        const place = (utxoID: Id) => {
          const entry = entryOf(reader, peer, utxoID);
          return entry === undefined || entry.bytes === null
            ? undefined
            : { seq: entry.seq, bytes: entry.bytes, gone: entry.removed === 1 };
        };
        const bytesOf = ({ seq, bytes }: OwnedRow) => bytes ?? (whole.get(seq) as { bytes: StoredUtxo }).bytes;
        const manner: PagingRules = pagingRules[strict ? 'strict' : 'kind'].atomic;
        return utxoPage({ rows, bytesOf, place }, query, manner);
      }),
    put: (reader, peer, utxos) => {
      const [r, p] = [numbers.ensure(reader), numbers.ensure(peer)];
      for (const utxo of utxos) putOne(r, p, utxo);
    },
    remove: (reader, peer, utxoIDs) => {
      const [r, p] = [numbers.ensure(reader), numbers.ensure(peer)];
      for (const utxoID of utxoIDs) removeOne(r, p, utxoID);
    },
  };
}

type Entry = { readonly seq: number; readonly bytes: StoredUtxo | null; readonly removed: 0 | 1 };

const duplicatePut = ({ id, bytes }: Utxo) =>
  new StateError(`duplicate put: Key=0x${id} Value=0x${toHex(bytes)}`, { code: 'STATE_DUPLICATE_PUT', utxoID: idText(id) });

const duplicateRemove = (id: Id) => new StateError(`duplicate remove: Key=0x${id}`, { code: 'STATE_DUPLICATE_REMOVE', utxoID: idText(id) });
