import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { ask, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, shelves } from '../index/tables.ts';
import type { Holdings, OwnHolding, Pin } from './index-reads.ts';
import type { Found } from './read-outputs.ts';
import type { Shelves, UtxoReads } from './read-utxos.ts';

/** What addresses hold: sums of what each of them owns alone, and the rest one by one, still to be made into entries. */
export type BalanceReads = {
  readonly own: (addresses: readonly Address[], pin: Pin) => Steps<Holdings['own']>;
  readonly shared: (addresses: readonly Address[], pin: Pin) => Steps<Found[]>;
  readonly exported: (addresses: readonly Address[], pin: Pin) => Steps<Found[]>;
};

export function balanceReads(t: IndexTables, { utxos }: UtxoReads): BalanceReads {
  // A balance has a row for every block that changed it. This goes from one asset to the next and from one lock time to the next, and then
  // to the one row that counts, so it reads a few rows for each, however many there are. (SQLite takes CROSS JOIN as an order to keep the order.)
  const own = `WITH RECURSIVE
    a(asset) AS (
      SELECT (SELECT asset FROM ${t.balance} WHERE address = ? ORDER BY asset LIMIT 1)
      UNION ALL SELECT (SELECT b.asset FROM ${t.balance} b WHERE b.address = ? AND b.asset > a.asset ORDER BY b.asset LIMIT 1)
      FROM a WHERE a.asset IS NOT NULL),
    k(asset, locktime) AS (
      SELECT a.asset, (SELECT b.locktime FROM ${t.balance} b WHERE b.address = ? AND b.asset = a.asset ORDER BY b.locktime LIMIT 1)
      FROM a WHERE a.asset IS NOT NULL
      UNION ALL SELECT k.asset, (SELECT b.locktime FROM ${t.balance} b
        WHERE b.address = ? AND b.asset = k.asset AND b.locktime > k.locktime ORDER BY b.locktime LIMIT 1)
      FROM k WHERE k.locktime IS NOT NULL)
    SELECT k.asset, k.locktime, b.amount, b.count, b.nfts FROM k CROSS JOIN ${t.balance} b
    WHERE k.locktime IS NOT NULL AND (b.count > 0 OR b.nfts > 0) AND b.address = ? AND b.asset = k.asset AND b.locktime = k.locktime
      AND b.height = (SELECT h.height FROM ${t.balance} h
        WHERE h.address = ? AND h.asset = k.asset AND h.locktime = k.locktime AND h.height <= ? ORDER BY h.height DESC LIMIT 1)`;

  const ownQuery = (address: Address, { height }: Pin): Query => {
    const owner = addressToBytes(address);
    return { text: own, values: [owner, owner, owner, owner, owner, owner, height] };
  };

  const onShelves = (on: Shelves) => (addresses: readonly Address[], pin: Pin) =>
    utxos(
      {
        pin,
        addresses,
        asset: undefined,
        minAmount: 0n,
        includeSpent: false,
        sortBy: 'timestamp',
        order: 'asc',
        after: undefined,
        limit: Number.POSITIVE_INFINITY,
      },
      on,
    );

  return {
    own: function* (addresses, pin) {
      const sums = new Map<string, OwnHolding>();
      for (const row of yield* ask<BalanceRow>([...new Set(addresses)].map((address) => ownQuery(address, pin)))) {
        const [asset, locktime] = [toHex(row.asset) as Id, Buffer.from(row.locktime).readBigUInt64BE()];
        const key = asset + locktime;
        const before = sums.get(key);
        const [amount, count] = [(before?.amount ?? 0n) + sumFromBytes(row.amount), (before?.count ?? 0) + row.count];
        sums.set(key, { asset, locktime, amount, count, nfts: (before?.nfts ?? 0) + row.nfts });
      }
      return [...sums.values()];
    },
    shared: onShelves({ there: [shelves.sharedOpen], gone: [shelves.sharedSpent] }),
    exported: onShelves({ there: [shelves.exported], gone: [shelves.taken] }),
  };
}

type BalanceRow = {
  readonly asset: Uint8Array;
  readonly locktime: Uint8Array;
  readonly amount: Uint8Array;
  readonly count: number;
  readonly nfts: number;
};
