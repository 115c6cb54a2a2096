import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { compare, u64Bytes } from '../../base/bytes/octets.ts';
import type { Dialect } from '../index/ddl.ts';
import type { OutputSetSelection } from '../index/output-set.ts';
import { type IndexTables, outputSets } from '../index/tables.ts';
import { addSums, type BalanceSums, belowLocktimes, hasOutputs, noSums, ownPart, partFromBytes, sharedPart } from '../state/balance.ts';
import { type SumsRow, toSums } from '../state/balances.ts';
import type { Tables } from '../state/schema.ts';
import type { Queries, Query } from '../store/queries.ts';
import type { Holdings, OutputSum, PinnedBlock, SingleOwnerSum } from './index-reads.ts';
import { createOutputSums } from './output-sums.ts';
import type { ListedOutputs, UtxoReads } from './read-utxos.ts';

/** Balances of addresses: stored sums of single-owner outputs, and sums of the other outputs, which are read. */
type IndexBalanceReads = {
  /** Outputs with a lock time after `now` (Unix seconds) are locked. */
  readonly singleOwner: (addresses: readonly Address[], pin: PinnedBlock, now: number) => Queries<Holdings['singleOwner']>;
  /** The first page of the unspent multi-owner outputs and exported outputs. Undefined if the addresses never had any. */
  readonly otherOutputs: (addresses: readonly Address[], pin: PinnedBlock) => Queries<ListedOutputs | undefined>;
  /** Sums of these outputs, read page by page from the first one on: anyone can give an address a million of them. */
  readonly sumOthers: (
    addresses: readonly Address[],
    pin: PinnedBlock,
    now: number,
    firstPage: ListedOutputs | undefined,
  ) => Queries<OutputSum[]>;
};

/** For tests: the maximum number of rows that one query reads, and of outputs that are in memory. Both take a few milliseconds. */
export type BalanceLimits = { readonly rowsPerPage?: number; readonly outputsPerPage?: number };

export function createBalanceReads(
  t: Pick<Tables, 'balance'> & Pick<IndexTables, 'owner' | 'movedOwner'>,
  { listNow }: Pick<UtxoReads, 'listNow'>,
  dialect: Dialect,
  { rowsPerPage = 512, outputsPerPage = 1024 }: BalanceLimits = {},
): IndexBalanceReads {
  const addRows = createSingleOwnerRows(t.balance, dialect, rowsPerPage);
  const anyOther = `SELECT seq FROM ${t.owner} WHERE address = ? AND shelf >= ${outputSets.multiOwnerUnspent}
    UNION ALL SELECT seq FROM ${t.movedOwner} WHERE address = ? AND shelf <= ${outputSets.exportedSpent} LIMIT 1`;
  const anyOtherQuery = (address: Address): Query => ({ text: anyOther, values: [addressToBytes(address), addressToBytes(address)] });

  const listPage = (addresses: readonly Address[], pin: PinnedBlock, after?: number): Queries<ListedOutputs> =>
    listNow({ ...everyOutput, pin, addresses, after, limit: outputsPerPage }, otherSets);

  return {
    singleOwner: function* (addresses, pin, now) {
      const { add, list } = createSingleOwnerSums(BigInt(now));
      const seconds = u64Bytes(BigInt(now));
      const owners = (addresses.length === 1 ? addresses : [...new Set(addresses)]).map(addressToBytes);
      yield* addRows(owners, pin, seconds, add);
      return list();
    },
    otherOutputs: function* (addresses, pin) {
      // On PostgreSQL, to ask first would cost a round trip.
      if (dialect !== 'sqlite') return yield* listPage(addresses, pin);
      // Most addresses never had such an output. One that had keeps a row, in a set of unspent or of spent outputs.
      const found = yield addresses.map(anyOtherQuery);
      const owners = addresses.filter((_, i) => (found[i] as readonly unknown[]).length > 0);
      if (owners.length === 0) return undefined;
      return yield* listPage(owners, pin);
    },
    sumOthers: function* (addresses, pin, now, firstPage) {
      const { add, list } = createOutputSums(now);
      for (let page = firstPage; page !== undefined; ) {
        const { outputs } = yield* page.asPinned();
        for (const output of outputs) add(output);
        const last = outputs[outputsPerPage - 1];
        page = last && (yield* listPage(addresses, pin, last.seq));
      }
      return list();
    },
  };
}

