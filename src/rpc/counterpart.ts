import { type Id, idText, zeroId } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import type { AddressSpace } from './address-text.ts';
import { methods, row } from './method.ts';
import { idParam, noParams, obj } from './params.ts';
import { queryUtxos, type UtxoSource, utxoParams } from './utxo-query.ts';

/**
 * P and C as seen from X: chains that hold an identity, a height and the memory they share with X. They run no transactions here;
 * they answer what clients ask of them on the way to X and say so for everything else.
 */
export type CounterpartDeps = {
  readonly space: AddressSpace;
  /** What other chains exported to this one. */
  readonly utxos: UtxoSource;
  readonly height: () => bigint;
};

export type PlatformDeps = CounterpartDeps & {
  readonly gas: GasConfig;
  /** The chain's time: its genesis, since nothing happens on it. RFC 3339. */
  readonly time: string;
  /** AVAX. */
  readonly stakingAsset: Id;
};

/** The P-Chain's fee parameters under their public names. */
export type GasConfig = {
  readonly weights: readonly bigint[];
  readonly maxCapacity: bigint;
  readonly maxPerSecond: bigint;
  readonly targetPerSecond: bigint;
  readonly minPrice: bigint;
  readonly excessConversionConstant: bigint;
};

/** Peer: vms/platformvm/service.go. No transaction ever ran, so nothing was consumed and the price is the lowest. */
export const platform = methods<PlatformDeps>()({
  getFeeConfig: row(noParams, ({ gas }) => ({
    weights: gas.weights,
    maxCapacity: gas.maxCapacity,
    maxPerSecond: gas.maxPerSecond,
    targetPerSecond: gas.targetPerSecond,
    minPrice: gas.minPrice,
    excessConversionConstant: gas.excessConversionConstant,
  })),
  getFeeState: row(noParams, ({ gas, time }) => ({ capacity: 0, excess: 0, price: gas.minPrice, timestamp: time })),
  getHeight: row(noParams, ({ height }) => ({ height: height().toString() })),
  getStakingAssetID: row(obj({ subnetID: idParam }), ({ stakingAsset }, { subnetID }) => {
    if (subnetID !== zeroId) throw noTransformation(idText(subnetID));
    return { assetID: idText(stakingAsset) };
  }),
  getUTXOs: row(utxoParams, ({ space, utxos }, params) => queryUtxos(params, space, utxos)),
});

/** Peer: the `avax` service of the C-Chain. */
export const avax = methods<CounterpartDeps>()({
  getUTXOs: row(utxoParams, ({ space, utxos }, params) => queryUtxos(params, space, utxos)),
});

export const notRun = (chain: string, method: string) =>
  new CounterpartError(
    `${method} is not available: Serac does not run the ${chain}-Chain, it only keeps the memory it shares with the X-Chain`,
    {
      code: 'COUNTERPART_NOT_RUN',
      chain,
      method,
    },
  );

/** Nothing happens on the P-Chain here, so the primary network is the only subnet with staking. */
const noTransformation = (subnetID: string) =>
  new CounterpartError(`failed fetching subnet transformation for ${subnetID}: not found`, {
    code: 'COUNTERPART_UNKNOWN_SUBNET',
    subnetID,
  });

export type CounterpartFault =
  | { code: 'COUNTERPART_NOT_RUN'; chain: string; method: string }
  | { code: 'COUNTERPART_UNKNOWN_SUBNET'; subnetID: string };
export class CounterpartError extends Fault<CounterpartFault> {}
