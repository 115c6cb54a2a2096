import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, outputSets } from '../index/tables.ts';
import type { Holdings, PinnedBlock, SingleOwnerSum } from './index-reads.ts';
import type { PinnedOutput } from './read-outputs.ts';
import type { OutputSetSelection, UtxoReads } from './read-utxos.ts';

/** Balances of addresses: sums of single-owner outputs, and the other outputs one by one. */
export type IndexBalanceReads = {
  readonly singleOwner: (addresses: readonly Address[], pin: PinnedBlock) => Steps<Holdings['singleOwner']>;
  readonly multiOwner: (addresses: readonly Address[], pin: PinnedBlock) => Steps<PinnedOutput[]>;
  readonly exported: (addresses: readonly Address[], pin: PinnedBlock) => Steps<PinnedOutput[]>;
};

export function createBalanceReads(t: IndexTables, { utxos }: UtxoReads): IndexBalanceReads {
  // A balance has one row for every block that changed it. This query skips from one asset to the next, then from one lock time to the next,
  // then to the newest row at or below the height, so it reads a few rows per balance, however many there are. (CROSS JOIN makes SQLite keep
  // the join order.)
  const singleOwnerSql = `WITH RECURSIVE
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

  const singleOwnerQuery = (address: Address, { height }: PinnedBlock): Query => {
    const owner = addressToBytes(address);
    return { text: singleOwnerSql, values: [owner, owner, owner, owner, owner, owner, height] };
  };

  const unspentIn = (sets: OutputSetSelection) => (addresses: readonly Address[], pin: PinnedBlock) =>
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
      sets,
    );

  return {
    singleOwner: function* (addresses, pin) {
      const sums = new Map<string, SingleOwnerSum>();
      for (const row of yield* fetchRows<SingleOwnerRow>([...new Set(addresses)].map((address) => singleOwnerQuery(address, pin)))) {
        const [asset, locktime] = [toHex(row.asset) as Id, Buffer.from(row.locktime).readBigUInt64BE()];
        const key = asset + locktime;
        const before = sums.get(key);
        const [amount, count] = [(before?.amount ?? 0n) + sumFromBytes(row.amount), (before?.count ?? 0) + row.count];
        sums.set(key, { asset, locktime, amount, count, nfts: (before?.nfts ?? 0) + row.nfts });
      }
      return [...sums.values()];
    },
    multiOwner: unspentIn({ unspent: [outputSets.multiOwnerUnspent], spent: [outputSets.multiOwnerSpent] }),
    exported: unspentIn({ unspent: [outputSets.exported], spent: [outputSets.exportedSpent] }),
  };
}

type SingleOwnerRow = {
  readonly asset: Uint8Array;
  readonly locktime: Uint8Array;
  readonly amount: Uint8Array;
  readonly count: number;
  readonly nfts: number;
};
