import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import type { Query, Steps } from '../index/steps.ts';
import { type IndexTables, outputSets } from '../index/tables.ts';
import type { Holdings, PinnedBlock, SingleOwnerSum } from './index-reads.ts';
import type { PinnedOutput } from './read-outputs.ts';
import type { OutputSetSelection, UtxoReads } from './read-utxos.ts';

/** Balances of addresses: sums of single-owner outputs, and the other outputs one by one. */
export type IndexBalanceReads = {
  /** Outputs with a lock time after `now` (Unix seconds) are locked. */
  readonly singleOwner: (addresses: readonly Address[], pin: PinnedBlock, now: number) => Steps<Holdings['singleOwner']>;
  /** Unspent multi-owner outputs and, with a negative `seq`, exported outputs. */
  readonly otherOutputs: (addresses: readonly Address[], pin: PinnedBlock) => Steps<PinnedOutput[]>;
};

/** `keysPerPage` is the maximum number of (asset, lock time) keys that one query reads. 512 keys take a few milliseconds. */
export function createBalanceReads(t: IndexTables, { utxos }: UtxoReads, keysPerPage = 512): IndexBalanceReads {
  // A balance has one row for every block that changed it. This query skips from one (asset, lock time) key to the next, and for each key to
  // the newest row at or below the height, so it reads a few rows per key, however many there are. It also returns keys that have no such
  // row, because the next page starts after the last key. The comparisons contain the height, which makes them start behind the last row
  // of a key: without it SQLite reads over all rows of the key, which took ten times as long for a busy address.
  const next = (column: string) =>
    `(SELECT b.${column} FROM ${t.balance} b WHERE b.address = ? AND (b.asset, b.locktime, b.height) > (k.asset, k.locktime, ${aboveAnyHeight})
      ORDER BY b.asset, b.locktime, b.height LIMIT 1)`;
  const singleOwnerSql = `WITH RECURSIVE k(asset, locktime, n) AS (
      SELECT f.asset, f.locktime, 1 FROM (SELECT b.asset, b.locktime FROM ${t.balance} b
        WHERE b.address = ? AND (b.asset, b.locktime, b.height) > (?, ?, ${aboveAnyHeight}) ORDER BY b.asset, b.locktime, b.height LIMIT 1) f
      UNION ALL SELECT ${next('asset')}, ${next('locktime')}, k.n + 1 FROM k WHERE k.asset IS NOT NULL AND k.n < ? + 0)
    SELECT k.n, k.asset, k.locktime, b.amount, b.count, b.nfts FROM k LEFT JOIN ${t.balance} b
      ON b.address = ? AND b.asset = k.asset AND b.locktime = k.locktime AND b.height = (SELECT h.height FROM ${t.balance} h
        WHERE h.address = ? AND h.asset = k.asset AND h.locktime = k.locktime AND h.height <= ? ORDER BY h.height DESC LIMIT 1)
    WHERE k.asset IS NOT NULL`;

  const singleOwnerQuery = ({ owner, after }: KeyPage, { height }: PinnedBlock): Query => ({
    text: singleOwnerSql,
    values: [owner, after?.asset ?? noBytes, after?.locktime ?? noBytes, owner, owner, keysPerPage, owner, owner, height],
  });

  const otherOutputs = (addresses: readonly Address[], pin: PinnedBlock) =>
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
      otherSets,
    );

  return {
    singleOwner: function* (addresses, pin, now) {
      const { add, list } = createSingleOwnerSums(now);
      let unread = [...new Set(addresses)].map((address): KeyPage => ({ owner: addressToBytes(address), after: undefined }));
      while (unread.length > 0) {
        const pages = unread.slice(0, pagesPerStep);
        const results = (yield pages.map((page) => singleOwnerQuery(page, pin))) as readonly (readonly SingleOwnerRow[])[];
        for (const row of results.flat()) add(row);
        const nextPages = pages.flatMap(({ owner }, i) => {
          const after = results[i]?.find(({ n }) => n === keysPerPage);
          return after === undefined ? [] : [{ owner, after }];
        });
        unread = [...nextPages, ...unread.slice(pagesPerStep)];
      }
      return list();
    },
    otherOutputs,
  };
}

const otherSets: OutputSetSelection = {
  unspent: [outputSets.multiOwnerUnspent, outputSets.exported],
  spent: [outputSets.multiOwnerSpent, outputSets.exportedSpent],
};

/** Maximum number of queries per step; their rows are in memory at the same time. */
const pagesPerStep = 8;

const noBytes = new Uint8Array(0);

const aboveAnyHeight = Number.MAX_SAFE_INTEGER;

/** A page of the keys of an address; `after` is the last key of the previous page. */
type KeyPage = { readonly owner: Uint8Array; readonly after: SingleOwnerRow | undefined };

/** Sums rows by asset, separately for outputs that are locked at `now` (Unix seconds) and for the others. */
function createSingleOwnerSums(now: number) {
  const seconds = BigInt(now);
  const sums = new Map<string, SingleOwnerSum>();
  return {
    add: (row: SingleOwnerRow): void => {
      if (row.amount === null || (row.count === 0 && row.nfts === 0)) return;
      const asset = toHex(row.asset) as Id;
      const isLocked = Buffer.from(row.locktime).readBigUInt64BE() > seconds;
      const key = asset + isLocked;
      const before = sums.get(key);
      const [amount, count] = [(before?.amount ?? 0n) + sumFromBytes(row.amount), (before?.count ?? 0) + row.count];
      sums.set(key, { asset, isLocked, amount, count, nfts: (before?.nfts ?? 0) + row.nfts });
    },
    list: (): SingleOwnerSum[] => [...sums.values()],
  };
}

/** `n` is the number of the key in its page, from 1. The last three are null if the balance has no row at or below the height. */
type SingleOwnerRow = { readonly n: number; readonly asset: Uint8Array; readonly locktime: Uint8Array } & (
  | { readonly amount: Uint8Array; readonly count: number; readonly nfts: number }
  | { readonly amount: null; readonly count: null; readonly nfts: null }
);
