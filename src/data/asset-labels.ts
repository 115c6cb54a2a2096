import type { ServedChain } from '../api/served.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { AssetEntry } from '../index-read/index-reads.ts';
import { type AssetLabel, assetLabel, type LabelOf } from './render-asset.ts';

/** Labels for some assets. Of an asset that no chain of this server knows, only the id is told. */
export type AssetLabels = (ids: Iterable<Id>) => Promise<LabelOf>;

/** A label never changes, so it is asked for once. */
export function createAssetLabels(chain: ServedChain, chains: readonly ServedChain[]): AssetLabels {
  const remembered = new Map<Id, AssetLabel>();
  // An export may come from a chain beside this one, with an asset that was made there.
  const sources = [chain, ...chains.filter((other) => other !== chain)];

  const remember = (entry: AssetEntry): AssetLabel => {
    const label = assetLabel(entry);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(entry.id, label);
    return label;
  };

  return async (ids) => {
    const labels = new Map<Id, AssetLabel>();
    let missing: Id[] = [];
    for (const id of new Set(ids)) {
      const label = remembered.get(id);
      if (label === undefined) missing.push(id);
      else labels.set(id, label);
    }
    for (const { reads } of sources) {
      if (missing.length === 0) break;
      for (const entry of (await reads.assets(missing)).values()) labels.set(entry.id, remember(entry));
      missing = missing.filter((id) => !labels.has(id));
    }
    return (id) => labels.get(id) ?? nameless(id);
  };
}

const maxRemembered = 8192;

/** Clients insist on these properties. */
const nameless = (id: Id): AssetLabel => ({ assetId: idText(id), name: '', symbol: '', denomination: 0 });
