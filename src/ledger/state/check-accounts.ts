import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { equal } from '../../base/bytes/octets.ts';
import type { Database } from '../store/database.ts';
import { type BalanceDeltas, type BalanceSums, createBalanceDeltas, hasOutputs, ownersOf, partFromBytes } from './balance.ts';
import { type SumsRow, toSums } from './balances.ts';
import { type CheckContext, parseOrUndefined } from './check-context.ts';
import { unspentShelf } from './owner-rows.ts';
import { ownerShelves, type Tables } from './schema.ts';
import { decodeWithoutChecksum, ownerRowBytes, type StoredUtxo } from './stored-utxo.ts';
import { openUtxoTable } from './utxo-table.ts';

type OwnerRow = {
  readonly address: Uint8Array;
  readonly shelf: number;
  readonly seq: number;
  readonly height: number;
  readonly copy: StoredUtxo | null;
  readonly spent: number | null;
};

/**
 * Checks that exactly the owners of unspent outputs have owner rows, and that the newest row of each balance is the sum of the address's
 * outputs. Rows of earlier heights are checked by a reindex.
 */
export function checkAccounts(db: Database, t: Tables, expectedOwners: number, { addProblem, readRows }: CheckContext): void {
  const ownersAfter = db.prepare<OwnerRow>(
    `SELECT o.address, o.shelf, o.seq, o.height, o.bytes AS copy, s.tx AS spent FROM ${t.owner} o LEFT JOIN ${t.spend} s ON s.utxo = o.seq
     WHERE (o.address, o.shelf, o.seq) > (?, ?, ?) AND o.shelf IN (${ownerShelves.unspent}, ${ownerShelves.multiOwnerUnspent})
     ORDER BY o.address, o.shelf, o.seq LIMIT ?`,
  );
  const isNewest = `b.height = (SELECT max(n.height) FROM ${t.balance} n WHERE n.address = b.address AND n.asset = b.asset AND n.part = b.part)`;
  const newestOf = db.prepare<SumsRow & { asset: Uint8Array; part: Uint8Array }>(
    `SELECT asset, part, height, amount, count, nfts FROM ${t.balance} b WHERE address = ? AND ${isNewest}`,
  );
  const utxos = openUtxoTable(db, t, { caching: false, epoch: () => 0 });
  let rows = 0;
  let balances = 0;
  let current: { address: Address; deltas: BalanceDeltas } | undefined;

  const checkCurrentAddress = (): void => {
    if (current === undefined) return;
    const { address } = current;
    const expected = current.deltas.deltas();
    balances += expected.length;
    const stored = newestOf
      .all(addressToBytes(address))
      .map((row) => ({ assetID: toHex(row.asset), part: partFromBytes(row.part), ...toSums(row) }))
      .filter(hasOutputs);
    if (balancesAsText(expected) !== balancesAsText(stored)) addProblem(`balances of ${address} are not the sums of its outputs`);
  };

  const unspentAfter = (last: OwnerRow | undefined, limit: number) =>
    ownersAfter.all(last?.address ?? new Uint8Array(0), last?.shelf ?? 0, last?.seq ?? 0, limit);
  for (const row of readRows<OwnerRow>(unspentAfter)) {
    const address = toHex(row.address) as Address;
    rows++;
    const output = row.spent === null ? parseOrUndefined(() => utxos.findBySeq(row.seq)) : undefined;
    if (output === undefined) {
      addProblem(`${address} owns output ${row.seq}, which is spent or does not exist`);
      continue;
    }
    const { bytes } = output;
    const utxo = parseOrUndefined(() => decodeWithoutChecksum(bytes));
    if (!utxo || ![...ownersOf(utxo)].includes(address) || row.shelf !== unspentShelf(utxo) || row.height !== output.height)
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
  const storedBalances = db
    .prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.balance} b WHERE (count <> 0 OR nfts <> 0) AND ${isNewest}`)
    .get()?.n;
  if (storedBalances !== balances) addProblem(`there are ${storedBalances} balances, there should be ${balances}`);
}

const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean => (a === null || b === null ? a === b : equal(a, b));

const balancesAsText = (balances: readonly (BalanceSums & { readonly assetID: string; readonly part: bigint })[]): string =>
  balances
    .map(({ assetID, part, amount, count, nfts }) => `${assetID} ${part} ${amount} ${count} ${nfts}`)
    .sort()
    .join();
