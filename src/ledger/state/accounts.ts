import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { type AddressBalance, type BalanceDelta, decodeSum, encodeSum } from './balance.ts';
import { StateError } from './fault.ts';
import type { Tables } from './schema.ts';

/** Balances by address. */
export type Accounts = {
  /** Balances of an address, ordered by asset and lock time: at most `limit` rows, or all without a limit. */
  readonly balances: (address: Address, limit?: number) => AddressBalance[];
  /** The latest lock time that is not after `now` among the balances of an asset; 0 if there is none. */
  readonly latestPassedLocktime: (address: Address, assetID: Id, now: bigint) => bigint;
  /**
   * A number that changes whenever the outputs of the address change: the height of the last block that affected it, -1 if there is none,
   * or a number below -1 if outputs from before linearization were added since.
   */
  readonly addressRevision: (address: Address) => number;
  readonly applyDeltas: (deltas: readonly BalanceDelta[], height: number) => void;
  readonly setRevisions: (revisions: ReadonlyMap<Address, number>) => void;
};

export function openAccounts(db: Database, t: Tables): Accounts {
  const columns = `SELECT asset, locktime, own, own_count, shared, shared_count FROM ${t.account}`;
  const allRows = db.prepare<AccountRow>(`${columns} WHERE address = ? AND asset > x'' LIMIT ? + 0`);
  const latestLocktime = db.prepare<{ locktime: Uint8Array }>(
    `SELECT locktime FROM ${t.account} WHERE address = ? AND asset = ? AND locktime <= ? ORDER BY locktime DESC LIMIT 1`,
  );
  const oneRow = db.prepare<AccountRow>(`${columns} WHERE address = ? AND asset = ? AND locktime = ?`);
  const revisionRow = db.prepare<{ changed: number }>(
    `SELECT changed FROM ${t.account} WHERE address = ? AND asset = x'' AND locktime = x''`,
  );
  const replaceRow = db.prepare(`REPLACE INTO ${t.account} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const deleteRow = db.prepare(`DELETE FROM ${t.account} WHERE address = ? AND asset = ? AND locktime = ?`);
  const replaceRevisions = bulkInsert(db, `REPLACE INTO ${t.account}(address, asset, locktime, changed)`, 4);

  return {
    balances: (address, limit = -1) => allRows.all(addressToBytes(address), limit).map(toBalance),
    addressRevision: (address) => revisionRow.get(addressToBytes(address))?.changed ?? -1,
    latestPassedLocktime: (address, assetID, now) => {
      const row = latestLocktime.get(addressToBytes(address), idToBytes(assetID), u64Bytes(now));
      return row === undefined ? 0n : Buffer.from(row.locktime).readBigUInt64BE();
    },
    applyDeltas: (deltas, height) => {
      for (const delta of deltas) {
        const key = [addressToBytes(delta.address), idToBytes(delta.assetID), u64Bytes(delta.locktime)] as const;
        const row = oneRow.get(...key);
        const after = addDelta(row && toBalance(row), delta);
        if (after.singleOwnerCount + after.multiOwnerCount === 0) deleteRow.run(...key);
        else
          replaceRow.run(
            ...key,
            height,
            encodeSum(after.singleOwner),
            after.singleOwnerCount,
            encodeSum(after.multiOwner),
            after.multiOwnerCount,
          );
      }
    },
    setRevisions: (revisions) => {
      const rows: SqlValue[] = [];
      for (const [address, revision] of revisions) rows.push(addressToBytes(address), noBytes, noBytes, revision);
      replaceRevisions(rows);
    },
  };
}

const noBytes = new Uint8Array(0);

type AccountRow = {
  readonly asset: Uint8Array;
  readonly locktime: Uint8Array;
  readonly own: Uint8Array | null;
  readonly own_count: number;
  readonly shared: Uint8Array | null;
  readonly shared_count: number;
};

const toBalance = (row: AccountRow): AddressBalance => ({
  assetID: idFromBytes(row.asset),
  locktime: Buffer.from(row.locktime).readBigUInt64BE(),
  singleOwner: decodeSum(row.own),
  singleOwnerCount: row.own_count,
  multiOwner: decodeSum(row.shared),
  multiOwnerCount: row.shared_count,
});

/** Adds a delta to a balance. Throws if a result is negative: then the stored rows or the block are wrong, and the commit is rolled back. */
function addDelta(before: AddressBalance | undefined, delta: BalanceDelta): BalanceDelta {
  const after = {
    ...delta,
    singleOwner: (before?.singleOwner ?? 0n) + delta.singleOwner,
    singleOwnerCount: (before?.singleOwnerCount ?? 0) + delta.singleOwnerCount,
    multiOwner: (before?.multiOwner ?? 0n) + delta.multiOwner,
    multiOwnerCount: (before?.multiOwnerCount ?? 0) + delta.multiOwnerCount,
  };
  if (after.singleOwner < 0n || after.multiOwner < 0n || after.singleOwnerCount < 0 || after.multiOwnerCount < 0)
    throw new StateError(`balance of ${delta.address} in ${idText(delta.assetID)} would fall below zero`, {
      code: 'STATE_BALANCE_BELOW_ZERO',
      address: delta.address,
      assetID: idText(delta.assetID),
    });
  return after;
}
