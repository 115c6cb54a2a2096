import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { createCache } from '../../base/cache/cache.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import {
  type AddressBalance,
  addSums,
  amountFromBytes,
  amountToBytes,
  type BalanceChange,
  type BalanceDelta,
  type BalanceKey,
  type BalancePart,
  type BalanceSums,
  balanceKeyText,
  belowLocktimes,
  hasOutputs,
  ownPart,
  partFromBytes,
  partToBytes,
  sharedPart,
} from './balance.ts';
import { StateError } from './fault.ts';
import type { Tables } from './schema.ts';

/** Balances by address. The newest row of a balance is the current one; earlier rows are those after earlier blocks. */
export type BalanceReads = {
  /**
   * The balances of an address that are not zero, ordered by asset and part. Lock times that have passed at `now` (Unix seconds) are left
   * out.
   */
  readonly balances: (address: Address, now: bigint) => AddressBalance[];
  /** The same, reading at most `limit` rows; undefined if there are more. */
  readonly fewBalances: (address: Address, now: bigint, limit: number) => AddressBalance[] | undefined;
  /** The latest lock time that is not after `now` among those that outputs of an asset had; 0 if there is none. */
  readonly latestPassedLocktime: (address: Address, assetID: Id, now: bigint) => bigint;
  /** A text that changes whenever the transfer outputs of an address and an asset change. */
  readonly balanceRevision: (address: Address, assetID: Id) => string;
};

export type Balances = BalanceReads & {
  /** Adds a row for each balance that blocks change, and returns the changes of each block. */
  readonly insert: (blocks: readonly BlockDeltas[]) => BalanceChange[][];
  /** Adds deltas to the rows of all heights: of outputs that existed at block 0 and become known later. */
  readonly raise: (deltas: readonly BalanceDelta[]) => BalanceChange[];
  readonly clearCache: () => void;
};

export type BlockDeltas = { readonly height: number; readonly deltas: readonly BalanceDelta[] };

const sumColumns = 'height, amount, count, nfts';

type NewestRow = (address: Address, assetID: Id, part: BalancePart) => SumsRow | undefined;

function openBalanceReads(db: Database, t: Tables, newestRow: NewestRow): BalanceReads {
  const nextBelow = db.prepare<BalanceRow>(
    `SELECT asset, part, ${sumColumns} FROM ${t.balance} WHERE address = ? AND (asset, part, height) < (?, ?, 0)
     ORDER BY asset DESC, part DESC, height DESC LIMIT 1`,
  );
  const latestPart = db.prepare<{ part: Uint8Array }>(
    `SELECT part FROM ${t.balance} WHERE address = ? AND asset = ? AND part <= ? ORDER BY part DESC LIMIT 1`,
  );

  const fewBalances: BalanceReads['fewBalances'] = (address, now, limit) => {
    const owner = addressToBytes(address);
    const found: AddressBalance[] = [];
    let below: readonly [asset: Uint8Array, part: Uint8Array] = [aboveAnyAsset, belowLocktimes];
    for (let read = 0; ; read++) {
      const row = nextBelow.get(owner, ...below);
      if (row === undefined) return found.reverse();
      if (read >= limit) return undefined;
      const part = partFromBytes(row.part);
      const isPassed = part > ownPart && part <= now;
      // Goes on below all rows of this balance, or below all lock times that have passed.
      below = [row.asset, isPassed ? belowLocktimes : row.part];
      const balance = { assetID: idFromBytes(row.asset), part, ...toSums(row) };
      if (!isPassed && hasOutputs(balance)) found.push(balance);
    }
  };

  return {
    balances: (address, now) => fewBalances(address, now, Number.POSITIVE_INFINITY) as AddressBalance[],
    fewBalances,
    latestPassedLocktime: (address, assetID, now) => {
      const row = latestPart.get(addressToBytes(address), idToBytes(assetID), u64Bytes(now));
      return row === undefined ? 0n : partFromBytes(row.part);
    },
    balanceRevision: (address, assetID) =>
      [ownPart, sharedPart]
        .map((part) => {
          const row = newestRow(address, assetID, part);
          // The count too: outputs from before linearization are added to rows of earlier blocks.
          return row === undefined ? '' : `${row.height}+${row.count}`;
        })
        .join(),
  };
}

