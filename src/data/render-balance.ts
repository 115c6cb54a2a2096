import { type Id, idText } from '../bytes/id.ts';
import { compareHex } from '../bytes/octets.ts';
import { type AssetType, amountOf, isRight, typeOf } from '../index/output-amount.ts';
import type { Holdings, OutputEntry } from '../index-read/index-reads.ts';
import { assetAmount, type LabelOf } from './render-asset.ts';

/** What is held, summed by asset and type in the four parts that clients know. The asset that pays fees comes first, the others by id. */
export type Balances = {
  readonly unlocked: readonly Balance[];
  readonly locked: readonly Balance[];
  readonly atomicMemoryUnlocked: readonly Balance[];
  readonly atomicMemoryLocked: readonly Balance[];
};

/** `sharedWith`: the chain that may import it. */
export type Balance = {
  readonly asset: Id;
  readonly type: AssetType;
  readonly sharedWith: Id | undefined;
  readonly amount: bigint;
  readonly count: number;
};

/** Locked is what cannot be spent at `now`. */
export function sumBalances({ own, shared, exported }: Holdings, now: number, feeAsset: Id): Balances {
  const seconds = BigInt(now);
  const here = { unlocked: sums(), locked: sums() };
  const beyond = { unlocked: sums(), locked: sums() };
  const part = (sides: typeof here, locktime: bigint) => (locktime > seconds ? sides.locked : sides.unlocked);
  const add = (sides: typeof here, { utxo: { assetID, output } }: OutputEntry, sharedWith?: Id): void => {
    if (isRight(output)) return;
    part(sides, output.locktime).add({ asset: assetID, type: typeOf(output), sharedWith, amount: amountOf(output), count: 1 });
  };
  for (const { asset, locktime, amount, count, nfts } of own) {
    const { add } = part(here, locktime);
    if (count > 0) add({ asset, type: 'secp256k1', sharedWith: undefined, amount, count });
    if (nfts > 0) add({ asset, type: 'nft', sharedWith: undefined, amount: BigInt(nfts), count: nfts });
  }
  for (const entry of shared) add(here, entry);
  for (const entry of exported) add(beyond, entry, entry.consumedOn);
  return {
    unlocked: here.unlocked.list(feeAsset),
    locked: here.locked.list(feeAsset),
    atomicMemoryUnlocked: beyond.unlocked.list(feeAsset),
    atomicMemoryLocked: beyond.locked.list(feeAsset),
  };
}

export const assetsOfBalances = (balances: Balances): Id[] => Object.values(balances).flatMap((part) => part.map(({ asset }) => asset));

export function renderBalances({ unlocked, locked, atomicMemoryUnlocked, atomicMemoryLocked }: Balances, labelOf: LabelOf) {
  const render = ({ asset, type, sharedWith, amount, count }: Balance) => ({
    ...assetAmount(labelOf(asset), type, amount),
    utxoCount: count,
    sharedWithChainId: sharedWith && idText(sharedWith),
  });
  return {
    unlocked: unlocked.map(render),
    locked: locked.map(render),
    atomicMemoryUnlocked: atomicMemoryUnlocked.map(render),
    atomicMemoryLocked: atomicMemoryLocked.map(render),
  };
}

/** An asset's units stand before its NFTs. */
const order: { readonly [T in AssetType]: string } = { secp256k1: '00', nft: '01' };

function sums() {
  const held = new Map<string, Balance>();
  return {
    add: (more: Balance): void => {
      const key = more.asset + (more.sharedWith ?? '') + order[more.type];
      const before = held.get(key);
      held.set(key, before === undefined ? more : { ...more, amount: before.amount + more.amount, count: before.count + more.count });
    },
    list: (first: Id): readonly Balance[] =>
      [...held]
        .sort(([a], [b]) => Number(b.startsWith(first)) - Number(a.startsWith(first)) || compareHex(a, b))
        .map(([, balance]) => balance),
  };
}
