import type { Address } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import { type Id, idLength, idText, idToBytes } from '../../base/bytes/id.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { PublicKeyText } from './public-key-cache.ts';
import { type AssetLabel, type LabelOf, labelStart } from './render-asset.ts';

/** What the JSON of transactions and outputs of a chain is written with (write-tx.ts, write-output.ts). Made for each page, by `DataDeps.renderContext`. */
export type RenderContext = {
  readonly formatAddress: (address: Address) => string;
  /** Undefined if this server shows signatures only. */
  readonly publicKeyText: PublicKeyText | undefined;
  /** Whether other chains may have imported exports without this server knowing. */
  readonly mayBeImported: boolean;
  readonly chainID: Id;
  /** `chainTexts` of an output that was created and consumed on this chain, as nearly all are. */
  readonly ownChainTexts: string;
  /** The texts of amounts of the asset whose ID is in `bytes` at `at`: one object per asset. */
  readonly assetTexts: (bytes: Uint8Array, at: number) => AssetTexts;
};

/** The JSON of an amount of units, and of NFTs, of an asset, up to the digits. */
export type AssetTexts = { readonly units: Uint8Array; readonly nfts: Uint8Array };

export const createRenderContext = ({
  chain,
  labelOf,
  formatAddress,
  publicKeyText,
}: {
  readonly chain: ServedChain;
  readonly labelOf: LabelOf;
  readonly formatAddress: (address: Address) => string;
  readonly publicKeyText: PublicKeyText | undefined;
}): RenderContext => ({
  formatAddress,
  publicKeyText,
  mayBeImported: chain.foreignImports !== undefined,
  chainID: chain.id,
  ownChainTexts: chainTexts(chain.id, chain.id),
  assetTexts: createAssetTexts(labelOf),
});

/** The JSON of the chains on which an output was created and consumed: two properties, with a comma before and after them. */
export const chainTexts = (createdOn: Id, consumedOn: Id): string =>
  `,"createdOnChainId":"${idText(createdOn)}","consumedOnChainId":"${idText(consumedOn)}",`;

/** Caches the last asset: consecutive outputs nearly always have the same one. */
function createAssetTexts(labelOf: LabelOf): RenderContext['assetTexts'] {
  // The same object for every output of an asset, with or without a known label: sums by asset compare these objects.
  const found = new Map<Id, AssetTexts>();
  let last: { readonly id: Uint8Array; readonly texts: AssetTexts } | undefined;
  return (bytes, at) => {
    if (last === undefined || !hasBytesAt(bytes, at, last.id)) {
      const id = toHexAt(bytes, at, idLength) as Id;
      const texts = found.get(id) ?? textsOf(labelOf(id));
      found.set(id, texts);
      last = { id: idToBytes(id), texts };
    }
    return last.texts;
  };
}

/** Whether the 32 bytes at `at` are those at `from` in `expected`. */
export function hasBytesAt(bytes: Uint8Array, at: number, expected: Uint8Array, from = 0): boolean {
  for (let i = 0; i < idLength; i++) if (bytes[at + i] !== expected[from + i]) return false;
  return true;
}

/** The texts of an asset with this label. Labels are cached for many pages, so their texts are too. */
function textsOf(label: AssetLabel): AssetTexts {
  const cached = textsByLabel.get(label);
  if (cached !== undefined) return cached;
  const start = labelStart(label);
  const made = {
    units: Buffer.from(`${start},"type":"secp256k1","amount":"`),
    nfts: Buffer.from(`${start},"type":"nft","amount":"`),
  };
  textsByLabel.set(label, made);
  return made;
}

const textsByLabel = new WeakMap<AssetLabel, AssetTexts>();
