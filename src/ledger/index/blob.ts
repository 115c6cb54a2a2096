import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { cacheFunction } from '../../base/cache/cache.ts';

/*
 * Column values as bytes. The conversion from hex is cached: a block has the same addresses and assets in about a dozen rows, and
 * converting each time would cost a tenth of all indexing work. The bytes are only bound to statements and never changed, so rows may
 * share them.
 */

/** Bytes of a cached conversion. */
const entrySize = 200;

export const addressBlob: (address: Address) => Uint8Array = cacheFunction('blobs', entrySize, addressToBytes);

export const idBlob: (id: Id) => Uint8Array = cacheFunction('blobs', entrySize, idToBytes);

/** The tiebreaker (column `tie`) of an output: the first 8 bytes of its id. Orders outputs of equal time or amount. */
export const tiebreakerBlob = (id: Id): Uint8Array => fromHex(id.slice(0, 16));
