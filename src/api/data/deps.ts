import { type Address, addressTextSize } from '../../base/bytes/address.ts';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import { memoize } from '../../base/cache/memoize.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';
import { type AssetLabels, createAssetLabels, type FoundLabels } from './asset-labels.ts';
import { JsonBytes } from './json-bytes.ts';
import { createPieceCache, type PieceCache } from './piece-cache.ts';
import { createPublicKeyCache, type PublicKeyCache, type RecoverPublicKey } from './public-key-cache.ts';
import { createRenderContext, type RenderContext } from './render-context.ts';

/** Dependencies of the Data API routes. */
export type DataDeps = {
  readonly served: ServedChains;
  /** Asset labels, cached per chain. */
  readonly assetLabels: (chain: ServedChain) => AssetLabels;
  /** Formats addresses with an HRP and without a chain prefix, since an address is valid on every chain. */
  readonly addressFormatter: (hrp: string) => (address: Address) => string;
  /** What items of a chain are written with. `labels`: the labels of their assets, from the `AssetLabels` of that chain. */
  readonly renderContext: (chain: ServedChain, hrp: string, labels: FoundLabels) => RenderContext;
  /** Public keys of signers; undefined if this server shows signatures only. */
  readonly publicKeys: PublicKeyCache | undefined;
  readonly epoch: () => number;
  readonly pieces: PieceCache;
  /** The buffer that items are written in, one at a time. */
  readonly json: JsonBytes;
  readonly longWork: LongWork | undefined;
};

/**
 * Creates the dependencies. `recover`: returns the public key of a signature; without it responses contain signatures only. `epoch`: the number
 * of times the served chains were reverted. `budget`: that of the cache of rendered transactions, outputs and blocks; by default that of the
 * process. `longWork`: with it, rendering a large page pauses, so that other requests are handled in between.
 */
export function createDataDeps(
  served: ServedChains,
  {
    recover,
    epoch,
    budget,
    longWork,
  }: {
    readonly recover?: RecoverPublicKey | undefined;
    readonly epoch: () => number;
    readonly budget?: CacheBudget | undefined;
    readonly longWork?: LongWork | undefined;
  },
): DataDeps {
  const { hrp, alias } = served.network;
  const cachedFormatter = (prefix: string) =>
    cacheFunction('addressTexts', addressTextSize, (address: Address) => bech32Encode(prefix, fromHex(address)));
  const own = cachedFormatter(hrp);
  const aliased = alias === undefined ? own : cachedFormatter(alias.hrp);
  const addressFormatter = (requested: string) => (requested === alias?.hrp ? aliased : own);
  const publicKeys = recover && createPublicKeyCache(recover);
  return {
    served,
    assetLabels: memoize((chain: ServedChain) => createAssetLabels(chain, served.chains)),
    addressFormatter,
    renderContext: (chain, requested, { labelOf }) =>
      createRenderContext({ chain, labelOf, formatAddress: addressFormatter(requested), publicKeyText: publicKeys?.text }),
    publicKeys,
    epoch,
    pieces: createPieceCache(epoch, budget),
    json: new JsonBytes(),
    longWork,
  };
}
