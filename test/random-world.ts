import type { OutputOwners } from '../src/avm/tx/output.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import type { Address } from '../src/base/bytes/address.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import type { Id } from '../src/base/bytes/id.ts';
import { maxU64 } from '../src/base/bytes/octets.ts';
import { canSpend, type LedgerModel } from './ledger-model.ts';
import type { Random } from './random.ts';
import { type Key, ownedBy, type Wallet } from './wallet-kit.ts';

/** A transaction and the expected result of issuing it. */
export type Case = {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** `rejectedWith` undefined: any error code. `either`: the model follows the node. */
  readonly expected: 'accepted' | 'either' | { readonly rejectedWith: string | undefined };
};

/** State from which random transactions are generated. All randomness comes from the seed. */
export type World = {
  readonly random: Random;
  readonly model: LedgerModel;
  readonly wallet: Wallet;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** A locktime that is still in the future for the next transactions. */
  readonly lockedUntil: () => bigint;
  /** Chains that share memory with this one. */
  readonly chains: readonly Id[];
  /** Whether issued transactions stay pending until the test decides the block. If not, results that depend on it are not predicted. */
  readonly holdsPending: boolean;
  /** Outputs that pending transactions spend. */
  readonly pendingInputs: Set<Id>;
  /** What the wallet can spend after the last accepted block. */
  spendable: SpendableOutputs;
};

/** Outputs that the wallet can spend now, by kind. */
type SpendableOutputs = {
  readonly transfers: ReadonlyMap<Id, readonly Utxo[]>;
  readonly mints: readonly Utxo[];
  readonly nftMints: readonly Utxo[];
  readonly nfts: readonly Utxo[];
  readonly propertyMints: readonly Utxo[];
  readonly properties: readonly Utxo[];
  /** Outputs that the wallet can spend only after their locktime. */
  readonly locked: readonly Utxo[];
};

/** Collects the outputs the wallet can spend. An output of a feature extension that its asset does not have is unspendable. */
export function collectSpendable({ model, wallet, now }: Pick<World, 'model' | 'wallet' | 'now'>): SpendableOutputs {
  const time = now();
  const transfers = new Map<Id, Utxo[]>();
  const lists = { mints: [], nftMints: [], nfts: [], propertyMints: [], properties: [] } as Record<string, Utxo[]>;
  const locked: Utxo[] = [];
  for (const utxo of model.utxos.values()) {
    const [list, fx] = listOfKind[utxo.output.kind];
    if (!model.assets.get(utxo.assetID)?.includes(fx)) continue;
    if (!canSpend(utxo, wallet.keys, time)) {
      if (list === 'transfers' && canSpend(utxo, wallet.keys, maxU64)) locked.push(utxo);
      continue;
    }
    if (list !== 'transfers') lists[list]?.push(utxo);
    else if (transfers.get(utxo.assetID)?.push(utxo) === undefined) transfers.set(utxo.assetID, [utxo]);
  }
  return { transfers, locked, ...(lists as unknown as Omit<SpendableOutputs, 'transfers' | 'locked'>) };
}

const listOfKind: { readonly [K in Utxo['output']['kind']]: readonly [keyof SpendableOutputs, number] } = {
  'secp256k1fx.TransferOutput': ['transfers', 0],
  'secp256k1fx.MintOutput': ['mints', 0],
  'nftfx.MintOutput': ['nftMints', 1],
  'nftfx.TransferOutput': ['nfts', 1],
  'propertyfx.MintOutput': ['propertyMints', 2],
  'propertyfx.OwnedOutput': ['properties', 2],
};

/** Returns the outputs that no pending transaction spends, starting at a random position. */
export function availableOf({ random, pendingInputs }: World, utxos: readonly Utxo[] | undefined): Utxo[] {
  if (utxos === undefined || utxos.length === 0) return [];
  const at = random.below(utxos.length);
  return [...utxos.slice(at), ...utxos.slice(0, at)].filter(({ id }) => !pendingInputs.has(id));
}

export const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

/** A random amount from 1 to `end`, with small and large ones equally likely, and sometimes exactly `end`. */
export function randomAmount(random: Random, end: bigint): bigint {
  if (end <= 1n || chance(random, 8)) return end < 1n ? 1n : end;
  const bits = 1 + random.below(end.toString(2).length);
  const any = ((BigInt(random.next()) << 32n) | BigInt(random.next())) & ((1n << BigInt(bits)) - 1n);
  return 1n + (any % end);
}

/** Random owners: one key, several keys, other addresses or none; with or without a locktime. */
export function randomOwners(world: World): OutputOwners {
  const { random, wallet } = world;
  const locktime = chance(random, 85) ? 0n : chance(random, 60) ? world.now() - BigInt(1 + random.below(100_000)) : world.lockedUntil();
  const roll = random.below(100);
  if (roll < 66) return ownedBy([random.pick(wallet.keys)], 1, locktime);
  if (roll < 76) return ownedBy(pickKeys(world, 2), 1, locktime);
  if (roll < 88) return ownedBy(pickKeys(world, 3), 2, locktime);
  if (roll < 92) return { locktime, threshold: 0, addresses: [] };
  if (roll < 96) return ownedBy([...pickKeys(world, 2), randomAddress(random)], 3, locktime);
  return ownedBy([randomAddress(random)], 1, locktime);
}

/** Owners from the wallet, without a locktime, for change that must stay spendable. */
export function walletOwners(world: World): OutputOwners {
  const { random, wallet } = world;
  return chance(random, 80) ? ownedBy([random.pick(wallet.keys)]) : ownedBy(pickKeys(world, 3), 2);
}

export function pickKeys({ random, wallet }: Pick<World, 'random' | 'wallet'>, count: number): Key[] {
  const at = random.below(wallet.keys.length);
  return Array.from({ length: count }, (_, i) => wallet.keys[(at + i) % wallet.keys.length] as Key);
}

export const randomAddress = (random: Random): Address => toHex(random.bytes(20)) as Address;
