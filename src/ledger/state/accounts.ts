import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { ownersOf } from './balance.ts';
import type { Tables } from './schema.ts';
import { ownerRowBytes } from './stored-utxo.ts';
import type { OwnedRow } from './utxo-page.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** Unspent outputs by address. */
export type Accounts = {
  /** Unspent outputs with a number less than `below`, newest first. */
  readonly unspentRows: (address: Address, below: number, limit: number) => OwnedRow[];
  readonly addOwners: (utxos: readonly NumberedUtxo[]) => void;
  readonly removeOwners: (utxos: readonly NumberedUtxo[]) => void;
};

export function openAccounts(db: Database, t: Tables): Accounts {
  // `LIMIT ?` alone makes SQLite plan the statement again for every value, which costs four times as much as running it; `? + 0` avoids that.
  const ownerRowsBelow = db.prepare<OwnedRow>(
    `SELECT seq, bytes FROM ${t.owner} WHERE address = ? AND seq < ? ORDER BY seq DESC LIMIT ? + 0`,
  );
  const insertOwners = bulkInsert(db, `INSERT INTO ${t.owner}`, 3);
  const deleteOwner = db.prepare(`DELETE FROM ${t.owner} WHERE address = ? AND seq = ?`);

  return {
    unspentRows: (address, below, limit) => ownerRowsBelow.all(addressToBytes(address), below, limit),
    addOwners: (utxos) => {
      const rows: SqlValue[] = [];
      for (const { utxo, seq, bytes } of utxos)
        for (const address of ownersOf(utxo)) rows.push(addressToBytes(address), seq, ownerRowBytes(bytes));
      insertOwners(rows);
    },
    removeOwners: (utxos) => {
      for (const { utxo, seq } of utxos) for (const address of ownersOf(utxo)) deleteOwner.run(addressToBytes(address), seq);
    },
  };
}
