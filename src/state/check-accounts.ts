import type { Address } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { equal } from '../bytes/octets.ts';
import type { Database } from '../store/database.ts';
import { accountsIn } from './accounts.ts';
import { type Balance, createTally, ownersOf, type Tally } from './balance.ts';
import { type Checking, readable } from './check-walk.ts';
import type { Tables } from './schema.ts';
import { inOwnerRow, parseStored, type StoredUtxo } from './stored-utxo.ts';

type OwnerRow = {
  readonly address: Uint8Array;
  readonly seq: number;
  readonly copy: StoredUtxo | null;
  readonly bytes: StoredUtxo | null;
  readonly spent: number | null;
};

/** Every owner of every unspent output has its row, nobody else has one, and kept balances are the sums of what the rows stand for. */
export function checkAccounts(db: Database, t: Tables, expectedOwners: number, { complain, walk }: Checking): void {
  const ownersAfter = db.prepare<OwnerRow>(
    `SELECT o.address, o.seq, o.bytes AS copy, u.bytes, s.tx AS spent
     FROM ${t.owner} o LEFT JOIN ${t.utxo} u ON u.seq = o.seq LEFT JOIN ${t.spend} s ON s.utxo = o.seq
     WHERE (o.address, o.seq) > (?, ?) ORDER BY o.address, o.seq LIMIT ?`,
  );
  const accounts = accountsIn(db, t);
  let rows = 0;
  let balances = 0;
  let current: { address: Address; tally: Tally } | undefined;

  const settle = (): void => {
    if (current === undefined) return;
    const { address } = current;
    const expected = current.tally.deltas();
    balances += expected.length;
    if (texts(expected) !== texts(accounts.balances(address))) complain(`balances of ${address} are not the sums of its outputs`);
    if (accounts.changed(address) === -1) complain(`${address} owns outputs and was never touched`);
  };

  for (const row of walk<OwnerRow>((last, limit) => ownersAfter.all(last?.address ?? new Uint8Array(0), last?.seq ?? 0, limit))) {
    const address = toHex(row.address) as Address;
    rows++;
    if (row.bytes === null || row.spent !== null) {
      complain(`${address} owns output ${row.seq}, which is spent or not there`);
      continue;
    }
    const { bytes } = row;
    const utxo = readable(() => parseStored(bytes));
    if (!utxo || ![...ownersOf(utxo)].includes(address)) complain(`${address} does not own output ${row.seq}`);
    if (!sameBytes(row.copy, inOwnerRow(bytes))) complain(`the copy of output ${row.seq} at ${address} differs`);
    if (current?.address !== address) {
      settle();
      current = { address, tally: createTally() };
    }
    if (utxo) current.tally.add(utxo, [address]);
  }
  settle();
  if (rows !== expectedOwners) complain(`there are ${rows} owners of outputs, there should be ${expectedOwners}`);
  const kept = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.account} WHERE asset > x''`).get()?.n;
  if (kept !== balances) complain(`there are ${kept} balances, there should be ${balances}`);
}

const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean => (a === null || b === null ? a === b : equal(a, b));

const texts = (balances: readonly Balance[]): string =>
  balances
    .map((b) => `${b.assetID} ${b.locktime} ${b.own} ${b.ownCount} ${b.shared} ${b.sharedCount}`)
    .sort()
    .join();
