import type { Output } from '../../avm/tx/output.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';

/**
 * Which of an address's outputs of an asset a balance adds up: all that the address owns alone (`ownPart`), those of them with one lock time
 * above 0 (that lock time), or all transfer outputs that it owns with others (`sharedPart`).
 */
export type BalancePart = bigint;
export const ownPart: BalancePart = 0n;
export const sharedPart: BalancePart = -1n;

export type BalanceKey = { readonly address: Address; readonly assetID: Id; readonly part: BalancePart };

/** Units, number of transfer outputs that hold them, and number of NFTs and properties. */
export type BalanceSums = { readonly amount: bigint; readonly count: number; readonly nfts: number };

/** A change of a balance: sums to add. */
export type BalanceDelta = BalanceKey & { -readonly [K in keyof BalanceSums]: BalanceSums[K] };

/** A balance before and after a block. `before` is undefined if it has no earlier row. */
export type BalanceChange = BalanceKey & { readonly before: BalanceSums | undefined; readonly after: BalanceSums };

/** A balance of one address. */
export type AddressBalance = Omit<BalanceKey, 'address'> & BalanceSums;

/** Adds up what the outputs that blocks create and consume change in balances: one delta per balance, so that each row is read and written once. */
export type BalanceDeltas = {
  readonly add: (utxo: Utxo, addresses?: Iterable<Address>) => void;
  readonly remove: (utxo: Utxo) => void;
  readonly deltas: () => BalanceDelta[];
};

export function createBalanceDeltas(): BalanceDeltas {
  const deltas: DeltaTable = { all: [], own: new Map(), others: new Map() };
  return {
    add: (utxo, addresses = ownersOf(utxo)) => addToDeltas(deltas, utxo, addresses, 1n),
    remove: (utxo) => addToDeltas(deltas, utxo, ownersOf(utxo), -1n),
    deltas: () => deltas.all,
  };
}

/** `own`: those of `ownPart`, nearly all, by asset and address; a text of both as key would take longer than the sums. `others`: by `balanceKeyText`. */
type DeltaTable = {
  readonly all: BalanceDelta[];
  readonly own: Map<Id, Map<Address, BalanceDelta>>;
  readonly others: Map<string, BalanceDelta>;
};

/** The owner addresses of an output, without duplicates: a genesis output may list an address twice. */
export const ownersOf = ({ output }: Utxo): Iterable<Address> =>
  output.addresses.length < 2 ? output.addresses : new Set(output.addresses);

/** The key of a balance in maps. The keys of all parts of an address and asset have the same beginning. */
export const balanceKeyText = (address: Address, assetID: Id, part: BalancePart): string =>
  part === ownPart ? address + assetID : `${address}${assetID}${part}`;

function addToDeltas(deltas: DeltaTable, { assetID, output }: Utxo, addresses: Iterable<Address>, sign: 1n | -1n): void {
  const outputClass = outputClasses[output.kind];
  if (outputClass === 'mint') return;
  const isNft = outputClass === 'nft';
  const sums: BalanceSums = {
    amount: output.kind === 'secp256k1fx.TransferOutput' ? sign * output.amount : 0n,
    count: isNft ? 0 : Number(sign),
    nfts: isNft ? Number(sign) : 0,
  };
  // Single-owner or multi-owner depends on the number of addresses, not on the threshold. AvalancheGo: vms/avm/service.go, GetBalance.
  const isSingleOwner = output.addresses.length === 1;
  if (!isSingleOwner && isNft) return;
  for (const address of addresses) {
    addDelta(deltas, address, assetID, isSingleOwner ? ownPart : sharedPart, sums);
    if (isSingleOwner && output.locktime > 0n) addDelta(deltas, address, assetID, output.locktime, sums);
  }
}

