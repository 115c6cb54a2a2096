import { type Address, addressToBytes } from '../bytes/address.ts';
import { type Id, idFromBytes, idText, idToBytes } from '../bytes/id.ts';
import { u64Bytes } from '../bytes/octets.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { type Balance, type BalanceDelta, ownersOf, sumBytes, sumOf } from './balance.ts';
import { StateError } from './fault.ts';
import type { Tables } from './schema.ts';
import { inOwnerRow } from './stored-utxo.ts';
import type { OwnedRow } from './utxo-page.ts';
import type { NumberedUtxo } from './utxo-table.ts';

/** What belongs to whom. */
export type Accounts = {
  /** By asset and lock time; at most `limit` rows, all without it. */
  readonly balances: (address: Address, limit?: number) => Balance[];
  /** The latest lock time among an asset's rows that is not after `now`; 0 if there is none. */
  readonly latestUnlock: (address: Address, assetID: Id, now: bigint) => bigint;
  /** Height of the last block that touched the address, -1 if none ever did; below that: outputs older than history came since. */
  readonly changed: (address: Address) => number;
  /** Unspent outputs, newest first, older than `below`. */
  readonly owned: (address: Address, below: number, limit: number) => OwnedRow[];
  readonly addOwners: (utxos: readonly NumberedUtxo[]) => void;
  readonly removeOwners: (utxos: readonly NumberedUtxo[]) => void;
  readonly applyDeltas: (deltas: readonly BalanceDelta[], height: number) => void;
  readonly touch: (addresses: Iterable<Address>, height: number) => void;
};

export function accountsIn(db: Database, t: Tables): Accounts {
  // A bare `LIMIT ?` makes SQLite plan the statement anew for every value, at four times the cost of running it; a sum does not.
  const ownedBelow = db.prepare<OwnedRow>(`SELECT seq, bytes FROM ${t.owner} WHERE address = ? AND seq < ? ORDER BY seq DESC LIMIT ? + 0`);
  const insertOwners = bulkInsert(db, `INSERT INTO ${t.owner}`, 3);
  const deleteOwner = db.prepare(`DELETE FROM ${t.owner} WHERE address = ? AND seq = ?`);
  const columns = `SELECT asset, locktime, own, own_count, shared, shared_count FROM ${t.account}`;
  const allRows = db.prepare<AccountRow>(`${columns} WHERE address = ? AND asset > x'' LIMIT ? + 0`);
  const latestLocktime = db.prepare<{ locktime: Uint8Array }>(
    `SELECT locktime FROM ${t.account} WHERE address = ? AND asset = ? AND locktime <= ? ORDER BY locktime DESC LIMIT 1`,
  );
  const oneRow = db.prepare<AccountRow>(`${columns} WHERE address = ? AND asset = ? AND locktime = ?`);
  const changedAt = db.prepare<{ changed: number }>(
    `SELECT changed FROM ${t.account} WHERE address = ? AND asset = x'' AND locktime = x''`,
  );
  const replaceRow = db.prepare(`REPLACE INTO ${t.account} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const deleteRow = db.prepare(`DELETE FROM ${t.account} WHERE address = ? AND asset = ? AND locktime = ?`);
  const touchRows = bulkInsert(db, `REPLACE INTO ${t.account}(address, asset, locktime, changed)`, 4);

  const owned = (address: Address, below: number, limit: number) => ownedBelow.all(addressToBytes(address), below, limit);

  return {
    owned,
    balances: (address, limit = -1) => allRows.all(addressToBytes(address), limit).map(balanceOf),
    changed: (address) => changedAt.get(addressToBytes(address))?.changed ?? -1,
    latestUnlock: (address, assetID, now) => {
      const row = latestLocktime.get(addressToBytes(address), idToBytes(assetID), u64Bytes(now));
      return row === undefined ? 0n : Buffer.from(row.locktime).readBigUInt64BE();
    },
    addOwners: (utxos) => {
      const rows: SqlValue[] = [];
      for (const { utxo, seq, bytes } of utxos)
        for (const address of ownersOf(utxo)) rows.push(addressToBytes(address), seq, inOwnerRow(bytes));
      insertOwners(rows);
    },
    removeOwners: (utxos) => {
      for (const { utxo, seq } of utxos) for (const address of ownersOf(utxo)) deleteOwner.run(addressToBytes(address), seq);
    },
    applyDeltas: (deltas, height) => {
      for (const delta of deltas) {
        const key = [addressToBytes(delta.address), idToBytes(delta.assetID), u64Bytes(delta.locktime)] as const;
        const row = oneRow.get(...key);
        const after = added(row && balanceOf(row), delta);
        if (after.ownCount + after.sharedCount === 0) deleteRow.run(...key);
        else replaceRow.run(...key, height, sumBytes(after.own), after.ownCount, sumBytes(after.shared), after.sharedCount);
      }
    },
    touch: (addresses, height) => {
      const rows: SqlValue[] = [];
      for (const address of addresses) rows.push(addressToBytes(address), nothing, nothing, height);
      touchRows(rows);
    },
  };
}

const nothing = new Uint8Array(0);

type AccountRow = {
  readonly asset: Uint8Array;
  readonly locktime: Uint8Array;
  readonly own: Uint8Array | null;
  readonly own_count: number;
  readonly shared: Uint8Array | null;
  readonly shared_count: number;
};

const balanceOf = (row: AccountRow): Balance => ({
  assetID: idFromBytes(row.asset),
  locktime: Buffer.from(row.locktime).readBigUInt64BE(),
  own: sumOf(row.own),
  ownCount: row.own_count,
  shared: sumOf(row.shared),
  sharedCount: row.shared_count,
});

/** Less than nothing cannot be: the rows or the block are not what they should be, and nothing of the block is kept. */
function added(before: Balance | undefined, delta: BalanceDelta): BalanceDelta {
  const after = {
    ...delta,
    own: (before?.own ?? 0n) + delta.own,
    ownCount: (before?.ownCount ?? 0) + delta.ownCount,
    shared: (before?.shared ?? 0n) + delta.shared,
    sharedCount: (before?.sharedCount ?? 0) + delta.sharedCount,
  };
  if (after.own < 0n || after.shared < 0n || after.ownCount < 0 || after.sharedCount < 0)
    throw new StateError(`balance of ${delta.address} in ${idText(delta.assetID)} would fall below zero`, {
      code: 'STATE_BALANCE_BELOW_ZERO',
      address: delta.address,
      assetID: idText(delta.assetID),
    });
  return after;
}
