import type { Tx, Utxo } from '../../api/contract/answers.ts';

/** `change`: of outputs that the address owns alone, as its balance counts them. `shared`: of those that it owns with others. */
export type AssetChange = { readonly change: bigint; readonly shared: bigint; readonly asset: Utxo['asset'] };

/** What a transaction changes for an address, by asset. Rights to mint are not counted. */
export function changesOf(tx: Tx, address: string): AssetChange[] {
  const bare = address.slice(address.indexOf('-') + 1);
  const sums = new Map<string, { change: bigint; shared: bigint; asset: Utxo['asset'] }>();
  const add = (utxos: readonly Utxo[], sign: bigint): void => {
    for (const { addresses, asset, utxoType } of utxos) {
      if (utxoType !== 'transfer' || !addresses.includes(bare)) continue;
      const key = `${asset.assetId} ${asset.type}`;
      const sum = sums.get(key) ?? { change: 0n, shared: 0n, asset };
      sum[addresses.length === 1 ? 'change' : 'shared'] += sign * BigInt(asset.amount);
      sums.set(key, sum);
    }
  };
  // An imported output was on another chain before, and an exported one is no longer on this chain.
  const isLocal = ({ consumedOnChainId, createdOnChainId }: Utxo): boolean => consumedOnChainId === createdOnChainId;
  add(tx.consumedUtxos.filter(isLocal), -1n);
  add(tx.emittedUtxos.filter(isLocal), 1n);
  return [...sums.values()].filter(({ change, shared }) => change !== 0n || shared !== 0n);
}

/** Whether an address gets something, or gives it. What it owns with others counts if nothing else changes. */
export const isGain = ({ change, shared }: AssetChange): boolean => (change === 0n ? shared : change) > 0n;
