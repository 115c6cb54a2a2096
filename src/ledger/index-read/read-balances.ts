import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';
import type { Dialect } from '../index/ddl.ts';
import type { Query, Steps } from '../index/steps.ts';
import { type IndexTables, outputSets } from '../index/tables.ts';
import { addSums, type BalanceSums, belowLocktimes, hasOutputs, noSums, ownPart, partFromBytes, sharedPart } from '../state/balance.ts';
import { type SumsRow, toSums } from '../state/balances.ts';
import type { Tables } from '../state/schema.ts';
import type { Holdings, PinnedBlock, SingleOwnerSum } from './index-reads.ts';
import type { ListedOutputs, OutputSetSelection, UtxoReads } from './read-utxos.ts';

/** Balances of addresses: sums of single-owner outputs, and the other outputs one by one. */
type IndexBalanceReads = {
  /** Outputs with a lock time after `now` (Unix seconds) are locked. */
  readonly singleOwner: (addresses: readonly Address[], pin: PinnedBlock, now: number) => Steps<Holdings['singleOwner']>;
  /** Unspent multi-owner outputs and, with a negative `seq`, exported outputs. Undefined if the addresses never had any. */
  readonly otherOutputs: (addresses: readonly Address[], pin: PinnedBlock) => Steps<ListedOutputs | undefined>;
};

/** `rowsPerPage` is the maximum number of rows that one query reads. 512 rows take a few milliseconds. */
export function createBalanceReads(
  t: Pick<Tables, 'balance'> & Pick<IndexTables, 'owner' | 'movedOwner'>,
  { listNow }: Pick<UtxoReads, 'listNow'>,
  dialect: Dialect,
  rowsPerPage = 512,
): IndexBalanceReads {
  // A balance has one row for every block that changed it. This query goes down from one (asset, part) key to the next and starts behind the
  // newest row of each, so it reads one row per key, however many there are: two if the newest row is above the height. Of lock times that
  // have passed it reads only the last one.
  const columns = 'b.asset, b.part, b.height, b.amount, b.count, b.nfts';
  const below = (selected: string, asset: string, part: string, height: string) =>
    `SELECT ${selected} FROM ${t.balance} b WHERE b.address = ? AND (b.asset, b.part, b.height) < (${asset}, ${part}, ${height})
      ORDER BY b.asset DESC, b.part DESC, b.height DESC LIMIT 1`;
  const belowKey = (selected: string) =>
    below(
      selected,
      'k.asset',
      'CASE WHEN k.height > ? OR k.part > ? OR length(k.part) = 0 THEN k.part ELSE ? END',
      `CASE WHEN k.height > ? THEN ? + 0 ELSE ${belowAnyHeight} END`,
    );
  const nextRow: { readonly [D in Dialect]: string } = {
    // SQLite has no LATERAL. PostgreSQL would not use the index for this comparison.
    sqlite: `JOIN ${t.balance} r ON (r.asset, r.part, r.height) = (${belowKey('b.asset, b.part, b.height')}) AND r.address = ?`,
    postgres: `CROSS JOIN LATERAL (${belowKey(columns)}) r`,
  };
  const singleOwnerSql = `WITH RECURSIVE k(n, asset, part, height, amount, count, nfts) AS (
      SELECT 1, f.asset, f.part, f.height, f.amount, f.count, f.nfts FROM (${below(columns, '?', '?', '?')}) f
      UNION ALL SELECT k.n + 1, r.asset, r.part, r.height, r.amount, r.count, r.nfts FROM k ${nextRow[dialect]} WHERE k.n < ? + 0)
    SELECT n, asset, part, height, amount, count, nfts FROM k`;

  const singleOwnerQuery = ({ owner, after }: KeyPage, { height }: PinnedBlock, now: Uint8Array): Query => {
    const start = after === undefined ? aboveAnyKey : [after.asset, after.part, after.height > height ? height + 1 : belowAnyHeight];
    const joined = dialect === 'sqlite' ? [owner] : [];
    const values = [owner, ...start, owner, height, now, belowLocktimes, height, height + 1, ...joined, rowsPerPage];
    return { text: singleOwnerSql, values };
  };

  const anyOther = `SELECT seq FROM ${t.owner} WHERE address = ? AND shelf >= ${outputSets.multiOwnerUnspent}
    UNION ALL SELECT seq FROM ${t.movedOwner} WHERE address = ? AND shelf <= ${outputSets.exportedSpent} LIMIT 1`;
  const anyOtherQuery = (address: Address): Query => ({ text: anyOther, values: [addressToBytes(address), addressToBytes(address)] });

  return {
    singleOwner: function* (addresses, pin, now) {
      const { add, list } = createSingleOwnerSums(BigInt(now));
      const seconds = u64Bytes(BigInt(now));
      let unread = [...new Set(addresses)].map((address): KeyPage => ({ owner: addressToBytes(address), after: undefined }));
      while (unread.length > 0) {
        const pages = unread.slice(0, pagesPerStep);
        const results = (yield pages.map((page) => singleOwnerQuery(page, pin, seconds))) as readonly (readonly SingleOwnerRow[])[];
        for (const rows of results) for (const row of rows) if (row.height <= pin.height) add(row);
        const nextPages = pages.flatMap(({ owner }, i) => {
          const after = results[i]?.find(({ n }) => n === rowsPerPage);
          return after === undefined ? [] : [{ owner, after }];
        });
        unread = [...nextPages, ...unread.slice(pagesPerStep)];
      }
      return list();
    },
    otherOutputs: function* (addresses, pin) {
      // On PostgreSQL, to ask first would cost a round trip.
      if (dialect === 'postgres') return yield* listNow({ ...everyOutput, pin, addresses }, otherSets);
      // Most addresses never had such an output. One that had keeps a row, in a set of unspent or of spent outputs.
      const found = yield addresses.map(anyOtherQuery);
      const owners = addresses.filter((_, i) => (found[i] as readonly unknown[]).length > 0);
      if (owners.length === 0) return undefined;
      return yield* listNow({ ...everyOutput, pin, addresses: owners }, otherSets);
    },
  };
}