/**
 * Creates the read of balances of single-owner outputs: `add` gets one row per key (asset, part) of each owner. A balance has one row for every
 * block that changed it. The rows are read downwards, from the newest one of a key to that of the next key, so one row per key is read, however
 * many there are: two if the newest row is above the height. Of lock times that have passed only the last one is read.
 */
function createSingleOwnerRows(table: string, dialect: Dialect, rowsPerPage: number) {
  const columns = 'b.asset, b.part, b.height, b.amount, b.count, b.nfts';
  const below = (selected: string, asset: string, part: string, height: string) =>
    `SELECT ${selected} FROM ${table} b WHERE b.address = ? AND (b.asset, b.part, b.height) < (${asset}, ${part}, ${height})
      ORDER BY b.asset DESC, b.part DESC, b.height DESC LIMIT 1`;
  const rowBelow = below(columns, '?', '?', '?');
  const lowestAsset = `(SELECT l.asset FROM ${table} l WHERE l.address = b.address ORDER BY l.asset LIMIT 1) AS lowest`;
  const firstRow = below(`${columns}, ${lowestAsset}`, '?', '?', '?');

  /**
   * One query for each row: on SQLite that takes half the time of a recursive one. The first one also tells the last asset, so that no query is
   * needed to find that there is no further row.
   */
  function* addRowByRow(owner: Uint8Array, { height }: PinnedBlock, now: Uint8Array, add: (row: SingleOwnerRow) => void): Queries<void> {
    let [asset, part, below]: KeyAbove = aboveAnyKey;
    let lowest: Uint8Array | undefined;
    for (;;) {
      const text = lowest === undefined ? firstRow : rowBelow;
      const results = (yield [{ text, values: [owner, asset, part, below] }]) as readonly (readonly FirstRow[])[];
      const row = results[0]?.[0];
      if (row === undefined) return;
      lowest ??= row.lowest;
      const isLater = row.height > height;
      if (!isLater) add(row);
      // `ownPart` has no bytes, so it is the first part of an asset.
      if (!isLater && row.part.length === 0 && compare(row.asset, lowest) === 0) return;
      asset = row.asset;
      part = isLater || row.part.length === 0 || compare(row.part, now) > 0 ? row.part : belowLocktimes;
      below = isLater ? height + 1 : belowAnyHeight;
    }
  }

  /** On PostgreSQL, which has LATERAL, one recursive query reads a page of rows. */
  const rowBelowKey = below(
    columns,
    'k.asset',
    'CASE WHEN k.height > ? OR k.part > ? OR length(k.part) = 0 THEN k.part ELSE ? END',
    `CASE WHEN k.height > ? THEN ? + 0 ELSE ${belowAnyHeight} END`,
  );
  const pageSql = `WITH RECURSIVE k(n, asset, part, height, amount, count, nfts) AS (
      SELECT 1, f.asset, f.part, f.height, f.amount, f.count, f.nfts FROM (${rowBelow}) f
      UNION ALL SELECT k.n + 1, r.asset, r.part, r.height, r.amount, r.count, r.nfts FROM k CROSS JOIN LATERAL (${rowBelowKey}) r WHERE k.n < ? + 0)
    SELECT n, asset, part, height, amount, count, nfts FROM k`;
  const pageQuery = ({ owner, after }: KeyPage, { height }: PinnedBlock, now: Uint8Array): Query => {
    const start = after === undefined ? aboveAnyKey : [after.asset, after.part, after.height > height ? height + 1 : belowAnyHeight];
    return { text: pageSql, values: [owner, ...start, owner, height, now, belowLocktimes, height, height + 1, rowsPerPage] };
  };
  function* addPages(owners: readonly Uint8Array[], pin: PinnedBlock, now: Uint8Array, add: (row: SingleOwnerRow) => void): Queries<void> {
    let unread = owners.map((owner): KeyPage => ({ owner, after: undefined }));
    while (unread.length > 0) {
      const pages = unread.slice(0, pagesPerStep);
      const results = (yield pages.map((page) => pageQuery(page, pin, now))) as readonly (readonly NumberedRow[])[];
      for (const rows of results) for (const row of rows) if (row.height <= pin.height) add(row);
      const nextPages = pages.flatMap(({ owner }, i) => {
        const after = results[i]?.find(({ n }) => n === rowsPerPage);
        return after === undefined ? [] : [{ owner, after }];
      });
      unread = [...nextPages, ...unread.slice(pagesPerStep)];
    }
  }

  return function* addRows(
    owners: readonly Uint8Array[],
    pin: PinnedBlock,
    now: Uint8Array,
    add: (row: SingleOwnerRow) => void,
  ): Queries<void> {
    if (dialect !== 'sqlite') yield* addPages(owners, pin, now, add);
    else for (const owner of owners) yield* addRowByRow(owner, pin, now, add);
  };
}

