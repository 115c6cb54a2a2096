import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { fetchRows, type Steps } from '../index/steps.ts';
import { signerKeyTable } from '../index/tables.ts';

const keysOf = keyLookup((keys) => `SELECT address, public_key FROM ${signerKeyTable} WHERE address IN (${keys})`);

/** Stored public keys of addresses; an address without a stored key is left out. */
export function* readPublicKeys(addresses: readonly Address[]): Steps<ReadonlyMap<Address, Uint8Array>> {
  const rows = yield* fetchRows<{ address: Uint8Array; public_key: Uint8Array }>(keysOf(addresses.map(addressToBytes)));
  return new Map(rows.map(({ address, public_key }) => [toHex(address) as Address, public_key]));
}
