import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { tablesOf } from '../state/schema.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import { sumFromBytes, sumToBytes } from './output-amount.ts';
import { fetchRows, type Query, type Steps } from './steps.ts';
import { indexTablesOf } from './tables.ts';

/**
 * Migration to version 2 of a chain's tables. Version 1 added NFTs and properties to the amounts and counts of the same asset; version 2
 * has a column for them. A balance may need a row at a height that had none: exchanging an NFT for one unit of the asset changed neither
 * sum. Needs memory for one small entry per NFT output.
 */
export function* separateNfts(chain: number): Steps<void> {
  const t = { ...tablesOf(chain), ...indexTablesOf(chain) };
  const balances = new Map<string, NftBalance>();
  const supplies = new Map<Id, number>();
  const progress = 'SELECT p.height FROM progress p JOIN chain c ON c.id = p.chain WHERE c.number = ?';
  const [indexed] = yield* fetchRows<{ height: number }>([{ text: progress, values: [chain] }]);
  // Blocks that are not indexed yet will be written in the new form.
  if (indexed === undefined) return;
  const { height } = indexed;
  const [last] = yield* fetchRows<{ seq: number | null }>([{ text: `SELECT max(seq) AS seq FROM ${t.utxo}`, values: [] }]);
  for (let from = 0; from <= (last?.seq ?? -1); from += batchSize) {
    const rows = yield* fetchRows<NftRow>([
      {
        text: `SELECT u.height, u.bytes, x.height AS spent FROM ${t.utxo} u
          LEFT JOIN ${t.spend} s ON s.utxo = u.seq LEFT JOIN ${t.tx} x ON x.seq = s.tx AND x.height <= ?
          WHERE u.seq >= ? AND u.seq < ? AND u.height <= ? AND substr(u.bytes, ${typeAt}, 4) IN (?, ?)`,
        values: [height, from, from + batchSize, height, ...nftTypes],
      },
    ]);
    for (const row of rows) addNft(row, balances, supplies);
  }
  for (const [asset, nfts] of supplies) yield yield* supplyUpdate(t.assetStat, asset, nfts);
  for (const balance of balances.values()) yield yield* balanceUpserts(t.balance, balance);
}

/** Outputs per statement: bounds the time of each, however long the chain is. */
const batchSize = 16_384;

/** Position of an output's type id in a stored UTXO, counted from 1 (SQL `substr`), and the type ids; see state/stored-utxo.ts. */
const typeAt = 71;
const nftTypes = [11, 16].map((type) => Uint8Array.of(0, 0, 0, type));

/** `spent`: height of the block that spent it. */
type NftRow = { readonly height: number; readonly bytes: StoredUtxo; readonly spent: number | null };

/** The key of a balance (address, asset, lock time), and the change of its number of NFTs at each height. */
type NftBalance = { readonly key: readonly Uint8Array[]; readonly changes: Map<number, number> };

function addNft({ height, bytes, spent }: NftRow, balances: Map<string, NftBalance>, supplies: Map<Id, number>): void {
  const { assetID, output } = decodeStoredUtxo(bytes);
  if (spent === null) supplies.set(assetID, (supplies.get(assetID) ?? 0) + 1);
  const [owner, ...others] = output.addresses;
  if (owner === undefined || others.length > 0) return;
  const { changes } = balanceOf(balances, owner, assetID, output.locktime);
  changes.set(height, (changes.get(height) ?? 0) + 1);
  if (spent !== null) changes.set(spent, (changes.get(spent) ?? 0) - 1);
}

function balanceOf(balances: Map<string, NftBalance>, owner: Address, asset: Id, locktime: bigint): NftBalance {
  const mapKey = `${owner}${asset}${locktime}`;
  const balance = balances.get(mapKey) ?? { key: [addressToBytes(owner), idToBytes(asset), u64Bytes(locktime)], changes: new Map() };
  balances.set(mapKey, balance);
  return balance;
}

function* supplyUpdate(table: string, asset: Id, nfts: number): Steps<Query[]> {
  const id = idToBytes(asset);
  const [row] = yield* fetchRows<{ supply: Uint8Array }>([{ text: `SELECT supply FROM ${table} WHERE asset = ?`, values: [id] }]);
  if (row === undefined) return [];
  const supply = sumToBytes(sumFromBytes(row.supply) - BigInt(nfts));
  return [{ text: `UPDATE ${table} SET supply = ?, nfts = ? WHERE asset = ?`, values: [supply, nfts, id] }];
}

/** All rows of a balance in the new form: at the heights it has rows, and at those where its number of NFTs changes. */
function* balanceUpserts(table: string, { key, changes }: NftBalance): Steps<Query[]> {
  const rows = yield* fetchRows<{ height: number; amount: Uint8Array; count: number }>([
    {
      text: `SELECT height, amount, count FROM ${table} WHERE address = ? AND asset = ? AND locktime = ? ORDER BY height`,
      values: key,
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
      values: [...key, height, sumToBytes(sum.amount - BigInt(nfts)), sum.count - nfts, nfts],
    };
  });
}
