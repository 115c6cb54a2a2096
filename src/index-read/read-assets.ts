import type { Address } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { lookup } from '../index/batch.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { ask, askTogether, type Steps } from '../index/steps.ts';
import type { IndexTables } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import { type StoredUtxo, storedOwners } from '../state/stored-utxo.ts';
import type { AssetEntry } from './index-reads.ts';

export type AssetReads = {
  readonly asset: (id: Id) => Steps<AssetEntry | 'not-an-asset' | undefined>;
  readonly assets: (ids: readonly Id[]) => Steps<ReadonlyMap<Id, AssetEntry>>;
};

export function assetReads(t: Tables & IndexTables): AssetReads {
  // An asset older than the history this server has comes without the transaction that made it.
  const details = lookup(
    (keys) => `SELECT a.id, a.fxs, a.name, a.symbol, a.denomination, b.time AS created, s.first, s.last, s.txs, s.supply, s.nfts,
      (SELECT min(m.seq) FROM ${t.minter} m WHERE m.asset = a.id) AS minter
      FROM ${t.asset} a LEFT JOIN ${t.tx} x ON x.id = a.id LEFT JOIN ${t.block} b ON b.height = x.height
      LEFT JOIN ${t.assetStat} s ON s.asset = a.id WHERE a.id IN (${keys})`,
  );
  const minters = lookup(
    (keys) => `SELECT m.asset, u.bytes FROM ${t.minter} m JOIN ${t.utxo} u ON u.seq = m.seq
      WHERE m.asset IN (${keys}) AND NOT EXISTS (SELECT 1 FROM ${t.spend} s WHERE s.utxo = m.seq)`,
  );
  const isTx = `SELECT 1 AS one FROM ${t.tx} WHERE id = ?`;

  function* assets(ids: readonly Id[]): Steps<ReadonlyMap<Id, AssetEntry>> {
    const keys = [...new Set(ids)].map(idToBytes);
    const rows = yield* askTogether({ details: details(keys), minters: minters(keys) });
    const able = new Map<string, Set<Address>>();
    for (const { asset, bytes } of rows.minters as { asset: Uint8Array; bytes: StoredUtxo }[]) {
      const id = toHex(asset);
      const known = able.get(id) ?? new Set<Address>();
      for (const address of storedOwners(bytes)) known.add(address);
      able.set(id, known);
    }
    const entries = (rows.details as AssetRow[]).map((row) => entryOf(row, able.get(toHex(row.id))));
    return new Map(entries.map((entry) => [entry.id, entry]));
  }

  return {
    assets,
    asset: function* (id) {
      const entry = (yield* assets([id])).get(id);
      if (entry !== undefined) return entry;
      const [row] = yield* ask<object>([{ text: isTx, values: [idToBytes(id)] }]);
      return row === undefined ? undefined : 'not-an-asset';
    },
  };
}

function entryOf(row: AssetRow, minters: ReadonlySet<Address> | undefined): AssetEntry {
  const createdTime = row.created ?? row.first ?? 0;
  return {
    id: toHex(row.id) as Id,
    name: Buffer.from(row.name).toString('utf8'),
    symbol: Buffer.from(row.symbol).toString('utf8'),
    denomination: row.denomination,
    type: typeOf(row.fxs.split(' ')),
    cap: row.minter === null ? 'fixed' : 'variable',
    createdTime,
    firstTime: row.first ?? createdTime,
    lastTime: row.last ?? createdTime,
    txs: row.txs ?? 0,
    supply: row.supply === null ? 0n : sumFromBytes(row.supply),
    nfts: row.nfts ?? 0,
    minters: [...(minters ?? [])].sort(),
  };
}

/** Numbers of the feature extensions as initial states name them; an asset that also has amounts is one of amounts, properties are single things. */
const typeOf = (fxs: readonly string[]): AssetEntry['type'] =>
  !fxs.includes('0') && (fxs.includes('1') || fxs.includes('2')) ? 'nft' : 'secp256k1';

type AssetRow = {
  readonly id: Uint8Array;
  readonly fxs: string;
  readonly name: Uint8Array;
  readonly symbol: Uint8Array;
  readonly denomination: number;
  readonly created: number | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly txs: number | null;
  readonly supply: Uint8Array | null;
  readonly nfts: number | null;
  readonly minter: number | null;
};