const everyOutput = {
  asset: undefined,
  minAmount: 0n,
  includeSpent: false,
  sortBy: 'timestamp',
  // As most lists of outputs, so that PostgreSQL reads both with one statement.
  order: 'desc',
} as const;

const otherSets: OutputSetSelection = {
  unspent: [outputSets.multiOwnerUnspent, outputSets.exported],
  spent: [outputSets.multiOwnerSpent, outputSets.exportedSpent],
};

/** Maximum number of queries per step, as many as a request has addresses; their rows, some megabytes at most, are in memory at the same time. */
const pagesPerStep = 64;

const belowAnyHeight = -1;

/** A key of `balance`, without its address, below which the next row is looked for. */
type KeyAbove = readonly [asset: Uint8Array, part: Uint8Array, height: number];

/** A key behind all others: an asset has 32 bytes. */
const aboveAnyKey: KeyAbove = [new Uint8Array(33).fill(0xff), new Uint8Array(0), 0];

/** A page of the rows of an address; `after` is the last row of the previous page. */
type KeyPage = { readonly owner: Uint8Array; readonly after: SingleOwnerRow | undefined };

/** Sums rows by asset, separately for outputs that are locked at `now` (Unix seconds) and for the others. */
function createSingleOwnerSums(now: bigint) {
  const sums = new Map<Id, { own: BalanceSums; locked: BalanceSums }>();
  const sumsOf = (row: SingleOwnerRow): { own: BalanceSums; locked: BalanceSums } => {
    const asset = toHex(row.asset) as Id;
    const known = sums.get(asset);
    if (known !== undefined) return known;
    const added = { own: noSums, locked: noSums };
    sums.set(asset, added);
    return added;
  };
  const plus = (before: BalanceSums, row: SingleOwnerRow): BalanceSums => (before === noSums ? toSums(row) : addSums(before, toSums(row)));
  return {
    add: (row: SingleOwnerRow): void => {
      const part = partFromBytes(row.part);
      if (part === sharedPart || (part > ownPart && part <= now)) return;
      const found = sumsOf(row);
      if (part === ownPart) found.own = plus(found.own, row);
      else found.locked = plus(found.locked, row);
    },
    list: (): SingleOwnerSum[] => {
      const listed: SingleOwnerSum[] = [];
      for (const [asset, { own, locked }] of sums) {
        const unlocked = locked === noSums ? own : subtractSums(own, locked);
        if (hasOutputs(unlocked)) listed.push({ asset, isLocked: false, ...unlocked });
        if (hasOutputs(locked)) listed.push({ asset, isLocked: true, ...locked });
      }
      return listed;
    },
  };
}

const subtractSums = (a: BalanceSums, b: BalanceSums): BalanceSums => ({
  amount: a.amount - b.amount,
  count: a.count - b.count,
  nfts: a.nfts - b.nfts,
});

type SingleOwnerRow = SumsRow & { readonly asset: Uint8Array; readonly part: Uint8Array };
/** `lowest`: the first asset that the address has rows of. */
type FirstRow = SingleOwnerRow & { readonly lowest: Uint8Array };
/** `n` is the number of the row in its page, from 1. */
type NumberedRow = SingleOwnerRow & { readonly n: number };
