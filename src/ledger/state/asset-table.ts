import type { Tx } from '../../avm/tx/tx.ts';
import { type Asset, assetOf } from '../../avm/view.ts';
import { type Id, idFromBytes, idToBytes } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import type { Database, SqlValue } from '../store/database.ts';
import type { Tables } from './schema.ts';

/** Name, symbol and denomination of an asset, from the transaction that created it. */
type AssetMetadata = { readonly name: Uint8Array; readonly symbol: Uint8Array; readonly denomination: number };

export type AssetReads = {
  readonly description: (assetID: Id) => AssetMetadata | 'not-an-asset' | undefined;
  /** At most `limit` assets with this symbol, in the order of their IDs. Reads the names of all assets. */
  readonly findAssetsBySymbol: (symbol: string, limit: number) => readonly Id[];
};

/** Opens the assets of a chain. `hasTx` says whether a transaction, of any kind, is accepted. */
export function openAssetTable(db: Database, t: Tables, epoch: () => number, hasTx: (id: Id) => boolean) {
  const byId = db.prepare<AssetMetadata & { readonly fxs: string }>(`SELECT fxs, name, symbol, denomination FROM ${t.asset} WHERE id = ?`);
  const bySymbol = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.asset} WHERE symbol = ? ORDER BY id LIMIT ?`);
  const insert = db.prepare(`INSERT INTO ${t.asset} VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const cache = createCache<Id, Asset>('assets', { size: assetSize, version: epoch });
  const notAnAsset = (id: Id) => (hasTx(id) ? 'not-an-asset' : undefined);
  return {
    asset: (id: Id): Asset | 'not-an-asset' | undefined => {
      const cached = cache.get(id);
      if (cached !== undefined) return cached;
      const madeAt = cache.version();
      const row = byId.get(idToBytes(id));
      if (row === undefined) return notAnAsset(id);
      const asset = { id, fxs: fxsFromText(row.fxs) };
      cache.set(id, asset, madeAt);
      return asset;
    },
    description: (id: Id): ReturnType<AssetReads['description']> => {
      const row = byId.get(idToBytes(id));
      return row === undefined ? notAnAsset(id) : { name: row.name, symbol: row.symbol, denomination: row.denomination };
    },
    findAssetsBySymbol: (symbol: string, limit: number) => bySymbol.all(Buffer.from(symbol), limit).map(({ id }) => idFromBytes(id)),
    /** Adds the asset that a transaction creates, if it creates one and the asset was not copied from another node before. */
    insert: (tx: Tx): void => {
      const row = assetRow(tx);
      if (row !== undefined) insert.run(...row);
    },
  };
}

/** Bytes in memory of a cached asset. */
const assetSize = 350;

/** Values of the columns of the asset that a transaction creates; undefined if it creates none. */
export function assetRow(tx: Tx): SqlValue[] | undefined {
  const asset = assetOf(tx);
  if (asset === 'not-an-asset' || tx.unsigned.kind !== 'CreateAssetTx') return undefined;
  const { name, symbol, denomination } = tx.unsigned;
  return [idToBytes(tx.id), asset.fxs.join(' '), name, symbol, denomination];
}

/** The numbers of the feature extensions of an asset, from their column. */
export const fxsFromText = (text: string): number[] => text.split(' ').filter(Boolean).map(Number);
