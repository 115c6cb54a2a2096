import type { Id } from '../../base/bytes/id.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { type AssetType, assetTypeOf, isMintOutput, listedAmount } from '../../ledger/index/output-amount.ts';
import type { Holdings, OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { isTransfer, storedAmount, storedAsset, storedLocktime, verifyStoredUtxo } from '../../ledger/state/stored-utxo.ts';

/** Balances by asset and type, in the four parts of the Data API. The fee asset comes first, the others are sorted by id. */
export type AddressBalances = {
  readonly unlocked: readonly AssetBalance[];
  readonly locked: readonly AssetBalance[];
  readonly atomicMemoryUnlocked: readonly AssetBalance[];
  readonly atomicMemoryLocked: readonly AssetBalance[];
};

/** `sharedWith` is the chain that can import an exported amount. */
export type AssetBalance = {
  readonly asset: Id;
  readonly type: AssetType;
  readonly sharedWith: Id | undefined;
  readonly amount: bigint;
  readonly count: number;
};

/**
 * Sums holdings that were read with the same `now`. Outputs with a lock time after `now` (Unix seconds) are locked. Pauses between outputs: anyone can
 * give an address many of them.
 */
export async function sumBalances(
  { singleOwner, multiOwner, exported }: Holdings,
  now: number,
  feeAsset: Id,
  pause?: ReturnType<LongWork['begin']>,
): Promise<AddressBalances> {
  const seconds = BigInt(now);
  const onChain = { unlocked: createBalanceSums(), locked: createBalanceSums() };
  const exportedParts = { unlocked: createBalanceSums(), locked: createBalanceSums() };
  const part = (parts: typeof onChain, isLocked: boolean) => (isLocked ? parts.locked : parts.unlocked);
  const add = (parts: typeof onChain, entry: OutputEntry, sharedWith?: Id): void => {
    const { stored } = entry;
    // Most outputs are transfers: their parts are read from the bytes, since a decoded output stays in memory with its entry.
    if (isTransfer(stored)) {
      verifyStoredUtxo(stored);
      const { add } = part(parts, storedLocktime(stored) > seconds);
      add({ asset: storedAsset(stored), type: 'secp256k1', sharedWith, amount: storedAmount(stored), count: 1 });
      return;
    }
    const { assetID, output } = entry.utxo;
    if (isMintOutput(output)) return;
    const { add } = part(parts, output.locktime > seconds);
    add({ asset: assetID, type: assetTypeOf(output), sharedWith, amount: listedAmount(output), count: 1 });
  };
  const addAll = async (parts: typeof onChain, entries: readonly OutputEntry[], isExported: boolean): Promise<void> => {
    for (const entry of entries) {
      add(parts, entry, isExported ? entry.consumedOn : undefined);
      const resumed = pause?.();
      if (resumed !== undefined) await resumed;
    }
  };
  for (const { asset, isLocked, amount, count, nfts } of singleOwner) {
    const { add } = part(onChain, isLocked);
    if (count > 0) add({ asset, type: 'secp256k1', sharedWith: undefined, amount, count });
    if (nfts > 0) add({ asset, type: 'nft', sharedWith: undefined, amount: BigInt(nfts), count: nfts });
  }
  await addAll(onChain, multiOwner, false);
  await addAll(exportedParts, exported, true);
  return {
    unlocked: onChain.unlocked.list(feeAsset),
    locked: onChain.locked.list(feeAsset),
    atomicMemoryUnlocked: exportedParts.unlocked.list(feeAsset),
    atomicMemoryLocked: exportedParts.locked.list(feeAsset),
  };
}

export const assetsOfBalances = (balances: AddressBalances): Id[] =>
  Object.values(balances).flatMap((part) => part.map(({ asset }) => asset));

/** Sort key: units of an asset come before its NFTs. */
const typeOrder: { readonly [T in AssetType]: string } = { secp256k1: '00', nft: '01' };

function createBalanceSums() {
  const balances = new Map<string, AssetBalance>();
  return {
    add: (more: AssetBalance): void => {
      const key = more.asset + (more.sharedWith ?? '') + typeOrder[more.type];
      const before = balances.get(key);
      balances.set(key, before === undefined ? more : { ...more, amount: before.amount + more.amount, count: before.count + more.count });
    },
    list: (first: Id): readonly AssetBalance[] =>
      [...balances]
        .sort(([a], [b]) => Number(b.startsWith(first)) - Number(a.startsWith(first)) || compareHex(a, b))
        .map(([, balance]) => balance),
  };
}
