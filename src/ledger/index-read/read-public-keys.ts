import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Dialect } from '../index/ddl.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { signerKeyTable } from '../index/tables.ts';
import { fetchRows, type Queries } from '../store/queries.ts';

/** Reads stored public keys of addresses; an address without a stored key is left out. */
export function createPublicKeyReads(dialect: Dialect) {
  const keysOf = keyLookup(dialect, (isKey) => `SELECT address, public_key FROM ${signerKeyTable} WHERE address ${isKey}`);
  return function* (addresses: readonly Address[]): Queries<ReadonlyMap<Address, Uint8Array>> {
    return toPublicKeys(yield* fetchRows<PublicKeyRow>(keysOf(addresses.map(addressToBytes))));
  };
}

export type PublicKeyRow = { readonly address: Uint8Array; readonly public_key: Uint8Array };

export const toPublicKeys = (rows: readonly PublicKeyRow[]): ReadonlyMap<Address, Uint8Array> =>
  new Map(rows.map(({ address, public_key }) => [toHex(address) as Address, public_key]));
