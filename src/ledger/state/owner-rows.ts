import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { ownersOf } from './balance.ts';
import { ownerSets, type Tables } from './schema.ts';
import { ownerRowBytes } from './stored-utxo.ts';
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
      const single = rowsBelow.all(owner, ownerSets.unspent, below, limit);
      const multi = rowsBelow.all(owner, ownerSets.multiOwnerUnspent, below, limit);
      if (multi.length === 0) return single;
      return [...single, ...multi].sort((a, b) => b.seq - a.seq).slice(0, limit);
    },
    addOwners: (utxos) => {
      const rows: SqlValue[] = [];
      for (const { address, row } of sortedOwners(utxos)) pushUnspentRow(rows, addressToBytes(address), row);
      insertRows(rows);
    },
    removeOwners: (utxos) => {
      for (const { address, row } of sortedOwners(utxos)) deleteRow.run(addressToBytes(address), unspentSetOf(row.utxo), row.seq);
    },
  };
}

/** The output set of an unspent output. */
export const unspentSetOf = ({ output }: Utxo) => (output.addresses.length === 1 ? ownerSets.unspent : ownerSets.multiOwnerUnspent);

/** The output set of a spent output. */
const spentSetOf = ({ output }: Utxo) => (output.addresses.length === 1 ? ownerSets.spent : ownerSets.multiOwnerSpent);

/** How addresses become bytes of a column. */
type AddressBytes = (address: Address) => Uint8Array;

/** Rows of unspent outputs. */
export function unspentOwnerRows(utxos: readonly NumberedUtxo[], bytesOf: AddressBytes): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const row of utxos) for (const address of ownersOf(row.utxo)) pushUnspentRow(rows, bytesOf(address), row);
  return rows;
}

const pushUnspentRow = (rows: SqlValue[], address: Uint8Array, { utxo, seq, height, bytes }: NumberedUtxo): void =>
  void rows.push(address, unspentSetOf(utxo), seq, height, ownerRowBytes(bytes));

/** Adds rows of a spent output. They have no copy of it: fewer requests list spent outputs, and there are many more of them. */
export function pushSpentOwnerRows(rows: SqlValue[], { utxo, seq, height }: NumberedUtxo, bytesOf: AddressBytes): void {
  for (const address of ownersOf(utxo)) rows.push(bytesOf(address), spentSetOf(utxo), seq, height, null);
}

/** The keys of the rows that outputs have while they are unspent. */
export function unspentOwnerKeys(utxos: readonly NumberedUtxo[], bytesOf: AddressBytes): SqlValue[] {
  const keys: SqlValue[] = [];
  for (const { utxo, seq } of utxos) for (const address of ownersOf(utxo)) keys.push(bytesOf(address), unspentSetOf(utxo), seq);
  return keys;
}

/** The owners of outputs, ordered by address and number: adjacent rows change the same pages. */
function sortedOwners(utxos: readonly NumberedUtxo[]): { readonly address: Address; readonly row: NumberedUtxo }[] {
  const owners: { readonly address: Address; readonly row: NumberedUtxo }[] = [];
  for (const row of utxos) for (const address of ownersOf(row.utxo)) owners.push({ address, row });
  return owners.sort((a, b) => compareHex(a.address, b.address) || a.row.seq - b.row.seq);
}