const everyOutput = {
  asset: undefined,
  minAmount: 0n,
  includeSpent: false,
  sortBy: 'timestamp',
  // As most lists of outputs, so that PostgreSQL reads both with one statement.
  order: 'desc',
  after: undefined,
  limit: Number.POSITIVE_INFINITY,
} as const;

const otherSets: OutputSetSelection = {
  unspent: [outputSets.multiOwnerUnspent, outputSets.exported],
  spent: [outputSets.multiOwnerSpent, outputSets.exportedSpent],
};

/** Maximum number of queries per step, as many as a request has addresses; their rows, some megabytes at most, are in memory at the same time. */
const pagesPerStep = 64;

const belowAnyHeight = -1;

/** A key behind all others: an asset has 32 bytes. */
const aboveAnyKey = [new Uint8Array(33).fill(0xff), new Uint8Array(0), 0] as const;

/** A page of the rows of an address; `after` is the last row of the previous page. */
type KeyPage = { readonly owner: Uint8Array; readonly after: SingleOwnerRow | undefined };

/** Sums rows by asset, separately for outputs that are locked at `now` (Unix seconds) and for the others. */
function createSingleOwnerSums(now: bigint) {
  const sums = new Map<Id, { own: BalanceSums; locked: BalanceSums }>();
  return {
    add: (row: SingleOwnerRow): void => {
      const part = partFromBytes(row.part);
      if (part === sharedPart || (part > ownPart && part <= now)) return;
      const asset = toHex(row.asset) as Id;
      const { own, locked } = sums.get(asset) ?? { own: noSums, locked: noSums };
      sums.set(asset, part === ownPart ? { own: addSums(own, toSums(row)), locked } : { own, locked: addSums(locked, toSums(row)) });
    },
    list: (): SingleOwnerSum[] =>
      [...sums].flatMap(([asset, { own, locked }]) => {
        const unlocked = { amount: own.amount - locked.amount, count: own.count - locked.count, nfts: own.nfts - locked.nfts };
        return [
          { asset, isLocked: false, ...unlocked },
          { asset, isLocked: true, ...locked },
        ].filter(hasOutputs);
      }),
  };
}

/** `n` is the number of the row in its page, from 1. */
type SingleOwnerRow = SumsRow & { readonly n: number; readonly asset: Uint8Array; readonly part: Uint8Array };
