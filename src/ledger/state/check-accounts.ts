import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { equal } from '../../base/bytes/octets.ts';
import type { Database } from '../store/database.ts';
import { openAccounts } from './accounts.ts';
import { type AddressBalance, type BalanceDeltas, createBalanceDeltas, ownersOf } from './balance.ts';
import { type CheckContext, parseOrUndefined } from './check-context.ts';
import { unspentShelf } from './owner-rows.ts';
import { ownerShelves, type Tables } from './schema.ts';
import { decodeWithoutChecksum, ownerRowBytes, type StoredUtxo } from './stored-utxo.ts';

type OwnerRow = {
  readonly address: Uint8Array;
  readonly shelf: number;
  readonly seq: number;
  readonly height: number;
  readonly copy: StoredUtxo | null;
  readonly bytes: StoredUtxo | null;
  readonly created: number | null;
  readonly spent: number | null;
};

/** Checks that exactly the owners of unspent outputs have owner rows, and that each stored balance is the sum of the address's outputs. */
export function checkAccounts(db: Database, t: Tables, expectedOwners: number, { addProblem, readRows }: CheckContext): void {
  const ownersAfter = db.prepare<OwnerRow>(
    `SELECT o.address, o.shelf, o.seq, o.height, o.bytes AS copy, u.bytes, u.height AS created, s.tx AS spent
     FROM ${t.owner} o LEFT JOIN ${t.utxo} u ON u.seq = o.seq LEFT JOIN ${t.spend} s ON s.utxo = o.seq
     WHERE (o.address, o.shelf, o.seq) > (?, ?, ?) AND o.shelf IN (${ownerShelves.unspent}, ${ownerShelves.multiOwnerUnspent})
     ORDER BY o.address, o.shelf, o.seq LIMIT ?`,
  );
  const accounts = openAccounts(db, t);
  let rows = 0;
  let balances = 0;
  let current: { address: Address; deltas: BalanceDeltas } | undefined;

  const checkCurrentAddress = (): void => {
    if (current === undefined) return;
    const { address } = current;
    const expected = current.deltas.deltas();
    balances += expected.length;
    if (balancesAsText(expected) !== balancesAsText(accounts.balances(address)))
      addProblem(`balances of ${address} are not the sums of its outputs`);
    if (accounts.addressRevision(address) === -1) addProblem(`${address} owns outputs but has no revision`);
  };

  const unspentAfter = (last: OwnerRow | undefined, limit: number) =>
    ownersAfter.all(last?.address ?? new Uint8Array(0), last?.shelf ?? 0, last?.seq ?? 0, limit);
  for (const row of readRows<OwnerRow>(unspentAfter)) {
    const address = toHex(row.address) as Address;
    rows++;
    if (row.bytes === null || row.spent !== null) {
      addProblem(`${address} owns output ${row.seq}, which is spent or does not exist`);
      continue;
    }
    const { bytes } = row;
    const utxo = parseOrUndefined(() => decodeWithoutChecksum(bytes));
    if (!utxo || ![...ownersOf(utxo)].includes(address) || row.shelf !== unspentShelf(utxo) || row.height !== row.created)
      addProblem(`${address} does not own output ${row.seq}`);
    if (!sameBytes(row.copy, ownerRowBytes(bytes))) addProblem(`the copy of output ${row.seq} at ${address} differs`);
    if (current?.address !== address) {
      checkCurrentAddress();
      current = { address, deltas: createBalanceDeltas() };
    }
    if (utxo) current.deltas.add(utxo, [address]);
  }
  checkCurrentAddress();
  if (rows !== expectedOwners) addProblem(`there are ${rows} owners of outputs, there should be ${expectedOwners}`);
  const storedBalances = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.account} WHERE asset > x''`).get()?.n;
  if (storedBalances !== balances) addProblem(`there are ${storedBalances} balances, there should be ${balances}`);
}

const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean => (a === null || b === null ? a === b : equal(a, b));

const balancesAsText = (balances: readonly AddressBalance[]): string =>
  balances
    .map((b) => `${b.assetID} ${b.locktime} ${b.singleOwner} ${b.singleOwnerCount} ${b.multiOwner} ${b.multiOwnerCount}`)
    .sort()
    .join();
