import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { compare, equal } from '../../base/bytes/octets.ts';
import { unlessFault } from '../../base/fault.ts';
import type { Database } from '../store/database.ts';
import { type BalanceDeltas, type BalanceSums, createBalanceDeltas, hasOutputs, ownersOf, partToBytes } from './balance.ts';
import { type SumsRow, toSums } from './balances.ts';
import type { CheckContext } from './check-context.ts';
import { createOwnerSum, type TxSums } from './check-txs.ts';
import { unspentSetOf } from './owner-rows.ts';
import { ownerSets, type Tables } from './schema.ts';
import { decodeWithoutChecksum, ownerRowBytes, type StoredUtxo } from './stored-utxo.ts';
import { openUtxoTable } from './utxo-table.ts';

/** A row of table `owner`: an unspent output and one of the addresses that own it. */
type OwnerRow = {
  readonly address: Uint8Array;
  /** Which set the output is in: one of `ownerSets`. */
  readonly shelf: number;
  /** The number of the output; see output-number.ts. */
  readonly seq: number;
  /** Height of the block that created the output. */
  readonly height: number;
  /** The output; null if it is too long for a copy in each owner row (see `ownerRowBytes`). */
  readonly copy: StoredUtxo | null;
};
type BalanceRow = SumsRow & { readonly address: Uint8Array; readonly asset: Uint8Array; readonly part: Uint8Array };

/** A balance of an address. `part`: which of its outputs it adds up (see `BalancePart`), as the column has it, in hex. */
type PartSums = BalanceSums & { readonly assetID: string; readonly part: string };

/**
 * The part of `checkChain` (check.ts, for `serac check`) about the tables `owner` and `balance`. Checks that exactly the owners of unspent outputs
 * have owner rows, and that the newest row of each balance is the sum of the address's outputs. Both tables are read once, in the order of
 * addresses. `expected`: number and sum of the owner rows, computed from the transactions. Balances at earlier heights are not checked here:
 * `serac reindex` computes them again and compares.
 */
export function checkAccounts(db: Database, t: Tables, expected: Pick<TxSums, 'owners' | 'ownerSum'>, context: CheckContext): void {
  const { addProblem, readRows } = context;
  const utxos = openUtxosOfSnapshot(db, t);
  const balances = createBalanceReader(db, t, readRows);
  const { sum, add } = createOwnerSum();
  let rows = 0;
  let expectedBalances = 0;
  let current: { readonly bytes: Uint8Array; readonly address: Address; readonly deltas: BalanceDeltas } | undefined;

  const checkCurrentAddress = (): void => {
    if (current === undefined) return;
    const sums = current.deltas.deltas().map((delta) => ({ ...delta, part: toHex(partToBytes(delta.part)) }));
    expectedBalances += sums.length;
    if (balancesAsText(sums) !== balancesAsText(balances.of(current.bytes)))
      addProblem(`balances of ${current.address} are not the sums of its outputs`);
  };
  for (const row of readRows<OwnerRow>(ownerReader(db, t))) {
    rows++;
    add(row.address, row.shelf, row.seq, row.height, row.copy);
    if (current === undefined || !equal(current.bytes, row.address)) {
      checkCurrentAddress();
      current = { bytes: row.address, address: toHex(row.address) as Address, deltas: createBalanceDeltas() };
    }
    const utxo = unlessFault(() => {
      const bytes = row.copy ?? utxos.findBySeq(row.seq)?.bytes;
      return bytes && decodeWithoutChecksum(bytes);
    });
    // If an output is missing or damaged, it is left out here: the balances, or the sum of the owner rows, then differ and are reported.
    if (utxo) current.deltas.add(utxo, [current.address]);
  }
  checkCurrentAddress();
  if (!sum.equals(expected.ownerSum)) findWrongOwners(db, t, context);
  if (rows !== expected.owners) addProblem(`there are ${rows} owners of outputs, there should be ${expected.owners}`);
  const stored = balances.count();
  if (stored !== expectedBalances) addProblem(`there are ${stored} balances, there should be ${expectedBalances}`);
}

/** The outputs of the chain. A check reads one snapshot, in which no revert happens: the epoch (number of reverts) stays the same. */
const openUtxosOfSnapshot = (db: Database, t: Tables) => openUtxoTable(db, t, { caching: false, epoch: () => 0 });

