import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { ownersOf } from './balance.ts';
import { ownerShelves, type Tables } from './schema.ts';
import { ownerRowBytes, type StoredUtxo } from './stored-utxo.ts';
import type { OwnedRow } from './utxo-page.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** Unspent outputs by address. */
export type OwnerRows = {
  /** Unspent outputs with a number less than `below`, newest first. */
  readonly unspentRows: (address: Address, below: number, limit: number) => OwnedRow[];
  readonly addOwners: (utxos: readonly NumberedUtxo[]) => void;
  readonly removeOwners: (utxos: readonly NumberedUtxo[]) => void;
};

export function openOwnerRows(db: Database, t: Tables): OwnerRows {
  // `LIMIT ?` alone makes SQLite plan the statement again for every value, which costs four times as much as running it; `? + 0` avoids that.
  const rowsBelow = db.prepare<OwnedRow>(
    `SELECT seq, bytes FROM ${t.owner} WHERE address = ? AND shelf = ? AND seq < ? ORDER BY seq DESC LIMIT ? + 0`,
  );
  const insertRows = bulkInsert(db, `INSERT INTO ${t.owner}`, 5);
  const deleteRow = db.prepare(`DELETE FROM ${t.owner} WHERE address = ? AND shelf = ? AND seq = ?`);
  return {
    unspentRows: (address, below, limit) => {
      const owner = addressToBytes(address);
      const single = rowsBelow.all(owner, ownerShelves.unspent, below, limit);
      const multi = rowsBelow.all(owner, ownerShelves.multiOwnerUnspent, below, limit);
      if (multi.length === 0) return single;
      return [...single, ...multi].sort((a, b) => b.seq - a.seq).slice(0, limit);
    },
    addOwners: (utxos) => insertRows(unspentOwnerRows(utxos)),
    removeOwners: (utxos) => {
      for (const { address, row } of sortedOwners(utxos)) deleteRow.run(addressToBytes(address), unspentShelf(row.utxo), row.seq);
    },
  };
}

/** The shelf of an unspent output. */
export const unspentShelf = ({ output }: Utxo) => (output.addresses.length === 1 ? ownerShelves.unspent : ownerShelves.multiOwnerUnspent);

/** The shelf of a spent output. */
const spentShelf = ({ output }: Utxo) => (output.addresses.length === 1 ? ownerShelves.spent : ownerShelves.multiOwnerSpent);

/** Rows of unspent outputs, in the order of the table's key. */
export const unspentOwnerRows = (utxos: readonly NumberedUtxo[]): SqlValue[] => ownerRows(utxos, unspentShelf, ownerRowBytes);

/** Rows of spent outputs. They have no copy of the output: fewer requests list spent outputs, and there are many more of them. */
export const spentOwnerRows = (utxos: readonly NumberedUtxo[]): SqlValue[] => ownerRows(utxos, spentShelf, () => null);

/** The keys of the rows that outputs have while they are unspent. */
export const unspentOwnerKeys = (utxos: readonly NumberedUtxo[]): SqlValue[] =>
  sortedOwners(utxos).flatMap(({ address, row: { utxo, seq } }) => [addressToBytes(address), unspentShelf(utxo), seq]);

function ownerRows(
  utxos: readonly NumberedUtxo[],
  shelf: (utxo: Utxo) => number,
  copy: (bytes: StoredUtxo) => StoredUtxo | null,
): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { address, row } of sortedOwners(utxos))
    rows.push(addressToBytes(address), shelf(row.utxo), row.seq, row.height, copy(row.bytes));
  return rows;
}

/** The owners of outputs, ordered by address and number: adjacent rows change the same pages. */
function sortedOwners(utxos: readonly NumberedUtxo[]): { readonly address: Address; readonly row: NumberedUtxo }[] {
  const owners: { readonly address: Address; readonly row: NumberedUtxo }[] = [];
  for (const row of utxos) for (const address of ownersOf(row.utxo)) owners.push({ address, row });
  return owners.sort((a, b) => compareHex(a.address, b.address) || a.row.seq - b.row.seq);
}
