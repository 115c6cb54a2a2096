import type { Served, ServedChain } from '../api/served.ts';
import type { Address } from '../bytes/address.ts';
import { bech32Encode } from '../bytes/bech32.ts';
import { fromHex } from '../bytes/hex.ts';
import { memoize } from '../bytes/memoize.ts';
import { type AssetLabels, createAssetLabels } from './asset-labels.ts';
import type { KeyText, RecoverPublicKey } from './render-credential.ts';
import { createSignerKeys } from './signer-keys.ts';

/** What the rows of the Data interface work with. */
export type DataDeps = {
  readonly served: Served;
  /** Texts that never change, remembered per chain. */
  readonly labels: (chain: ServedChain) => AssetLabels;
  /** An address as answers spell it, by what it begins with: no chain before it, since the same one is good on every chain. */
  readonly addressIn: (hrp: string) => (address: Address) => string;
  readonly keyText: KeyText | undefined;
};

/** `recover` tells whose signature it is; without it answers show signatures only. */
export function dataDeps(served: Served, recover?: RecoverPublicKey): DataDeps {
  const { hrp, alias } = served.network;
  const spelt = (prefix: string) => memoize(rememberedAddresses, (address: Address) => bech32Encode(prefix, fromHex(address)));
  const own = spelt(hrp);
  const aliased = alias === undefined ? own : spelt(alias.hrp);
  return {
    served,
    labels: memoize(served.chains.length, (chain: ServedChain) => createAssetLabels(chain, served.chains)),
    addressIn: (wanted) => (alias !== undefined && wanted === alias.hrp ? aliased : own),
    keyText: recover && createSignerKeys(recover),
  };
}

const rememberedAddresses = 65_536;
