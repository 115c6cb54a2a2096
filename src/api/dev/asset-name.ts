import { type Id, idText, parseId } from '../../base/bytes/id.ts';
import { findNearestName } from '../../base/bytes/nearest-name.ts';
import { unlessFault } from '../../base/fault.ts';
import { DevError } from './fault.ts';

type AssetNames = {
  /** IDs of the genesis assets by alias, for example `AVAX`. */
  readonly assetAliases: ReadonlyMap<string, Id>;
  readonly findAssetsBySymbol: (symbol: string, limit: number) => readonly Id[];
};

/** The most assets that the error about an ambiguous symbol lists. */
const maxListed = 10;

/** The ID of the asset that a text names: an alias, an ID, or a symbol that only one asset has; alias and symbol in any case. */
export function resolveAsset(text: string, { assetAliases, findAssetsBySymbol }: AssetNames): Id {
  const upper = text.toUpperCase();
  const known = assetAliases.get(text) ?? unlessFault(() => parseId(text)) ?? assetAliases.get(upper);
  if (known !== undefined) return known;
  // Symbols are in upper case, except in the genesis of some networks.
  const exact = findAssetsBySymbol(text, maxListed + 1);
  const [first, ...others] = exact.length > 0 ? exact : findAssetsBySymbol(upper, maxListed + 1);
  if (first === undefined) throw unknownAsset(text, findNearestName(text, assetAliases.keys()));
  if (others.length === 0) return first;
  const assetIDs = [first, ...others].slice(0, maxListed).map(idText);
  const count = others.length < maxListed ? String(others.length + 1) : `more than ${maxListed}`;
  throw new DevError(`${count} assets have the symbol ${text}; give the ID of one: ${assetIDs.join(', ')}`, {
    code: 'DEV_AMBIGUOUS_SYMBOL',
    symbol: text,
    assetIDs,
  });
}

export const unknownAsset = (asset: string, didYouMean?: string): DevError =>
  new DevError(`there is no asset ${JSON.stringify(asset)}; give its ID, or the symbol with which it was created`, {
    code: 'DEV_UNKNOWN_ASSET',
    asset,
    didYouMean,
  });
