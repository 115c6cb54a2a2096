import type { GasConfig } from '../../avm/network.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { avaxRows, platformRows } from '../contract/counterpart-methods.ts';
import type { AddressFormat } from './address-format.ts';
import type { CounterpartFault } from './fault.ts';
import { implement } from './method.ts';
import { queryUtxos, type ReadUtxoPage } from './utxo-query.ts';

/**
 * The P-Chain and C-Chain, of which Serac has only the ID, the height and the shared memory with the X-Chain. They run no transactions.
 * They serve the methods that X-Chain clients call on them; every other method is an error that says so.
 */
type CounterpartDeps = {
  readonly addressFormat: AddressFormat;
  /** UTXOs that other chains exported to this one. */
  readonly utxos: ReadUtxoPage;
  readonly height: () => bigint;
};

/** AvalancheGo: vms/platformvm/service.go. No transaction has run, so no gas was consumed and the price is the minimum. */
export const platformMethods = implement<
  CounterpartDeps & {
    readonly gas: GasConfig;
    /** The chain time in RFC 3339. It stays the genesis time, since the chain runs no transactions. */
    readonly time: string;
    /** AVAX. */
    readonly stakingAsset: Id;
  }
>()(platformRows, {
  getFeeConfig: async ({ gas }) => ({
    weights: gas.weights,
    maxCapacity: gas.maxCapacity,
    maxPerSecond: gas.maxPerSecond,
    targetPerSecond: gas.targetPerSecond,
    minPrice: gas.minPrice,
    excessConversionConstant: gas.excessConversionConstant,
  }),
  getFeeState: async ({ gas, time }) => ({ capacity: 0, excess: 0, price: gas.minPrice, timestamp: time }),
  getHeight: async ({ height }) => ({ height: height().toString() }),
  getStakingAssetID: async ({ stakingAsset }, { subnetID }) => {
    if (subnetID !== zeroId) throw unknownSubnetError(idText(subnetID));
    return { assetID: idText(stakingAsset) };
  },
  getUTXOs: async ({ addressFormat, utxos }, params) => queryUtxos(params, addressFormat, utxos),
});

/** AvalancheGo: the `avax` service of the C-Chain, coreth plugin/evm/atomic/vm/api.go. */
export const avaxMethods = implement<CounterpartDeps>()(avaxRows, {
  getUTXOs: async ({ addressFormat, utxos }, params) => queryUtxos(params, addressFormat, utxos),
});

export const chainNotRunError = (chain: string, method: string) =>
  new CounterpartError(
    `${method} is not available: Serac does not run the ${chain}-Chain, it only keeps the memory it shares with the X-Chain`,
    {
      code: 'COUNTERPART_NOT_RUN',
      chain,
      method,
    },
  );

/** The P-Chain runs no transactions, so the primary network is the only subnet with staking. */
const unknownSubnetError = (subnetID: string) =>
  new CounterpartError(`failed fetching subnet transformation for ${subnetID}: not found`, {
    code: 'COUNTERPART_UNKNOWN_SUBNET',
    subnetID,
  });

class CounterpartError extends Fault<CounterpartFault> {}
