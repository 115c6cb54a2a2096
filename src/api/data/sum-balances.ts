import type { Id } from '../../base/bytes/id.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import type { AssetType } from '../../ledger/index/output-amount.ts';
import type { Holdings, OutputSum } from '../../ledger/index-read/index-reads.ts';

/** Balances by asset and type, in the four lists of the Data API. The fee asset comes first, the others are sorted by id. */
export type AddressBalances = {
  readonly unlocked: readonly AssetBalance[];
  readonly locked: readonly AssetBalance[];
  readonly atomicMemoryUnlocked: readonly AssetBalance[];
  readonly atomicMemoryLocked: readonly AssetBalance[];
};

/** `sharedWith` is the chain that can import an exported amount. */
export type AssetBalance = Omit<OutputSum, 'isLocked'>;

/** Joins the sums of holdings. */
export function sumBalances({ singleOwner, others }: Holdings, feeAsset: Id): AddressBalances {
  const onChain = { unlocked: createBalanceSums(), locked: createBalanceSums() };
  const exported = { unlocked: createBalanceSums(), locked: createBalanceSums() };
  const sumsOf = (sums: typeof onChain, isLocked: boolean) => (isLocked ? sums.locked : sums.unlocked);
  for (const { asset, isLocked, amount, count, nfts } of singleOwner) {
    const { add } = sumsOf(onChain, isLocked);
    if (count > 0) add({ asset, type: 'secp256k1', sharedWith: undefined, amount, count });
    if (nfts > 0) add({ asset, type: 'nft', sharedWith: undefined, amount: BigInt(nfts), count: nfts });
  }
  for (const { isLocked, ...sum } of others) sumsOf(sum.sharedWith === undefined ? onChain : exported, isLocked).add(sum);
  return {
    unlocked: onChain.unlocked.list(feeAsset),
    locked: onChain.locked.list(feeAsset),
    atomicMemoryUnlocked: exported.unlocked.list(feeAsset),
    atomicMemoryLocked: exported.locked.list(feeAsset),
  };
}

export const assetsOfBalances = (balances: AddressBalances): Id[] =>
  Object.values(balances).flatMap((list) => list.map(({ asset }) => asset));

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
