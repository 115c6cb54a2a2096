import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';

/** Sums and counts of the unspent transfer outputs of one address, asset and lock time, by single-owner and multi-owner outputs. */
export type AddressBalance = {
  readonly assetID: Id;
  readonly locktime: bigint;
  readonly singleOwner: bigint;
  readonly singleOwnerCount: number;
  readonly multiOwner: bigint;
  readonly multiOwnerCount: number;
};

export type BalanceDelta = { -readonly [K in keyof AddressBalance]: AddressBalance[K] } & { readonly address: Address };

/** Adds up the balance changes of created and consumed outputs, one delta per address, asset and lock time. */
export type BalanceDeltas = {
  readonly add: (utxo: Utxo, addresses?: Iterable<Address>) => void;
  readonly remove: (utxo: Utxo) => void;
  readonly deltas: () => BalanceDelta[];
};

export function createBalanceDeltas(): BalanceDeltas {
  const deltas = new Map<string, BalanceDelta>();
  return {
    add: (utxo, addresses = ownersOf(utxo)) => addToDeltas(deltas, utxo, addresses, 1n),
    remove: (utxo) => addToDeltas(deltas, utxo, ownersOf(utxo), -1n),
    deltas: () => [...deltas.values()],
  };
}

/** The owner addresses of an output, without duplicates: a genesis output may list an address twice. */
export const ownersOf = ({ output }: Utxo): Iterable<Address> =>
  output.addresses.length < 2 ? output.addresses : new Set(output.addresses);

function addToDeltas(deltas: Map<string, BalanceDelta>, { assetID, output }: Utxo, addresses: Iterable<Address>, sign: 1n | -1n): void {
  if (output.kind !== 'secp256k1fx.TransferOutput') return;
  for (const address of addresses) {
    const key = `${address}${assetID}${output.locktime}`;
    let delta = deltas.get(key);
    if (delta === undefined) {
      delta = { address, assetID, locktime: output.locktime, singleOwner: 0n, singleOwnerCount: 0, multiOwner: 0n, multiOwnerCount: 0 };
      deltas.set(key, delta);
    }
    // Single-owner or multi-owner depends on the number of addresses, not on the threshold. AvalancheGo: vms/avm/service.go, GetBalance.
    if (output.addresses.length === 1) {
      delta.singleOwner += sign * output.amount;
      delta.singleOwnerCount += Number(sign);
    } else {
      delta.multiOwner += sign * output.amount;
      delta.multiOwnerCount += Number(sign);
    }
  }
}

/** Encodes a sum as 16 big-endian bytes, since a sum of u64 amounts can exceed 2^64; 0 is encoded as null. */
export function encodeSum(sum: bigint): Uint8Array | null {
  if (sum === 0n) return null;
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(sum >> 64n, 0);
  bytes.writeBigUInt64BE(sum & 0xffffffffffffffffn, 8);
  return bytes;
}

export function decodeSum(bytes: Uint8Array | null): bigint {
  if (bytes === null) return 0n;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
}
