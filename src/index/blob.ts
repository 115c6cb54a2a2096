import { type Address, addressToBytes } from '../bytes/address.ts';
import { fromHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { memoize } from '../bytes/memoize.ts';
import { u64Bytes } from '../bytes/octets.ts';

/*
 * Values of columns. A block names the same addresses and assets in a dozen rows: turning hex into bytes each time would cost a tenth of
 * what all of the index costs. The bytes are only ever bound to statements, so they may be shared.
 */

export const addressBlob: (address: Address) => Uint8Array = memoize(16_384, addressToBytes);

export const idBlob: (id: Id) => Uint8Array = memoize(4096, idToBytes);

/** Most outputs are not locked. */
export const u64Blob = (value: bigint): Uint8Array => (value === 0n ? zero : u64Bytes(value));

const zero = u64Bytes(0n);

/** Outputs of one moment, or one amount, stand in the order of their ids. */
export const tieBlob = (id: Id): Uint8Array => fromHex(id.slice(0, 16));
