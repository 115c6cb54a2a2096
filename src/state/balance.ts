import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { Utxo } from '../tx/utxo.ts';

/** Sums of one address, asset and lock time: what it alone may spend, and what others are named for too. */
export type Balance = {
  readonly assetID: Id;
  readonly locktime: bigint;
  readonly own: bigint;
  readonly ownCount: number;
  readonly shared: bigint;
  readonly sharedCount: number;
};

export type BalanceDelta = { -readonly [K in keyof Balance]: Balance[K] } & { readonly address: Address };

/** Adds up outputs that come and go, one entry for each address, asset and lock time. */
export type Tally = {
  readonly add: (utxo: Utxo, addresses?: Iterable<Address>) => void;
  readonly remove: (utxo: Utxo) => void;
  readonly deltas: () => BalanceDelta[];
};

export function createTally(): Tally {
  const deltas = new Map<string, BalanceDelta>();
  return {
    add: (utxo, addresses = ownersOf(utxo)) => count(deltas, utxo, addresses, 1n),
    remove: (utxo) => count(deltas, utxo, ownersOf(utxo), -1n),
    deltas: () => [...deltas.values()],
  };
}

/** Addresses an output names; a genesis may name one twice. */
export const ownersOf = ({ output }: Utxo): Iterable<Address> =>
  output.addresses.length < 2 ? output.addresses : new Set(output.addresses);

function count(deltas: Map<string, BalanceDelta>, { assetID, output }: Utxo, addresses: Iterable<Address>, sign: 1n | -1n): void {
  if (output.kind !== 'secp256k1fx.TransferOutput') return;
  for (const address of addresses) {
    const key = `${address}${assetID}${output.locktime}`;
    let delta = deltas.get(key);
    if (delta === undefined) {
      delta = { address, assetID, locktime: output.locktime, own: 0n, ownCount: 0, shared: 0n, sharedCount: 0 };
      deltas.set(key, delta);
    }
    // The peer's rule counts the names in the list, whatever the threshold. Peer: vms/avm/service.go, GetBalance.
    if (output.addresses.length === 1) {
      delta.own += sign * output.amount;
      delta.ownCount += Number(sign);
    } else {
      delta.shared += sign * output.amount;
      delta.sharedCount += Number(sign);
    }
  }
}

/** A sum of u64 can pass 2^64: 16 big-endian bytes. Nothing at all is null. */
export function sumBytes(sum: bigint): Uint8Array | null {
  if (sum === 0n) return null;
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(sum >> 64n, 0);
  bytes.writeBigUInt64BE(sum & 0xffffffffffffffffn, 8);
  return bytes;
}

export function sumOf(bytes: Uint8Array | null): bigint {
  if (bytes === null) return 0n;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
}
