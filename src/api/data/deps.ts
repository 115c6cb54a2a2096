import { type Address, addressTextSize } from '../../base/bytes/address.ts';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import { memoize } from '../../base/cache/memoize.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';
import { AddressTexts } from './address-texts.ts';
import { type AssetLabels, createAssetLabels } from './asset-labels.ts';
import { JsonBytes } from './json-bytes.ts';
import { createPieceCache, type PieceCache } from './piece-cache.ts';
import { createPublicKeyCache, type PublicKeyCache, type RecoverPublicKey } from './public-key-cache.ts';
import { createRenderContexts, type RenderContexts } from './render-context.ts';

/** Dependencies of the Data API routes. */
export type DataDeps = {
  readonly served: ServedChains;
  /** Asset labels, cached per chain. */
  readonly assetLabels: (chain: ServedChain) => AssetLabels;
  /** Formats addresses with an HRP and without a chain prefix, since an address is valid on every chain. */
  readonly addressFormatter: (hrp: string) => (address: Address) => string;
  readonly renderContext: RenderContexts;
  /** Public keys of signers; undefined if this server shows signatures only. */
  readonly publicKeys: PublicKeyCache | undefined;
  readonly epoch: () => number;
  readonly pieces: PieceCache;
  /** The buffer that items are written in, one at a time. */
  readonly json: JsonBytes;
  readonly longWork: LongWork | undefined;
};

type DataOptions = {
  /** Returns the public key of a signature; without it responses contain signatures only. */
  readonly recover?: RecoverPublicKey | undefined;
  /** The number of times the served chains were reverted. */
  readonly epoch: () => number;
  /** The budget of the cache of rendered transactions, outputs and blocks; by default that of the process. */
  readonly budget?: CacheBudget | undefined;
  /** With it, rendering a large page pauses, so that other requests are handled in between. */
  readonly longWork?: LongWork | undefined;
};

export function createDataDeps(served: ServedChains, { recover, epoch, budget, longWork }: DataOptions): DataDeps {
  const { hrp, alias } = served.network;
  const cachedFormatter = (prefix: string) =>
    cacheFunction('addressTexts', addressTextSize, (address: Address) => bech32Encode(prefix, fromHex(address)));
  const own = cachedFormatter(hrp);
  const aliased = alias === undefined ? own : cachedFormatter(alias.hrp);
  const publicKeys = recover && createPublicKeyCache(recover);
  const ownContext = { formatAddress: own, publicKeyText: publicKeys?.text, addressTexts: new AddressTexts(), keyTexts: publicKeys?.texts };
  const aliasedContext = alias === undefined ? ownContext : { ...ownContext, formatAddress: aliased, addressTexts: new AddressTexts() };
  const isAlias = (requested: string): boolean => alias !== undefined && requested === alias.hrp;
  return {
    served,
    assetLabels: memoize((chain: ServedChain) => createAssetLabels(chain, served.chains)),
    addressFormatter: (requested) => (isAlias(requested) ? aliased : own),
    renderContext: createRenderContexts((requested) => (isAlias(requested) ? aliasedContext : ownContext)),
    publicKeys,
    epoch,
    pieces: createPieceCache(epoch, budget),
    json: new JsonBytes(),
    longWork,
  };
}