function addDelta(deltas: DeltaTable, address: Address, assetID: Id, part: BalancePart, { amount, count, nfts }: BalanceSums): void {
  const byKey = part === ownPart ? ownDeltasOf(deltas, assetID) : deltas.others;
  const key = part === ownPart ? address : balanceKeyText(address, assetID, part);
  const delta = byKey.get(key as Address);
  if (delta === undefined) {
    const added = { address, assetID, part, amount, count, nfts };
    byKey.set(key as Address, added);
    deltas.all.push(added);
  } else {
    delta.amount += amount;
    delta.count += count;
    delta.nfts += nfts;
  }
}

function ownDeltasOf({ own }: DeltaTable, assetID: Id): Map<Address, BalanceDelta> {
  const known = own.get(assetID);
  if (known !== undefined) return known;
  const added = new Map<Address, BalanceDelta>();
  own.set(assetID, added);
  return added;
}

export const noSums: BalanceSums = { amount: 0n, count: 0, nfts: 0 };

export const addSums = (sums: BalanceSums | undefined, delta: BalanceSums): BalanceSums => ({
  amount: (sums?.amount ?? 0n) + delta.amount,
  count: (sums?.count ?? 0) + delta.count,
  nfts: (sums?.nfts ?? 0) + delta.nfts,
});

/** Whether an address has unspent outputs of a balance. A balance that fell to zero still has rows. */
export const hasOutputs = ({ count, nfts }: BalanceSums): boolean => count > 0 || nfts > 0;

/** The column `part`: no bytes for `ownPart`, 8 for a lock time, 9 for `sharedPart`, so that the parts of an asset are in this order. */
export const partToBytes = (part: BalancePart): Uint8Array => {
  if (part === ownPart) return noBytes;
  return part === sharedPart ? sharedBytes : u64Bytes(part);
};

export function partFromBytes(bytes: Uint8Array): BalancePart {
  if (bytes.length === 0) return ownPart;
  return bytes.length > 8 ? sharedPart : new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
}

const noBytes = new Uint8Array(0);
const sharedBytes = new Uint8Array(9).fill(0xff);

/** Smaller than every lock time and larger than `ownPart`. */
export const belowLocktimes = new Uint8Array(1);

/** The column `amount`: big-endian bytes without leading zeros, at most 16, since a sum of u64 amounts can exceed 2^64. */
export function amountToBytes(amount: bigint): Uint8Array {
  if (amount === 0n) return noBytes;
  u128View.setBigUint64(0, amount >> 64n);
  u128View.setBigUint64(8, amount & 0xffffffffffffffffn);
  let at = 0;
  while (u128[at] === 0) at++;
  return u128.slice(at);
}

/** Overwritten by every call of `amountToBytes`. */
const u128 = new Uint8Array(16);
const u128View = new DataView(u128.buffer);

/** The inverse of `amountToBytes`. Amounts of up to 8 bytes, nearly all, are read as numbers, without a buffer. */
export function amountFromBytes(bytes: Uint8Array): bigint {
  if (bytes.length <= 6) {
    let small = 0;
    for (const byte of bytes) small = small * 256 + byte;
    return BigInt(small);
  }
  const { length } = bytes;
  if (length <= 8) {
    let [high, low] = [0, 0];
    for (let at = 0; at < length - 4; at++) high = high * 256 + (bytes[at] as number);
    for (let at = length - 4; at < length; at++) low = low * 256 + (bytes[at] as number);
    return (BigInt(high) << 32n) | BigInt(low);
  }
  const padded = Buffer.alloc(16);
  padded.set(bytes, 16 - length);
  return (padded.readBigUInt64BE(0) << 64n) | padded.readBigUInt64BE(8);
}

/** How an output counts in sums: by its amount, as one NFT or property, or (a mint output) not at all. */
export type OutputClass = 'amount' | 'nft' | 'mint';

/** The class of each kind of output; everything that adds up outputs reads this table. */
export const outputClasses: { readonly [K in Output['kind']]: OutputClass } = {
  'secp256k1fx.TransferOutput': 'amount',
  'secp256k1fx.MintOutput': 'mint',
  'nftfx.TransferOutput': 'nft',
  'nftfx.MintOutput': 'mint',
  'propertyfx.OwnedOutput': 'nft',
  'propertyfx.MintOutput': 'mint',
};
