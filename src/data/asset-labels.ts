import type { ServedChain } from '../api/served-chains.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { AssetEntry } from '../index-read/index-reads.ts';
import { type AssetLabel, type LabelOf, renderAssetLabel } from './render-asset.ts';

/** Looks up labels of assets. The label of an asset that no chain of this server has contains only its id. */
export type AssetLabels = (ids: Iterable<Id>) => Promise<LabelOf>;

/** Labels never change, so they are cached. */
export function createAssetLabels(chain: ServedChain, chains: readonly ServedChain[]): AssetLabels {
  const cache = new Map<Id, AssetLabel>();
  // An imported output can have an asset that was created on another chain of this server.
  const sources = [chain, ...chains.filter((other) => other !== chain)];

  const addToCache = (entry: AssetEntry): AssetLabel => {
    const label = renderAssetLabel(entry);
    if (cache.size >= maxCachedLabels) cache.clear();
    cache.set(entry.id, label);
    return label;
  };

  return async (ids) => {
    const labels = new Map<Id, AssetLabel>();
    let missing: Id[] = [];
    for (const id of new Set(ids)) {
      const label = cache.get(id);
      if (label === undefined) missing.push(id);
      else labels.set(id, label);
    }
    for (const { reads } of sources) {
      if (missing.length === 0) break;
      for (const entry of (await reads.assets(missing)).values()) labels.set(entry.id, addToCache(entry));
      missing = missing.filter((id) => !labels.has(id));
    }
    return (id) => labels.get(id) ?? unknownAssetLabel(id);
  };
}

const maxCachedLabels = 8192;

/** Clients require all of these properties. */
const unknownAssetLabel = (id: Id): AssetLabel => ({ assetId: idText(id), name: '', symbol: '', denomination: 0 });
