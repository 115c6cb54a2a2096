import { type Id, idText } from '../../base/bytes/id.ts';
import { processCaches } from '../../base/cache/cache-budget.ts';
import type { AssetName } from '../../ledger/index-read/index-reads.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { type AssetLabel, type LabelOf, renderAssetLabel } from './render-asset.ts';

/** Looks up labels of assets. */
export type AssetLabels = (ids: readonly Id[] | ReadonlySet<Id>) => Promise<FoundLabels>;

/**
 * `isComplete` is false if no chain of this server has one of the assets. The label of such an asset contains only its id, and may change:
 * the asset may be created or backfilled later.
 */
export type FoundLabels = { readonly labelOf: LabelOf; readonly isComplete: boolean };

/** Labels never change, so they are cached. */
export function createAssetLabels(chain: ServedChain, chains: readonly ServedChain[]): AssetLabels {
  let cache = createLabelCache();
  // An imported output can have an asset that was created on another chain of this server.
  const sources = [chain, ...chains.filter((other) => other !== chain)];

  const addToCache = (entry: AssetName): AssetLabel => {
    const label = renderAssetLabel(entry);
    // A new cache: results that were returned before keep their labels.
    if (cache.labels.size * labelSize >= processCaches.bytesOf('assetLabels') / chains.length) cache = createLabelCache();
    cache.labels.set(entry.id, label);
    return label;
  };

  /** Lookups that are under way, by asset: the answers of a page ask for the same assets at nearly the same time. */
  const reading = new Map<Id, Promise<unknown>>();

  const readLabels = async (ids: Iterable<Id>): Promise<FoundLabels> => {
    const labels = new Map<Id, AssetLabel>();
    let missing: Id[] = [];
    for (const id of new Set(ids)) {
      const label = cache.labels.get(id);
      if (label === undefined) missing.push(id);
      else labels.set(id, label);
    }
    const others = missing.flatMap((id) => reading.get(id) ?? []);
    if (others.length > 0) {
      await Promise.allSettled(others);
      return readLabels(ids);
    }
    const lookUp = async (): Promise<void> => {
      for (const { reads } of sources) {
        if (missing.length === 0) break;
        for (const entry of await reads.assetNames(missing)) labels.set(entry.id, addToCache(entry));
        missing = missing.filter((id) => !labels.has(id));
      }
    };
    const asked = missing;
    const lookingUp = lookUp();
    for (const id of asked) reading.set(id, lookingUp);
    try {
      await lookingUp;
    } finally {
      for (const id of asked) reading.delete(id);
    }
    return { labelOf: labelIn(labels), isComplete: missing.length === 0 };
  };

  return async (ids) => {
    for (const id of ids) if (!cache.labels.has(id)) return readLabels(ids);
    return cache.found;
  };
}

/** Labels by asset, and the result for assets that are all among them. */
function createLabelCache(): { readonly labels: Map<Id, AssetLabel>; readonly found: FoundLabels } {
  const labels = new Map<Id, AssetLabel>();
  return { labels, found: { labelOf: labelIn(labels), isComplete: true } };
}

const labelIn =
  (labels: ReadonlyMap<Id, AssetLabel>): LabelOf =>
  (id) =>
    labels.get(id) ?? unknownAssetLabel(id);

/** Bytes of a label, with the texts that are made of it; see `labelStart`. */
const labelSize = 700;

/** Clients require all of these properties. */
const unknownAssetLabel = (id: Id): AssetLabel => ({ assetId: idText(id), name: '', symbol: '', denomination: 0 });