/** Reads the owner rows of unspent outputs in the order of their key, from the first or after the row `last`. */
function ownerReader(db: Database, t: Tables): (last: OwnerRow | undefined, limit: number) => OwnerRow[] {
  const after = db.prepare<OwnerRow>(
    `SELECT address, shelf, seq, height, bytes AS copy FROM ${t.owner}
     WHERE (address, shelf, seq) > (?, ?, ?) AND shelf IN (${ownerSets.unspent}, ${ownerSets.multiOwnerUnspent})
     ORDER BY address, shelf, seq LIMIT ?`,
  );
  return (last, limit) => after.all(last?.address ?? beforeAnyAddress, last?.shelf ?? 0, last?.seq ?? 0, limit);
}

const beforeAnyAddress = new Uint8Array(0);

/** Reads the newest row of each balance once, in step with the caller, who goes through the addresses that own outputs in the same order. */
function createBalanceReader(db: Database, t: Tables, readRows: CheckContext['readRows']) {
  // SQLite takes the other columns of a group from its row with the highest height.
  const newest = (where: string) =>
    db.prepare<BalanceRow>(
      `SELECT address, asset, part, max(height) AS height, amount, count, nfts FROM ${t.balance}
       ${where} GROUP BY address, asset, part ORDER BY address, asset, part LIMIT ?`,
    );
  const [first, after] = [newest(''), newest('WHERE (address, asset, part) > (?, ?, ?)')];
  const rows = readRows<BalanceRow>((last, limit) =>
    last === undefined ? first.all(limit) : after.all(last.address, last.asset, last.part, limit),
  );
  let next = rows.next();
  let count = 0;
  const take = (row: BalanceRow): PartSums => {
    const sums = { assetID: toHex(row.asset), part: toHex(row.part), ...toSums(row) };
    if (hasOutputs(sums)) count++;
    next = rows.next();
    return sums;
  };
  return {
    /** The balances of an address that are not empty; addresses must be asked for in their order. */
    of: (address: Uint8Array): PartSums[] => {
      while (next.done !== true && compare(next.value.address, address) < 0) take(next.value);
      const found: PartSums[] = [];
      while (next.done !== true && equal(next.value.address, address)) found.push(take(next.value));
      return found.filter(hasOutputs);
    },
    /** Reads the rest of the table. Returns the number of all balances that are not empty. */
    count: (): number => {
      while (next.done !== true) take(next.value);
      return count;
    },
  };
}

/** Looks up the output of every owner row, to name the wrong rows. Slow, so only if the sum of all owner rows is not the expected one. */
function findWrongOwners(db: Database, t: Tables, { addProblem, readRows }: CheckContext): void {
  const utxos = openUtxosOfSnapshot(db, t);
  const spender = db.prepare<{ tx: number }>(`SELECT tx FROM ${t.spend} WHERE utxo = ?`);
  addProblem('the owners of outputs are not those of the unspent outputs');
  for (const row of readRows<OwnerRow>(ownerReader(db, t))) {
    const address = toHex(row.address) as Address;
    const output = spender.get(row.seq) === undefined ? unlessFault(() => utxos.findBySeq(row.seq)) : undefined;
    if (output === undefined) {
      addProblem(`${address} owns output ${row.seq}, which is spent or does not exist`);
      continue;
    }
    const { bytes } = output;
    const utxo = unlessFault(() => decodeWithoutChecksum(bytes));
    if (!utxo || ![...ownersOf(utxo)].includes(address) || row.shelf !== unspentSetOf(utxo) || row.height !== output.height)
      addProblem(`${address} does not own output ${row.seq}`);
    if (!sameBytes(row.copy, ownerRowBytes(bytes))) addProblem(`the copy of output ${row.seq} at ${address} differs`);
  }
}

/** Whether two stored outputs, or copies that may be missing, are the same. */
export const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean => (a === null || b === null ? a === b : equal(a, b));

const balancesAsText = (balances: readonly PartSums[]): string =>
  balances
    .map(({ assetID, part, amount, count, nfts }) => `${assetID} ${part} ${amount} ${count} ${nfts}`)
    .sort()
    .join();
