import { type Address, addressToBytes } from '../bytes/address.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { u64Bytes } from '../bytes/octets.ts';
import { tablesOf } from '../state/schema.ts';
import { restored, type StoredUtxo } from '../state/stored-utxo.ts';
import { sumFromBytes, sumToBytes } from './output-amount.ts';
import { ask, type Query, type Steps } from './steps.ts';
import { indexTablesOf } from './tables.ts';

/**
 * Version 2 of a chain's tables: version 1 added NFTs and properties to amounts and counts of the same asset, here they get a column of
 * their own. A balance may need a row at a height that had none: giving away an NFT for one unit changed neither sum. Keeps one small entry
 * for each NFT output in memory.
 */
export function* separateNfts(chain: number): Steps<void> {
  const t = { ...tablesOf(chain), ...indexTablesOf(chain) };
  const balances = new Map<string, Balance>();
  const supplies = new Map<Id, number>();
  const progress = 'SELECT p.height FROM progress p JOIN chain c ON c.id = p.chain WHERE c.number = ?';
  const [indexed] = yield* ask<{ height: number }>([{ text: progress, values: [chain] }]);
  // Blocks that the index lacks are written later, as this version writes them.
  if (indexed === undefined) return;
  const { height } = indexed;
  const [last] = yield* ask<{ seq: number | null }>([{ text: `SELECT max(seq) AS seq FROM ${t.utxo}`, values: [] }]);
  for (let from = 0; from <= (last?.seq ?? -1); from += rowsAtOnce) {
    const rows = yield* ask<NftRow>([
      {
        text: `SELECT u.height, u.bytes, x.height AS spent FROM ${t.utxo} u
          LEFT JOIN ${t.spend} s ON s.utxo = u.seq LEFT JOIN ${t.tx} x ON x.seq = s.tx AND x.height <= ?
          WHERE u.seq >= ? AND u.seq < ? AND u.height <= ? AND substr(u.bytes, ${typeAt}, 4) IN (?, ?)`,
        values: [height, from, from + rowsAtOnce, height, ...nftTypes],
      },
    ]);
    for (const row of rows) note(row, balances, supplies);
  }
  for (const [asset, nfts] of supplies) yield* ask(yield* supplyUpdate(t.assetStat, asset, nfts));
  for (const balance of balances.values()) yield* ask(yield* balanceUpserts(t.balance, balance));
}

/** Outputs of one statement: each of them ends in its time however long the chain is. */
const rowsAtOnce = 16_384;

/** Where the type of an output stands in a stored UTXO, counted from 1, and the types; see state/stored-utxo.ts. */
const typeAt = 71;
const nftTypes = [11, 16].map((type) => Uint8Array.of(0, 0, 0, type));

type NftRow = { readonly height: number; readonly bytes: StoredUtxo; readonly spent: number | null };

/** A balance by its name, and by how much its NFTs change at each height. */
type Balance = { readonly name: readonly Uint8Array[]; readonly changes: Map<number, number> };

function note({ height, bytes, spent }: NftRow, balances: Map<string, Balance>, supplies: Map<Id, number>): void {
  const { assetID, output } = restored(bytes);
  if (spent === null) supplies.set(assetID, (supplies.get(assetID) ?? 0) + 1);
  const [owner, ...others] = output.addresses;
  if (owner === undefined || others.length > 0) return;
  const { changes } = balanceOf(balances, owner, assetID, output.locktime);
  changes.set(height, (changes.get(height) ?? 0) + 1);
  if (spent !== null) changes.set(spent, (changes.get(spent) ?? 0) - 1);
}

function balanceOf(balances: Map<string, Balance>, owner: Address, asset: Id, locktime: bigint): Balance {
  const key = `${owner}${asset}${locktime}`;
  const known = balances.get(key) ?? { name: [addressToBytes(owner), idToBytes(asset), u64Bytes(locktime)], changes: new Map() };
  balances.set(key, known);
  return known;
}

function* supplyUpdate(table: string, asset: Id, nfts: number): Steps<Query[]> {
  const id = idToBytes(asset);
  const [row] = yield* ask<{ supply: Uint8Array }>([{ text: `SELECT supply FROM ${table} WHERE asset = ?`, values: [id] }]);
  if (row === undefined) return [];
  const supply = sumToBytes(sumFromBytes(row.supply) - BigInt(nfts));
  return [{ text: `UPDATE ${table} SET supply = ?, nfts = ? WHERE asset = ?`, values: [supply, nfts, id] }];
}

/** Every row of a balance as it should be: at the heights it has, and where its NFTs change. */
function* balanceUpserts(table: string, { name, changes }: Balance): Steps<Query[]> {
  const rows = yield* ask<{ height: number; amount: Uint8Array; count: number }>([
    {
      text: `SELECT height, amount, count FROM ${table} WHERE address = ? AND asset = ? AND locktime = ? ORDER BY height`,
      values: name,
    },
  ]);
  const sums = new Map(rows.map(({ height, amount, count }) => [height, { amount: sumFromBytes(amount), count }]));
  const changed = [...changes].filter(([, change]) => change !== 0).map(([height]) => height);
  const heights = [...new Set([...sums.keys(), ...changed])].sort((a, b) => a - b);
  let sum = { amount: 0n, count: 0 };
  let nfts = 0;
  return heights.map((height): Query => {
    sum = sums.get(height) ?? sum;
    nfts += changes.get(height) ?? 0;
    return {
      text: `INSERT INTO ${table}(address, asset, locktime, height, amount, count, nfts) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (address, asset, locktime, height) DO UPDATE SET amount = excluded.amount, count = excluded.count, nfts = excluded.nfts`,
      values: [...name, height, sumToBytes(sum.amount - BigInt(nfts)), sum.count - nfts, nfts],
    };
  });
}
