import type { Tx, Utxo } from '../../api/contract/answers.ts';

export type AssetChange = { readonly change: bigint; readonly asset: Utxo['asset'] };

/** What a transaction changes for an address, by asset. Outputs with several owners count if it is one of them. */
export function changesOf(tx: Tx, address: string): AssetChange[] {
  const bare = address.slice(address.indexOf('-') + 1);
  const sums = new Map<string, { change: bigint; asset: Utxo['asset'] }>();
  const add = (utxos: readonly Utxo[], sign: bigint): void => {
    for (const { addresses, asset } of utxos) {
      if (!addresses.includes(bare)) continue;
      const key = `${asset.assetId} ${asset.type}`;
      const sum = sums.get(key) ?? { change: 0n, asset };
      sum.change += sign * BigInt(asset.amount);
      sums.set(key, sum);
    }
  };
  // An imported output was on another chain before, and an exported one is no longer on this chain.
  const isLocal = ({ consumedOnChainId, createdOnChainId }: Utxo): boolean => consumedOnChainId === createdOnChainId;
  add(tx.consumedUtxos.filter(isLocal), -1n);
  add(tx.emittedUtxos.filter(isLocal), 1n);
  return [...sums.values()].filter(({ change }) => change !== 0n);
}