export function openBalances(db: Database, t: Tables): Balances {
  const rowsOf = `SELECT ${sumColumns} FROM ${t.balance} WHERE address = ? AND asset = ? AND part = ? ORDER BY height`;
  const allRows = db.prepare<SumsRow>(rowsOf);
  const lastRow = db.prepare<SumsRow>(`${rowsOf} DESC LIMIT 1`);
  const insertRows = bulkInsert(db, `INSERT INTO ${t.balance}`, 7);
  const replaceRows = bulkInsert(db, `REPLACE INTO ${t.balance}`, 7);
  let clears = 0;
  const cache = createCache<string, BalanceSums>('balanceRows', { size: 500, version: () => clears });

  const newestRow: NewestRow = (address, assetID, part) => lastRow.get(addressToBytes(address), idToBytes(assetID), partToBytes(part));
  const sumsOf = ({ address, assetID, part }: BalanceDelta, key: string): BalanceSums | undefined => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const row = newestRow(address, assetID, part);
    return row && toSums(row);
  };

  return {
    ...openBalanceReads(db, t, newestRow),
    insert: (blocks) => {
      const rows: { readonly key: string; readonly height: number; readonly delta: BalanceDelta; readonly after: BalanceSums }[] = [];
      // Not the cache alone: it may drop an entry before a later block of the batch needs it, and the rows are not stored yet.
      const current = new Map<string, BalanceSums>();
      const changes = blocks.map(({ height, deltas }) =>
        deltas.map((delta): BalanceChange => {
          const { address, assetID, part } = delta;
          const key = balanceKeyText(address, assetID, part);
          const before = current.get(key) ?? sumsOf(delta, key);
          const after = checkSums(addSums(before, delta), delta);
          current.set(key, after);
          cache.set(key, after);
          rows.push({ key, height, delta, after });
          return { address, assetID, part, before, after };
        }),
      );
      // Ordered by key, so that neighbours are written together. The sort is stable: rows of one key stay in the order of their heights.
      rows.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
      // Transactions from before linearization change the rows of block 0 again.
      const write = blocks[0]?.height === 0 ? replaceRows : insertRows;
      const values: SqlValue[] = [];
      for (const { delta, height, after } of rows) pushBalanceRow(values, delta, height, after);
      write(values);
      return changes;
    },
    raise: (deltas) =>
      deltas.map((delta): BalanceChange => {
        const { address, assetID, part } = delta;
        const rows = allRows.all(addressToBytes(address), idToBytes(assetID), partToBytes(part));
        const raised = new Map([[0, addSums(undefined, delta)], ...rows.map((row) => [row.height, addSums(toSums(row), delta)] as const)]);
        const values: SqlValue[] = [];
        for (const [height, after] of raised) pushBalanceRow(values, delta, height, after);
        replaceRows(values);
        const newest = rows[rows.length - 1];
        const before = newest && toSums(newest);
        const after = addSums(before, delta);
        cache.set(balanceKeyText(address, assetID, part), after);
        return { address, assetID, part, before, after };
      }),
    clearCache: () => {
      clears++;
    },
  };
}

const aboveAnyAsset = new Uint8Array(33).fill(0xff);

const keyBytes = { ofAddress: addressToBytes, ofId: idToBytes } as const;

/** Adds the columns of a row, in their order, to a list of values. `bytes`: how addresses and IDs become bytes. */
export function pushBalanceRow(
  values: SqlValue[],
  { address, assetID, part }: BalanceKey,
  height: number,
  { amount, count, nfts }: BalanceSums,
  bytes: { readonly ofAddress: (address: Address) => Uint8Array; readonly ofId: (id: Id) => Uint8Array } = keyBytes,
): void {
  values.push(bytes.ofAddress(address), bytes.ofId(assetID), partToBytes(part), height, amountToBytes(amount), count, nfts);
}

export type SumsRow = { readonly height: number; readonly amount: Uint8Array; readonly count: number; readonly nfts: number };
type BalanceRow = SumsRow & { readonly asset: Uint8Array; readonly part: Uint8Array };

export const toSums = ({ amount, count, nfts }: SumsRow): BalanceSums => ({ amount: amountFromBytes(amount), count, nfts });

/** Throws if a sum is negative: then the stored rows or the block are wrong, and the commit is rolled back. */
function checkSums(after: BalanceSums, { address, assetID }: BalanceKey): BalanceSums {
  if (after.amount < 0n || after.count < 0 || after.nfts < 0)
    throw new StateError(`balance of ${address} in ${idText(assetID)} would fall below zero`, {
      code: 'STATE_BALANCE_BELOW_ZERO',
      address,
      assetID: idText(assetID),
    });
  return after;
}
