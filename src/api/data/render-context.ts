import type { Address } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import { type Id, idLength, idText, idToBytes } from '../../base/bytes/id.ts';
import { maxIdText } from '../../base/bytes/id-text.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { AddressTexts } from './address-texts.ts';
import type { FoundLabels } from './asset-labels.ts';
import type { PublicKeyText } from './public-key-cache.ts';
import { type AssetLabel, type LabelOf, labelStart } from './render-asset.ts';

/** What transactions and outputs of a chain are written with. */
export type RenderContext = HrpContext & {
  readonly labelOf: LabelOf;
  /** Whether other chains may have imported exports without this server knowing. */
  readonly mayBeImported: boolean;
  readonly chainID: Id;
  /** See `chainTexts`: of outputs that were created and consumed on this chain. */
  readonly chains: Uint8Array;
  /** From the end of the only owner, with threshold 1 and lock time 0, to the end of `chains`. */
  readonly singleOwnerEnd: Uint8Array;
  /** The ID of the last block that was written, and the first `size` bytes of `text`: its CB58 text. */
  readonly lastBlock: { id: Uint8Array; readonly text: Uint8Array; size: number };
  /** The texts of amounts of the asset whose ID is in `bytes` at `at`: one object per asset. */
  readonly assetTexts: (bytes: Uint8Array, at: number) => AssetTexts;
};

/** Everything in a context that depends on the address prefix (HRP) only. The same HRP gives the same `formatAddress`. */
type HrpContext = {
  readonly formatAddress: (address: Address) => string;
  readonly addressTexts: AddressTexts;
  readonly publicKeyText: PublicKeyText | undefined;
  /** Public keys by owner: those that are cached as bytes. */
  readonly keyTexts: AddressTexts | undefined;
};

/** The JSON of an amount of units, and of NFTs, up to the number. `output`: that of units after the time of a transfer output. */
export type AssetTexts = { readonly units: Uint8Array; readonly nfts: Uint8Array; readonly output: Uint8Array };

/** Returns what items of a chain are written with. `labels`: the labels of their assets, from the `AssetLabels` of that chain. */
export type RenderContexts = (chain: ServedChain, hrp: string, labels: FoundLabels) => RenderContext;

/** Reuses the context of cached labels: making one takes as long as writing an output. There is one per chain and HRP. */
export function createRenderContexts(contextOf: (hrp: string) => HrpContext): RenderContexts {
  const reused = new WeakMap<FoundLabels, Map<HrpContext['formatAddress'], RenderContext>>();
  return (chain, hrp, labels) => {
    const ofHrp = contextOf(hrp);
    const cached = reused.get(labels)?.get(ofHrp.formatAddress);
    if (cached !== undefined) return cached;
    const made = createContext(ofHrp, chain, labels);
    const contexts = reused.get(labels) ?? new Map();
    reused.set(labels, contexts.set(ofHrp.formatAddress, made));
    return made;
  };
}

function createContext(ofHrp: HrpContext, { id: chainID, foreignImports }: ServedChain, { labelOf }: FoundLabels): RenderContext {
  const chains = chainTexts(chainID, chainID);
  return {
    ...ofHrp,
    labelOf,
    mayBeImported: foreignImports !== undefined,
    chainID,
    chains: Buffer.from(chains),
    singleOwnerEnd: Buffer.from(`"],"threshold":1,"locktime":0${chains}`),
    lastBlock: { id: new Uint8Array(idLength), text: new Uint8Array(maxIdText), size: 0 },
    assetTexts: createAssetTexts(labelOf),
  };
}

/** The chains of an output, as properties with a comma before and after them. */
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

/** Labels are cached, so their texts are too. */
function textsOf(label: AssetLabel): AssetTexts {
  const cached = textsByLabel.get(label);
  if (cached !== undefined) return cached;
  const start = labelStart(label);
  const units = `${start},"type":"secp256k1","amount":"`;
  const made = {
    units: Buffer.from(units),
    nfts: Buffer.from(`${start},"type":"nft","amount":"`),
    output: Buffer.from(`,"utxoType":"transfer","asset":${units}`),
  };
  textsByLabel.set(label, made);
  return made;
}

const textsByLabel = new WeakMap<AssetLabel, AssetTexts>();
