import type { Address } from '../src/bytes/address.ts';
import { toHex } from '../src/bytes/hex.ts';
import type { Id } from '../src/bytes/id.ts';
import { maxU64 } from '../src/bytes/octets.ts';
import type { OutputOwners } from '../src/tx/output.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { canSpend, type Model } from './ledger-model.ts';
import type { Random } from './random.ts';
import { type Key, ownedBy, type Wallet } from './wallet-kit.ts';

/** A transaction, and what the model says will become of it. */
export type Case = {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Refused without a code: for whatever reason. `either`: the model follows the node. */
  readonly expected: 'accepted' | 'either' | { readonly refused: string | undefined };
};

/** What random transactions are made from. Everything random comes from the seed. */
export type World = {
  readonly random: Random;
  readonly model: Model;
  readonly wallet: Wallet;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** A time that holds an output for the next transactions at least. */
  readonly lockedUntil: () => bigint;
  /** Chains that share memory with this one. */
  readonly chains: readonly Id[];
  /** Whether what was issued waits until all of a block is issued; where it does not, nothing is said of what depends on that. */
  readonly holds: boolean;
  /** What waits for its block: no valid transaction spends it again. */
  readonly taken: Set<Id>;
  /** What the wallet could spend when the last block was settled. */
  stock: Stock;
};

/** Outputs the wallet can spend now, by what can be done with them. */
export type Stock = {
  readonly transfers: ReadonlyMap<Id, readonly Utxo[]>;
  readonly mints: readonly Utxo[];
  readonly nftMints: readonly Utxo[];
  readonly nfts: readonly Utxo[];
  readonly propertyMints: readonly Utxo[];
  readonly properties: readonly Utxo[];
  /** Outputs that would be ours to spend, were it not for their lock. */
  readonly locked: readonly Utxo[];
};

/** An output can be used only with the feature extension its asset was created with; one made under another is lost. */
export function stockOf({ model, wallet, now }: Pick<World, 'model' | 'wallet' | 'now'>): Stock {
  const time = now();
  const transfers = new Map<Id, Utxo[]>();
  const lists = { mints: [], nftMints: [], nfts: [], propertyMints: [], properties: [] } as Record<string, Utxo[]>;
  const locked: Utxo[] = [];
  for (const utxo of model.utxos.values()) {
    const [list, fx] = usedAs[utxo.output.kind];
    if (!model.assets.get(utxo.assetID)?.includes(fx)) continue;
    if (!canSpend(utxo, wallet.keys, time)) {
      if (list === 'transfers' && canSpend(utxo, wallet.keys, maxU64)) locked.push(utxo);
      continue;
    }
    if (list !== 'transfers') lists[list]?.push(utxo);
    else if (transfers.get(utxo.assetID)?.push(utxo) === undefined) transfers.set(utxo.assetID, [utxo]);
  }
  return { transfers, locked, ...(lists as unknown as Omit<Stock, 'transfers' | 'locked'>) };
}

const usedAs: { readonly [K in Utxo['output']['kind']]: readonly [keyof Stock, number] } = {
  'secp256k1fx.TransferOutput': ['transfers', 0],
  'secp256k1fx.MintOutput': ['mints', 0],
  'nftfx.MintOutput': ['nftMints', 1],
  'nftfx.TransferOutput': ['nfts', 1],
  'propertyfx.MintOutput': ['propertyMints', 2],
  'propertyfx.OwnedOutput': ['properties', 2],
};

/** The ones that are not taken, in a random order that costs no more than it yields: a rotation. */
export function freeOf({ random, taken }: World, utxos: readonly Utxo[] | undefined): Utxo[] {
  if (utxos === undefined || utxos.length === 0) return [];
  const at = random.below(utxos.length);
  return [...utxos.slice(at), ...utxos.slice(0, at)].filter(({ id }) => !taken.has(id));
}

export const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

/** From 1 to the end: as often small as large, and now and then exactly the end. */
export function amountUpTo(random: Random, end: bigint): bigint {
  if (end <= 1n || chance(random, 8)) return end < 1n ? 1n : end;
  const bits = 1 + random.below(end.toString(2).length);
  const any = ((BigInt(random.next()) << 32n) | BigInt(random.next())) & ((1n << BigInt(bits)) - 1n);
  return 1n + (any % end);
}

/** Any owners an output may have: one, some of several, strangers, nobody at all; locked or not. */
export function someOwners(world: World): OutputOwners {
  const { random, wallet } = world;
  const locktime = chance(random, 85) ? 0n : chance(random, 60) ? world.now() - BigInt(1 + random.below(100_000)) : world.lockedUntil();
  const roll = random.below(100);
  if (roll < 66) return ownedBy([random.pick(wallet.keys)], 1, locktime);
  if (roll < 76) return ownedBy(severalKeys(world, 2), 1, locktime);
  if (roll < 88) return ownedBy(severalKeys(world, 3), 2, locktime);
  if (roll < 92) return { locktime, threshold: 0, addresses: [] };
  if (roll < 96) return ownedBy([...severalKeys(world, 2), stranger(random)], 3, locktime);
  return ownedBy([stranger(random)], 1, locktime);
}

/** Owners that can spend it at once: what comes back as change must not be lost. */
export function ownOwners(world: World): OutputOwners {
  const { random, wallet } = world;
  return chance(random, 80) ? ownedBy([random.pick(wallet.keys)]) : ownedBy(severalKeys(world, 3), 2);
}

export function severalKeys({ random, wallet }: Pick<World, 'random' | 'wallet'>, count: number): Key[] {
  const at = random.below(wallet.keys.length);
  return Array.from({ length: count }, (_, i) => wallet.keys[(at + i) % wallet.keys.length] as Key);
}

export const stranger = (random: Random): Address => toHex(random.bytes(20)) as Address;
