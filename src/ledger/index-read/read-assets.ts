import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRows, type Steps } from '../index/steps.ts';
import type { IndexTables } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import { type StoredUtxo, storedOwners } from '../state/stored-utxo.ts';
import type { AssetEntry } from './index-reads.ts';

type AssetReads = {
  readonly asset: (id: Id) => Steps<AssetEntry | 'not-an-asset' | undefined>;
  readonly assets: (ids: readonly Id[]) => Steps<ReadonlyMap<Id, AssetEntry>>;
};

export function createAssetReads(t: Tables & IndexTables): AssetReads {
  // LEFT JOIN: an asset from before the indexed history has no stored CreateAsset transaction, and most assets have no mint output.
  const details = keyLookup(
    (keys) => `SELECT a.id, a.fxs, a.name, a.symbol, a.denomination, b.time AS created, s.first, s.last, s.txs, s.supply, s.nfts,
      (SELECT min(f.seq) FROM ${t.minter} f WHERE f.asset = a.id) AS minter, u.bytes AS mint_output
      FROM ${t.asset} a LEFT JOIN ${t.tx} x ON x.id = a.id LEFT JOIN ${t.block} b ON b.height = x.height
      LEFT JOIN ${t.assetStat} s ON s.asset = a.id
      LEFT JOIN ${t.minter} m ON m.asset = a.id AND NOT EXISTS (SELECT 1 FROM ${t.spend} p WHERE p.utxo = m.seq)
      LEFT JOIN ${t.utxo} u ON u.seq = m.seq WHERE a.id IN (${keys})`,
  );
  const isTx = `SELECT 1 AS one FROM ${t.tx} WHERE id = ?`;

  function* assets(ids: readonly Id[]): Steps<ReadonlyMap<Id, AssetEntry>> {
    const rows = yield* fetchRows<AssetRow>(details([...new Set(ids)].map(idToBytes)));
    // One row for each unspent mint output, or one without a mint output.
    const byAsset = Map.groupBy(rows, ({ id }) => toHex(id) as Id);
    return new Map([...byAsset].map(([id, [first, ...more]]) => [id, entryOf(first as AssetRow, mintersOf([first as AssetRow, ...more]))]));
  }

  return {
    assets,
    asset: function* (id) {
      const entry = (yield* assets([id])).get(id);
      if (entry !== undefined) return entry;
      const [row] = yield* fetchRows<object>([{ text: isTx, values: [idToBytes(id)] }]);
      return row === undefined ? undefined : 'not-an-asset';
    },
  };
}

const mintersOf = (rows: readonly AssetRow[]): ReadonlySet<Address> =>
  new Set(rows.flatMap(({ mint_output }) => (mint_output === null ? [] : storedOwners(mint_output))));

function entryOf(row: AssetRow, minters: ReadonlySet<Address>): AssetEntry {
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
    minters: [...minters].sort(),
  };
}

/** `nft` if the asset has an NFT (1) or property (2) fx but no secp256k1 fx (0), by the fx numbers of its initial states. */
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
  readonly mint_output: StoredUtxo | null;
};
